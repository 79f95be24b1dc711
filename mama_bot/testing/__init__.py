"""Fakes that ship: a scripted model server for the real CLI, a scripted agent, an in-memory gateway."""
