"""The agent: the one rollout loop, when it is stuck, and doing a trajectory again."""
