"""Content-addressed files: pages and screenshots, each stored once under the hash of its content.

Not responsible for what refers to a blob; records hold the keys, see `journal/`.
"""

import gzip
import hashlib
import os
import re
import zlib
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from synthagent.errors import DataError
from synthagent.records import Page, Sha

PAGE_SUFFIX = ".json.gz"
KEY = re.compile(r"[0-9a-f]{64}")


class BlobStore:
    """Files `ab/<sha256><suffix>` below a folder; the key is the hash of the content.

    What has a suffix ending in `.gz` is compressed on disk. Its key is the hash of what was given,
    not of the compressed bytes, so that keys are the same whatever zlib a machine has.
    """

    def __init__(self, folder: Path, *, pages_kept: int = 64) -> None:
        self.folder = folder
        self._pages_kept = pages_kept
        self._pages: OrderedDict[Sha, Page] = OrderedDict()

    def put(self, data: bytes, suffix: str) -> Sha:
        """Store `data` unless it is there already, and return its key.

        Raises:
            DataError: it cannot be written, for example because the disk is full.
        """
        sha = hashlib.sha256(data).hexdigest()
        # mtime 0: equal content gives equal files
        stored = gzip.compress(data, mtime=0) if suffix.endswith(".gz") else data
        target = self.folder / sha[:2] / f"{sha}{suffix}"
        if not _has_size(target, len(stored)):
            write_atomically(target, stored)
        return sha

    def get(self, sha: Sha) -> bytes:
        """Return the content stored under `sha`.

        Raises:
            DataError: there is no such blob, or it is not what was stored.
        """
        path = self.path(sha)
        try:
            data = path.read_bytes()
            if path.suffix == ".gz":
                data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"blob {path} cannot be read: {error}") from error
        if hashlib.sha256(data).hexdigest() != sha:
            raise DataError(
                f"blob {path} is damaged: its content does not have the hash in its name"
            )
        return data

    def path(self, sha: Sha) -> Path:
        """Return the file of `sha`, whatever its suffix.

        Raises:
            DataError: there is no such blob.
        """
        if KEY.fullmatch(sha) is None:
            raise DataError(f"{sha!r:.80} is not the key of a blob: 64 hex digits")
        folder = self.folder / sha[:2]
        found = next(folder.glob(f"{sha}.*"), None) or next(folder.glob(sha), None)
        if found is None:
            raise DataError(f"blob {sha} is missing in {folder}")
        return found

    def put_page(self, page: Page) -> Sha:
        """Store a whole page as compressed JSON and return its key."""
        sha = self.put(page.to_json().encode(), PAGE_SUFFIX)
        self._keep(sha, page)
        return sha

    def get_page(self, sha: Sha) -> Page:
        """Return the page stored under `sha`; the last few are kept in memory.

        Raises:
            DataError: the blob is missing, damaged, or not a page.
        """
        page = self._pages.get(sha)
        if page is None:
            try:
                page = Page.model_validate_json(self.get(sha))
            except ValidationError as error:
                raise DataError(f"blob {self.path(sha)} is not a page: {error}") from error
        self._keep(sha, page)
        return page

    def _keep(self, sha: Sha, page: Page) -> None:
        self._pages[sha] = page
        self._pages.move_to_end(sha)
        while len(self._pages) > self._pages_kept:
            self._pages.popitem(last=False)


def write_atomically(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write `path` whole or not at all: under another name, flushed to disk, then renamed.

    Raises:
        DataError: it cannot be written; what was there before is still there.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with part.open("wb") as file:
                file.writelines([data] if isinstance(data, bytes) else data)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from error


def cannot_write(path: Path, error: OSError) -> DataError:
    """Return the error to raise when the system refuses to write `path`."""
    return DataError(
        f"cannot write {path}: {error.strerror or error}. Nothing that was finished is lost; "
        "mend the cause (often a full disk) and give the same command again"
    )


def _has_size(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size
    except FileNotFoundError:
        return False
