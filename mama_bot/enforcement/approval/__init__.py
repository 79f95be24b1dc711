"""Approvals: where a text approves, and what it offers as evidence."""
