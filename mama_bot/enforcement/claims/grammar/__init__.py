"""The grammar of claims: what of a text a record of tool calls could show."""
