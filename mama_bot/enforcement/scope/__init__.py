"""Scope: which files a delegation expects to be changed, and which were."""
