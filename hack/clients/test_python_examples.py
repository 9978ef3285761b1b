"""The example programs that the Python package comes with: each call of one is a command line of its own."""

from importlib import resources

import pytest

from people import ok
from program import PYTHON, run


@pytest.fixture
def example(cleo, tmp_path):
    """A function that runs an example under cleo's account, and returns what it prints."""
    folder, account = resources.files("zulip") / "examples", cleo.configuration(tmp_path)

    def call(name, *arguments):
        status, printed = run(PYTHON / "python", folder / name, "--config-file", account, *map(str, arguments))
        assert status == 0, printed
        assert "'result': 'error'" not in printed, printed
        return printed

    return call


def test_examples_of_messages(example, cleo, stream):
    example("send-message", stream.name, "--type", "stream", "--subject", "tide", "--message", "High at noon")
    [sent] = cleo.messages(stream=stream.name, topic="tide")
    assert sent["content"] == "High at noon"
    example("edit-message", "--message-id", sent["id"], "--content", "Low at noon")
    assert cleo.message(sent["id"])["content"] == "Low at noon"
    assert "Low at noon" in example("get-raw-message", sent["id"])
    assert "'prev_content': 'High at noon'" in example("message-history", sent["id"])
    example("update-message-flags", "add", "starred", sent["id"])
    assert "starred" in cleo.message(sent["id"])["flags"]
    assert "'name': 'tide'" in example("get-stream-topics", "--stream-id", stream.id)


def test_examples_of_lists(example, cleo, dario, stream):
    assert stream.name in example("get-public-streams")
    assert stream.name in example("get-subscriptions")
    assert dario.email in example("list-users")
    assert "'emoji':" in example("realm-emoji")
    ok(dario.update_presence({"status": "active", "ping_only": True}))
    assert "'aggregated':" in example("get-user-presence", "--email", dario.email)
    # They split names at blanks.
    assert f"'{cleo.email}': ['dinghies']" in example("subscribe", "--streams", "dinghies")
    assert "'removed': ['dinghies']" in example("unsubscribe", "--streams", "dinghies")
