"""Whether work gets anywhere."""
