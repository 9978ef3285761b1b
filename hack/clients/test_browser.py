"""EventSource in a real browser, with nginx in between."""

import re

import pytest

from conftest import PASSWORD
from nginx import Nginx
from program import HERE, Follower
from server import CLIENTS


@pytest.fixture
def nginx(server, tmp_path):
    with Nginx(server, tmp_path) as nginx:
        yield nginx


def test_event_source(server, nginx, cleo, newcomer, tmp_path, monkeypatch):
    """A page gets each message once and in order, while nginx is reloaded and the server restarted."""
    monkeypatch.setenv("NODE_PATH", str(CLIENTS / "browser/node_modules"))
    sent = []

    def write(count):
        for _ in range(count):
            sent.append(str(len(sent)))
            cleo.write(newcomer, sent[-1])

    with Follower(server, tmp_path, "node", HERE / "browser.js", nginx.site, newcomer.email, PASSWORD) as browser:

        def opened():
            return browser.output().count("opened")

        browser.until(lambda: opened() == 1)
        write(5)
        nginx.reload()
        write(5)
        browser.until(lambda: opened() >= 2)
        write(5)
        server.stop()
        server.start()
        write(5)
        browser.until(lambda: opened() >= 3)
        write(5)
        browser.until(lambda: f"message {sent[-1]}\n" in browser.output())
        assert re.findall("^message (.*)", browser.output(), re.MULTILINE) == sent
