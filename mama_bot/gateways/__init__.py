"""Chat platforms: each turns platform events into messages and posts what was cleared."""
