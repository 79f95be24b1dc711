"""The enforcement chain: four judges between an agent and everyone else."""
