"""What agents may do with their tools."""
