"""What `make run` shows without an account: a scripted model, its story, and the repository it works on."""
