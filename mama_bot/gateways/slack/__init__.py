"""The gateway to Slack."""
