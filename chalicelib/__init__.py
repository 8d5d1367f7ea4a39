"""Reverie: serverless long-term memory for AI agents. Verbs stand on top, laws in `mind`, stores behind `ports`."""
