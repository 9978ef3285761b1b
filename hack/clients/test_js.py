"""The npm package zulip-js."""

import json

import pytest

from conftest import PASSWORD
from not_yet import NOT_YET
from people import ok
from program import HERE, Follower, run
from server import CLIENTS


@pytest.fixture(autouse=True)
def modules(monkeypatch):
    """Where Node.js looks for the package."""
    monkeypatch.setenv("NODE_PATH", str(CLIENTS / "js/node_modules"))


def test_functions(server, ada, newcomer, stream, monkeypatch, tmp_path):
    ok(ada.add_subscriptions([{"name": stream.name}], principals=[newcomer.id]))
    settings = {
        "site": server.site,
        "owner": server.account("ada"),
        "person": {"email": newcomer.email, "api_key": newcomer.api_key},
        "password": PASSWORD,
        "other": server.account("dario"),
        "stream": {"id": stream.id, "name": stream.name},
        "topic": "from JS",
        "folder": str(tmp_path),
        "notYet": sorted(NOT_YET),
    }
    monkeypatch.setenv("CLIENTS_TEST", json.dumps(settings))
    status, output = run("node", "--test", "--test-reporter=spec", HERE / "zulip_js.test.js")
    assert status == 0, output


def test_call_on_each_event(server, cleo, newcomer, tmp_path):
    with Follower(server, tmp_path, "node", HERE / "follow.js", newcomer.configuration(tmp_path)) as follower:
        cleo.write(newcomer, "hello **JS**")
        follower.until(lambda: "message hello **JS**" in follower.output())
