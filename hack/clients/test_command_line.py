"""The command line zulipcli."""

import pytest

from program import PYTHON, run


@pytest.fixture
def command(cleo, tmp_path):
    """A function that runs a command under cleo's account, and returns what it prints."""
    account = cleo.configuration(tmp_path)

    def call(*words):
        status, printed = run("env", f"HOME={tmp_path}", PYTHON / "zulipcli", "--zuliprc", account, *words)
        assert status == 0, printed
        return printed

    return call


def test_commands(command, cleo, dario, stream):
    """Messages are sent, found and read, and streams are listed."""
    command("send", "--stream", stream.name, "--topic", "tides", "High at **noon**")
    dario.send(stream.name, "tides", "Low at six")
    assert f"{stream.name}\n" in command("streams")
    printed = command("search", "noon", "--stream", stream.name)
    assert f"{cleo.full_name}\t#{stream.name}>tides" in printed
    assert "High at **noon**" in printed
    assert "Low at six" in command("read", stream.name)
