"""HTTP in, one verb, HTTP out: one blueprint and one wire module for each interface."""
