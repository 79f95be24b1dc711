"""What may an agent do, before it does it? Rules in files, their conditions, and the engine that decides by them."""
