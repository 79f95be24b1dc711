"""Praise: how much of a text says nothing."""
