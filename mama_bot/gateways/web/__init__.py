"""The local web page as a chat platform."""
