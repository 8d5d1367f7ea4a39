"""The embedded world: every port over one SQLite file."""
