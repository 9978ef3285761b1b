"""The terminal client zulip-term, as its screen shows it."""

import os

import pytest

from conftest import PASSWORD
from people import PNG, file, ok
from server import CLIENTS, until
from terminal import Terminal


@pytest.mark.parametrize("version", ["0.6.0", "0.7.0"])
def test_zulip_term(server, ada, dario, newcomer, stream, version, tmp_path, monkeypatch):
    name = f"dock {version}"
    ok(ada.update_stream({"stream_id": stream.id, "new_name": f'"{name}"'}))
    ok(ada.add_subscriptions([{"name": name}], principals=[newcomer.id]))
    ok(newcomer.mark_all_as_read())  # what was sent before they came
    first = dario.send(name, "boats", "Is anybody there?")
    assert "read" not in newcomer.message(first)["flags"]

    def flags(message):
        return newcomer.message(message)["flags"]

    opened = tmp_path / "opened.png"
    desktop = tmp_path / "bin/xdg-open"
    desktop.parent.mkdir()
    desktop.write_text(f'#!/bin/sh\nmv "$1" {opened}\n')
    desktop.chmod(0o755)
    monkeypatch.setenv("PATH", f"{desktop.parent}:{os.environ['PATH']}")

    program = CLIENTS / f"zulip-term-{version}/bin/zulip-term"
    with Terminal(tmp_path, program, "--config-file", tmp_path / "zuliprc", "--no-autohide", "--color-depth", "1") as term:
        # Signing in.
        term.shows("Zulip URL:")
        term.type(server.site + "\n")
        term.shows("Email")
        term.type(newcomer.email + "\n")
        term.shows("Password:")
        term.type(PASSWORD + "\n")

        # Streams and people. What the program's threads print as it starts may be over them.
        term.shows(f"# {name} ", "# announcements", "Dario Fuchs", "(you)", press="C-l")

        # Reading: the next unread topic, unless the program started with it.
        term.shows("Is anybody there?", "boats")
        term.press("n")
        until(lambda: "read" in flags(first), "the first message is read")

        # The whole topic is shown before the next message: one that comes while a topic is read would stand above it.
        term.press("S")
        term.shows(f"{name}: topic narrow", "Is anybody there?")

        # Receiving, and the next unread topic.
        second = dario.send(name, "boats", "Here is another one.")
        term.shows("Here is another one.")
        term.press("n")

        # Reacting, and a star.
        term.press("G")
        until(lambda: "read" in flags(second), term.screen)
        term.press("+")
        until(lambda: [r["emoji_name"] for r in newcomer.message(second)["reactions"]] == ["thumbs_up"], term.screen)
        term.shows(":thumbs_up:")
        term.press("*")
        until(lambda: "starred" in flags(second), term.screen)

        # Searching, and back to the topic.
        term.press("/")
        term.type("another\n")
        term.hides("Is anybody there?")
        term.shows("Here is another one.")
        term.press("S")
        term.shows("Is anybody there?", "Here is another one.")

        # Sending an answer.
        term.press("r")
        term.type("An answer from the terminal.")
        term.shows("An answer from the terminal.")
        term.press("C-d")
        sent = until(lambda: [m for m in dario.messages(stream=name) if m["sender_id"] == newcomer.id], term.screen)
        assert [(m["subject"], m["content"]) for m in sent] == [("boats", "An answer from the terminal.")]
        term.shows("An answer from the terminal.")

        # A picture: its name, and below the message where it is.
        uri = ok(dario.upload_file(file("crane.png", PNG)))["uri"]
        dario.send(name, "boats", f"Look: [crane.png]({uri})")
        term.shows("Look: crane.png", uri)

        # 0.7.0 downloads it by the link in the message's information, and opens it with the desktop's program.
        if version != "0.6.0":
            term.press("Escape")  # the box for the answer
            term.hides("▶ boats")
            term.press("G", "i")
            term.shows("Message Links")
            term.press("Enter")
            term.shows("has been downloaded", "xdg-open")
            term.press("Enter")
            until(opened.exists, term.screen)
            assert opened.read_bytes() == PNG

        # Leaving.
        term.press("C-c")
        until(term.ended, term.screen)
