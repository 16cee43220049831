"""Proposal: tasks that the site can really answer."""
