"""The Python package: queues of events, its loops over them, and its commands."""

import re

import pytest

from people import ok
from program import HERE, PYTHON, Follower, run


def test_register_and_get_events(cleo, newcomer):
    queue = ok(newcomer.register(["message"], fetch_event_types=["realm_user"]))
    assert newcomer.id in {u["user_id"] for u in queue["realm_users"]}
    sent = cleo.write(newcomer, "an event")
    [event] = ok(newcomer.get_events(queue_id=queue["queue_id"], last_event_id=queue["last_event_id"]))["events"]
    assert event["message"]["id"] == sent
    ok(newcomer.deregister(queue["queue_id"]))
    ended = newcomer.get_events(queue_id=queue["queue_id"], last_event_id=event["id"])
    assert ended["code"] == "BAD_EVENT_QUEUE_ID"


def test_narrow_of_queue(cleo, dario, stream):
    queue = ok(dario.register(["message"], narrow=[["stream", stream.name], ["topic", "wanted"]]))
    cleo.send(stream.name, "other", "unwanted")
    sent = cleo.send(stream.name, "wanted", "wanted")
    [event] = ok(dario.get_events(queue_id=queue["queue_id"], last_event_id=-1))["events"]
    assert event["message"]["id"] == sent


@pytest.fixture
def follower(server, newcomer, tmp_path):
    """A program that prints newcomer's messages."""
    with Follower(server, tmp_path, PYTHON / "python", HERE / "follow.py", newcomer.configuration(tmp_path)) as follower:
        yield follower


def test_call_on_each_message(cleo, newcomer, follower):
    for n in range(3):
        cleo.write(newcomer, f"hello {n}")
    follower.until(lambda: "message hello 2" in follower.output())
    assert re.findall("^message (.*)", follower.output(), re.MULTILINE) == ["hello 0", "hello 1", "hello 2"]


def test_lost_queue(cleo, newcomer, follower):
    """The loop registers again when its queue is gone."""
    follower.until(lambda: "queue" in follower.output())
    ok(newcomer.deregister(follower.output().split()[-1]))
    follower.until(lambda: follower.output().count("queue") == 2)
    cleo.write(newcomer, "still here?")
    follower.until(lambda: "message still here?" in follower.output())


def test_restarted_server(server, cleo, newcomer, follower):
    """The loop continues with its queue when the server comes back, and misses nothing."""
    cleo.write(newcomer, "before")
    follower.until(lambda: "message before" in follower.output())
    server.stop()
    server.start()
    cleo.write(newcomer, "after")
    follower.until(lambda: "message after" in follower.output())
    assert follower.output().count("queue") == 1


def test_zulip_send(cleo, dario, stream, tmp_path):
    send = [PYTHON / "zulip-send", "--config-file", cleo.configuration(tmp_path)]
    status, output = run(*send, "--stream", stream.name, "--subject", "command", "--message", "sent by a command")
    assert status == 0, output
    assert [m["content"] for m in dario.messages(stream=stream.name, topic="command")] == ["sent by a command"]
    status, output = run(*send, dario.email, "--message", "only for dario")
    assert status == 0, output
    assert dario.messages(**{"pm-with": cleo.email})[-1]["content"] == "only for dario"
    status, output = run(*send, "--stream", "nowhere", "--subject", "command", "--message", "lost")
    assert status == 1 and "Stream 'nowhere' does not exist" in output
