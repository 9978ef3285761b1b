"""Bots of the package zulip_bots, started with its own command: spoken to, they answer."""

import re

import pytest

from people import ok
from program import PYTHON, Follower


@pytest.fixture
def bot(request, server, helper, tmp_path):
    """The bot that the test is named after, under helper's account."""
    name = request.node.name.removeprefix("test_")
    with Follower(
        server, tmp_path, PYTHON / "zulip-run-bot", name, "--config-file", helper.configuration(tmp_path)
    ) as follower:
        yield follower


@pytest.fixture
def say(ada, helper, newcomer, stream):
    """A function that mentions the bot in a topic, and one that returns what the bot has written there."""
    ok(ada.add_subscriptions([{"name": stream.name}], principals=[newcomer.id, helper.id]))
    topic = "robots"

    def said():
        return [m["content"] for m in newcomer.messages(stream=stream.name, topic=topic) if m["sender_id"] == helper.id]

    return lambda words: newcomer.send(stream.name, topic, f"@**{helper.full_name}** {words}"), said


def ask(person, helper, bot, question):
    """Writes to the bot, and returns its answer."""
    sent = person.write(helper, question)

    def answers():
        return [m["content"] for m in person.messages(**{"pm-with": helper.email}) if m["id"] > sent]

    return bot.until(answers)[0]


def test_helloworld(newcomer, helper, say, bot):
    assert ask(newcomer, helper, bot, "hello?") == "beep boop"
    mention, said = say
    sent = mention("hello?")
    bot.until(lambda: said() == ["beep boop"])
    bot.until(lambda: [r["emoji_name"] for r in newcomer.message(sent)["reactions"]] == ["wave"])


@pytest.mark.needs("PUT /bot_storage")
def test_incrementor(newcomer, helper, bot):
    """It edits its first answer."""
    assert ask(newcomer, helper, bot, "go") == "1"
    newcomer.write(helper, "go on")
    bot.until(lambda: newcomer.messages(**{"pm-with": helper.email})[1]["content"] == "2")


@pytest.mark.needs("PUT /bot_storage")
def test_virtual_fs(newcomer, helper, bot):
    for command, answer in {
        "mkdir home": "directory created",
        "write /home/tide high at noon": "file written",
        "read /home/tide": "high at noon",
        "ls /": "* /home/",
    }.items():
        assert ask(newcomer, helper, bot, command) == f"{newcomer.email}:\n{answer}"


@pytest.mark.needs("PUT /bot_storage")
def test_tictactoe(helper, say, bot):
    """A game against the bot, which answers a move with one of its own."""
    mention, said = say
    mention(f"start game with @**{helper.full_name}**")
    bot.until(lambda: ":one: :two: :three:" in "".join(said()))
    mention("1")
    bot.until(lambda: re.search(r":x:.*:o:", "".join(said()), re.S))
