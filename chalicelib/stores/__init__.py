"""Adapters of the ports to what holds the data. Each turns its driver's errors into ours."""
