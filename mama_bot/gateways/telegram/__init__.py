"""The gateway to Telegram."""
