"""The gateway to Discord."""
