"""Websites as environments: what they are, starting, login, reset, health, policy."""

from synthagent.sites.health import HealthReport, HealthRow, check_site
from synthagent.sites.instance import SiteInstance
from synthagent.sites.policy import is_destructive
from synthagent.sites.pool import SitePool
from synthagent.sites.spec import ANONYMOUS, SiteSpec, known_sites, load_site

__all__ = [
    "ANONYMOUS",
    "HealthReport",
    "HealthRow",
    "SiteInstance",
    "SitePool",
    "SiteSpec",
    "check_site",
    "is_destructive",
    "known_sites",
    "load_site",
]
