"""What a process that is not ours reaches of this machine, how much of it, and that nothing of it is left behind."""
