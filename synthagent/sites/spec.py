"""What is known of a site before it runs: the validated contents of `site.yaml`.

Starts nothing and asks nothing over the network.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from synthagent.errors import ConfigError
from synthagent.records.frozen import Frozen
from synthagent.records.origins import Origins
from synthagent.sites.site_file import read_site_file
from synthagent.sites.variables import Missing, expand, find_missing

ANONYMOUS = "anonymous"
NAME = re.compile(r"[a-z0-9][a-z0-9-]*")


def _check_pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from error
    return text


def _check_path(text: str) -> str:
    if not text.startswith("/") or text.startswith("//"):
        raise ValueError("expected a path on the site that begins with one `/`")
    return text


def _check_origin(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.netloc or text != _origin_of(text):
        raise ValueError("expected `http://host` or `http://host:port`, without a path")
    return text


Pattern = Annotated[str, AfterValidator(_check_pattern)]
SitePath = Annotated[str, AfterValidator(_check_path)]
OriginText = Annotated[str, AfterValidator(_check_origin)]


class BaseUrl(Frozen):
    """One address of a site: how it is written down, and where it really lies."""

    canonical: OriginText
    """Used in records, prompts and exports: `http://shop.test`."""
    url: str = ""
    """Where an outside site answers; `${VARIABLE}` allowed, a path in it is ignored. Empty for a
    site that we start."""


class LoginForm(Frozen):
    """How to log in by filling a form, whatever its hidden fields are."""

    url: SitePath
    fields: dict[str, str] = Field(min_length=1)
    """Name of an input -> text; `{{username}}` and `{{password}}` are filled in."""
    submit: str | None = None
    """Name of the button to press, when its value has to be sent along."""


class Credentials(Frozen):
    """Of an account; literal for public demo accounts, else `${VARIABLE}`."""

    username: str = Field(min_length=1)
    password: str = Field(min_length=1)


class Role(Frozen):
    """An account of the site, and where its work begins."""

    base: str = ""
    """Alias in `base_urls`; the first one when empty."""
    start: SitePath = "/"
    login: LoginForm
    credentials: Credentials
    private_page: SitePath
    """A page that only somebody logged in gets to see."""
    private_text: str | None = None
    """A text on that page, when its address alone proves nothing."""


class Volatile(Frozen):
    """What differs between two equal looks at a page."""

    query: tuple[str, ...] = ()
    """Query keys."""
    text: tuple[Pattern, ...] = ()


class PolicyRules(Frozen):
    """Exceptions to `policy.py`, as patterns over `<name> <address>` of a control."""

    destructive: tuple[Pattern, ...] = ()
    allowed: tuple[Pattern, ...] = ()


class Serve(Frozen):
    """How a built-in site is built and started: a WSGI application on SQLite."""

    folder: str = "app"
    """With the application's modules, beside `site.yaml`."""
    build: str = "build.py"
    """Script that fills the empty folder in `SITE_DATA`."""
    application: str = "wsgi:application"
    packages: tuple[str, ...] = ()
    """Distributions that must be installed; their versions are part of the snapshot's name."""
    extra: str = "sites"
    """Extra of synthagent that brings them."""
    databases: tuple[str, ...] = ()
    """SQLite files in `SITE_DATA` that a reset brings back."""
    trees: tuple[str, ...] = ()
    """Folders in `SITE_DATA` that a reset brings back."""
    threads: int = Field(default=4, ge=1, le=64)


class SiteSpec(Frozen):
    """A website as an environment."""

    name: str
    title: str
    description: str = ""
    licence: str = ""
    base_urls: dict[str, BaseUrl] = Field(min_length=1)
    roles: dict[str, Role] = Field(default_factory=dict)
    """Without `anonymous`, which every site has."""
    volatile: Volatile = Volatile()
    policy: PolicyRules = PolicyRules()
    read_only: bool = False
    """Nothing but GET, HEAD and OPTIONS may be sent: for live sites."""
    health: SitePath = "/"
    """A page that answers when the site is well."""
    serve: Serve | None = None
    """None for a site that somebody else runs."""
    folder: Path = Field(default=Path(), exclude=True)
    """Where the site file lies; not part of the file."""

    @model_validator(mode="after")
    def _check(self) -> "SiteSpec":
        if not NAME.fullmatch(self.name):
            raise ValueError(f"name {self.name!r}: use lower-case letters, digits and dashes")
        if ANONYMOUS in self.roles:
            raise ValueError(f"roles.{ANONYMOUS}: every site has it; leave it out")
        for name, role in self.roles.items():
            if role.base and role.base not in self.base_urls:
                known = ", ".join(self.base_urls)
                raise ValueError(f"roles.{name}.base: {role.base!r} is not in base_urls ({known})")
        if self.serve is None and not all(base.url for base in self.base_urls.values()):
            raise ValueError("base_urls: a site without `serve` needs a `url` for each")
        if self.serve is not None and len(self.base_urls) > 1:
            raise ValueError("base_urls: a site with `serve` has exactly one")
        return self

    def role(self, name: str) -> Role:
        """Return the role, or raise ConfigError with the names there are."""
        if name not in self.roles:
            known = ", ".join([*self.roles, ANONYMOUS])
            raise ConfigError(f"unknown role {name!r} of site {self.name!r}; known: {known}")
        return self.roles[name]

    def start_url(self, role: str) -> str:
        """Return the canonical URL at which a role's work begins."""
        if role == ANONYMOUS:
            return self.canonical_url("/")
        return self.canonical_url(self.role(role).start, role)

    def canonical_url(self, path: str, role: str = ANONYMOUS) -> str:
        """Return the canonical URL of a path, on the base URL of `role`."""
        alias = "" if role == ANONYMOUS else self.role(role).base
        base = self.base_urls[alias or next(iter(self.base_urls))]
        return base.canonical + path

    def secrets(self, role: str, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
        """Return what must never be written down, by the name of its placeholder."""
        if role == ANONYMOUS:
            return {}
        return {"password": expand(self.role(role).credentials.password, environ)}

    def credentials(self, role: str, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
        """Return what a login form is filled with."""
        username = expand(self.role(role).credentials.username, environ)
        return {"username": username, **self.secrets(role, environ)}

    def missing(self, environ: Mapping[str, str] = os.environ) -> tuple[Missing, ...]:
        """Return the environment variables that have to be set first."""
        return find_missing(self, environ)

    def outside_origins(self, environ: Mapping[str, str] = os.environ) -> Origins:
        """Return where a site without `serve` lies; ConfigError with a table of what is missing."""
        if missing := self.missing(environ):
            rows = "\n".join(f"  {' or '.join(item.names):40} {item.place}" for item in missing)
            raise ConfigError(
                f"site {self.name!r} needs environment variables that are not set:\n{rows}"
            )
        pairs = []
        for alias, base in self.base_urls.items():
            url = expand(base.url, environ)
            if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).netloc:
                raise ConfigError(
                    f"site {self.name!r}: base_urls.{alias}.url = {base.url!r} became {url!r}; "
                    "expected http://host:port"
                )
            pairs.append((base.canonical, _origin_of(url)))
        return Origins(pairs=tuple(pairs))


def load_site(name: str, environ: Mapping[str, str] = os.environ) -> SiteSpec:
    """Return the site of this name, or of the site file with this path.

    Raises:
        ConfigError: no such site, or its file is not what it should be.
    """
    file = Path(name) if name.endswith((".yaml", ".yml")) else _find_files(environ).get(name)
    if file is None:
        known = ", ".join(known_sites(environ)) or "none"
        raise ConfigError(f"unknown site {name!r}; known: {known}")
    spec = read_site_file(file, SiteSpec)
    if not name.endswith((".yaml", ".yml")) and spec.name != name:
        raise ConfigError(f"{file}: name is {spec.name!r} but its folder is {name!r}; rename one")
    return spec


def known_sites(environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Return the names that `load_site` takes."""
    return tuple(sorted(_find_files(environ)))


def _find_files(environ: Mapping[str, str]) -> dict[str, Path]:
    package = Path(__file__).resolve().parents[1]
    folders = [Path(part) for part in environ.get("SYNTHAGENT_ENVIRONMENTS", "").split(os.pathsep)]
    folders = [folder for folder in folders if folder != Path()]
    folders += [Path("environments"), package.parent / "environments"]
    folders.append(package / "bundled_environments")
    files: dict[str, Path] = {}
    for folder in folders:
        for file in sorted(folder.glob("*/site.yaml")):
            files.setdefault(file.parent.name, file)
    return files


def _origin_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
