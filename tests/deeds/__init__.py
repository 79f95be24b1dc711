"""Turns that change work trees, and what people do with it, on real git and a real store."""
