"""Who is asked before a tool call runs, what they are shown, and how long their answer is waited for."""
