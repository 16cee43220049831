"""What is refused before anything is spent: a full disk, a wrong key, no server."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from synthagent.config import ModelConfig
from synthagent.errors import DataError, ModelAccessDenied, ModelUnavailable
from synthagent.run.probing import free_space, model_url, probe_model, require_space


class _Locked(BaseHTTPRequestHandler):
    """Knows one key, and has no list of models for a server that cannot tell."""

    def do_GET(self) -> None:
        known = self.headers["Authorization"] == "Bearer right"
        self.send_response(200 if known else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Locked) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}/v1"
        running.shutdown()
        thread.join()


async def test_the_right_key_passes(server: str) -> None:
    config = ModelConfig(base_url=server, api_key_env="KEY")
    assert "HTTP 200" in await probe_model(config, {"KEY": "right"})


@pytest.mark.parametrize("environ", [{}, {"KEY": "wrong"}])
async def test_a_wrong_key_is_named_by_its_variable(server: str, environ: dict[str, str]) -> None:
    config = ModelConfig(base_url=server, api_key_env="KEY")
    with pytest.raises(ModelAccessDenied, match="export the right one as KEY") as refused:
        await probe_model(config, environ)
    assert "wrong" not in str(refused.value)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "http://", "127.0.0.1"])
async def test_a_server_that_is_not_there(url: str) -> None:
    with pytest.raises(ModelUnavailable, match="does not answer"):
        await probe_model(ModelConfig(base_url=url), {})


@pytest.mark.parametrize(
    ("config", "environ", "url"),
    [
        (ModelConfig(base_url="http://a/v1/"), {"OPENAI_BASE_URL": "http://b/v1"}, "http://a/v1"),
        (ModelConfig(), {"OPENAI_BASE_URL": "http://b/v1"}, "http://b/v1"),
        (ModelConfig(), {}, "https://api.openai.com/v1"),
    ],
)
def test_which_server_is_asked(config: ModelConfig, environ: dict[str, str], url: str) -> None:
    assert model_url(config, environ) == url


def test_a_full_disk_is_refused_with_the_way_out(tmp_path: Path) -> None:
    there, not_yet = tmp_path, tmp_path / "runs" / "new"
    assert abs(free_space(not_yet) - free_space(there)) < 1e9
    require_space(not_yet, 1)
    with pytest.raises(DataError, match="SYNTHAGENT_HOME"):
        require_space(not_yet, 2**60)
    assert not not_yet.exists()
