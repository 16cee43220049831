"""Exploration: what can be done on a site, and what comes of it."""
