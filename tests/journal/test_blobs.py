"""Blobs: stored once, whole or not at all, under the hash of what they hold."""

import gzip

import pytest

from synthagent.blobs import BlobStore, write_atomically
from synthagent.errors import DataError
from synthagent.records import Node, Page

PAGE = Page(
    url="http://shop.test/",
    title="Shop",
    nodes=(Node(depth=0, role="text", name="café \u2028 🛒"),),
    content_hash="0" * 64,
    view_hash="1" * 64,
    structure_key="2" * 64,
)


def files_in(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("data", [b"", b"x", bytes(range(256)) * 1000])
@pytest.mark.parametrize("suffix", [".webp", ".json.gz", ""])
def test_what_was_put_is_got_and_stored_once(tmp_path, data, suffix):
    store = BlobStore(tmp_path)
    sha = store.put(data, suffix)
    assert store.put(data, suffix) == sha
    assert store.get(sha) == data
    assert files_in(tmp_path) == [tmp_path / sha[:2] / f"{sha}{suffix}"] == [store.path(sha)]


def test_the_key_is_that_of_the_content_and_the_file_is_the_same_each_time(tmp_path):
    first, second = BlobStore(tmp_path / "a"), BlobStore(tmp_path / "b")
    sha = first.put_page(PAGE)
    assert sha == second.put(PAGE.to_json().encode(), ".json.gz")
    assert first.path(sha).read_bytes() == second.path(sha).read_bytes()
    assert gzip.decompress(first.path(sha).read_bytes()) == PAGE.to_json().encode()
    time_written = first.path(sha).read_bytes()[4:8]
    assert time_written == bytes(4)


def test_a_page_comes_back_equal_also_from_another_store_object(tmp_path):
    sha = BlobStore(tmp_path).put_page(PAGE)
    store = BlobStore(tmp_path, pages_kept=1)
    assert store.get_page(sha) == PAGE
    other = store.put_page(PAGE.with_(title="Other"))
    assert store.get_page(sha) == PAGE
    assert store.get_page(other).title == "Other"


DAMAGE = {
    "missing": (lambda path: path.unlink(), "is missing"),
    "empty": (lambda path: path.write_bytes(b""), "cannot be read|is damaged"),
    "cut": (lambda path: path.write_bytes(path.read_bytes()[:-9]), "cannot be read"),
    "zeros": (lambda path: path.write_bytes(bytes(99)), "cannot be read"),
    "another": (lambda path: path.write_bytes(gzip.compress(b"{}")), "is damaged"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_blob_that_is_not_what_was_stored_is_named(tmp_path, kind):
    damage, message = DAMAGE[kind]
    sha = BlobStore(tmp_path).put_page(PAGE)
    damage(BlobStore(tmp_path).path(sha))
    with pytest.raises(DataError, match=message) as caught:
        BlobStore(tmp_path).get_page(sha)
    assert sha in str(caught.value)


def test_a_blob_that_was_cut_is_mended_by_storing_it_again(tmp_path):
    store = BlobStore(tmp_path)
    sha = store.put(b"picture", ".webp")
    store.path(sha).write_bytes(b"pic")
    store.put(b"picture", ".webp")
    assert store.get(sha) == b"picture"


def test_what_is_no_page_is_not_taken_for_one(tmp_path):
    sha = BlobStore(tmp_path).put(b'{"url": 3}', ".json.gz")
    with pytest.raises(DataError, match="is not a page"):
        BlobStore(tmp_path).get_page(sha)


@pytest.mark.parametrize("key", ["", "abc", "../../../etc/passwd", "Z" * 64, "0" * 63 + "*"])
def test_only_keys_are_looked_up(tmp_path, key):
    with pytest.raises(DataError, match="not the key of a blob"):
        BlobStore(tmp_path).path(key)


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path):
    target = tmp_path / "blocked" / "file.txt"
    target.parent.write_text("a file where a folder should be")
    with pytest.raises(DataError, match=r"cannot write .*file\.txt"):
        write_atomically(target, b"new")
    write_atomically(tmp_path / "whole.txt", b"new")
    assert [path.name for path in files_in(tmp_path)] == ["blocked", "whole.txt"]
