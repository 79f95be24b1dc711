"""The languages that the service speaks beside English and Korean: a module for each, with its `CATALOGUE`."""
