"""Work trees are put away and come back, and nothing of what was in them is lost."""
