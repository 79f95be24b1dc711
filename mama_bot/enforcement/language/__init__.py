"""Reading what an agent wrote: pure functions, linear in the length of the text."""
