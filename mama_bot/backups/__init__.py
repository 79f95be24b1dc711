"""What the service keeps, as one file that it can be put back from."""
