"""The invented contents of the shop; the same on every machine and on every day."""
