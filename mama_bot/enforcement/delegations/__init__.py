"""Delegations: what a draft asks of other members of the team, and whether that can be carried out."""
