"""What asks the team without a person: schedules, and the deliveries of other services."""
