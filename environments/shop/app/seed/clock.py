"""A clock that starts on a fixed day and moves a minute a look; used while seeding only.

Oscar stamps what it creates with the present time, and the contents must not depend on it.
"""

import datetime as dt

from django.utils import timezone

START = dt.datetime(2025, 1, 6, 9, 0, tzinfo=dt.UTC)


class Clock:
    """Stands in for `timezone.now`."""

    def __init__(self):
        self.time = START

    def __call__(self):
        self.time += dt.timedelta(seconds=1)
        return self.time

    def set(self, day, hour=10, minute=0):
        """Go to `day` days after the start."""
        self.time = START.replace(hour=hour, minute=minute) + dt.timedelta(days=day)
        return self.time


def install():
    """Make Django read the fixed clock in this process."""
    clock = Clock()
    timezone.now = clock
    return clock
