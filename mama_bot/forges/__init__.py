"""What GitHub and GitLab say of pull requests, and how one is opened there."""
