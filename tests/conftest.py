"""Fixtures that more than one folder of tests uses; anything else stays beside its tests."""

from pathlib import Path

import pytest

from synthagent.sites import SiteSpec, load_site


@pytest.fixture(scope="session")
def site_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where built-in sites live during the tests: the snapshot is built once, by the first user."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="session")
def shop() -> SiteSpec:
    """The built-in shop, not started."""
    return load_site("shop")
