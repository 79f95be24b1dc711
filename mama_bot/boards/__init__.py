"""What holds of topics and work items, whoever writes them: pure rules, and their form in a repository."""
