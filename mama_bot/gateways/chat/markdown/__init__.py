"""Markdown, read once into lines and code, and written in the markup of any platform that has a dialect."""
