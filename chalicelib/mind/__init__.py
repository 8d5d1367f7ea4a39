"""The laws of memory, pure: no I/O, no clock, no environment, no driver."""
