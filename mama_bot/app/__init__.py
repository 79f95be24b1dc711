"""The composition root: the only place that names concrete adapters; start, drain, stop."""
