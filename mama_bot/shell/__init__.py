"""The shell: a command line as a tree, and what its exit status says of each part. Pure; imports nothing of ours."""
