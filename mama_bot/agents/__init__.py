"""Agents: live CLI processes behind one port, and the record of what they really did."""
