"""Completion: what was asked for, what a reply says is finished, and what it leaves open."""
