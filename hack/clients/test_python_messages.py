"""The Python package: messages, their flags and reactions, and what was read."""

import pytest

from people import ok


def test_send_message(cleo, dario, stream):
    sent = ok(cleo.send_message({"type": "stream", "to": stream.name, "topic": "tide", "content": "The **tide** turns."}))
    narrow = [{"operator": "stream", "operand": stream.name}]
    found = ok(dario.get_messages({"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": narrow}))["messages"]
    [message] = found
    assert message["id"] == sent["id"]
    assert message["sender_id"] == cleo.id
    assert message["subject"] == "tide"
    assert message["content"] == "<p>The <strong>tide</strong> turns.</p>"


@pytest.mark.parametrize("to", ["email", "id"])
def test_send_private_message(cleo, newcomer, to):
    content = f"Only for you, by {to}."
    recipient = newcomer.email if to == "email" else newcomer.id
    sent = ok(cleo.send_message({"type": "private", "to": [recipient], "content": content}))["id"]
    message = newcomer.message(sent)
    assert message["content"] == content
    assert {p["id"] for p in message["display_recipient"]} == {cleo.id, newcomer.id}


def test_get_messages(cleo, dario, stream):
    sent = [cleo.send(stream.name, "count", f"number {n}") for n in range(5)]
    narrow = [["stream", stream.name], ["topic", "count"]]
    page = ok(dario.get_messages({"anchor": sent[2], "num_before": 1, "num_after": 1, "narrow": narrow}))
    assert [m["id"] for m in page["messages"]] == sent[1:4]
    assert page["found_anchor"] and not page["found_oldest"]
    assert [m["id"] for m in dario.messages(search="number", stream=stream.name)] == sent


def test_get_raw_message(cleo, stream):
    sent = cleo.send(stream.name, "raw", "some *raw* text")
    assert ok(cleo.get_raw_message(sent))["raw_content"] == "some *raw* text"


def test_check_messages_match_narrow(cleo, stream):
    link, plain = cleo.send(stream.name, "links", "https://harbour.example/"), cleo.send(stream.name, "links", "none")
    matching = ok(cleo.check_messages_match_narrow(msg_ids=[link, plain], narrow=[{"operator": "has", "operand": "link"}]))
    assert list(matching["messages"]) == [str(link)]


def test_update_message(cleo, dario, stream):
    sent = cleo.send(stream.name, "before", "first words")
    ok(cleo.update_message({"message_id": sent, "content": "second words", "topic": "after"}))
    message = dario.message(sent)
    assert (message["content"], message["subject"]) == ("second words", "after")
    history = ok(dario.get_message_history(sent))["message_history"]
    assert [h["content"] for h in history] == ["first words", "second words"]


def test_update_message_of_another(cleo, dario, stream):
    sent = cleo.send(stream.name, "mine", "my words")
    refused = dario.update_message({"message_id": sent, "content": "your words"})
    assert (refused["code"], refused["msg"]) == ("BAD_REQUEST", "You don't have permission to edit this message")
    assert dario.message(sent)["content"] == "my words"


def test_move_topic(ada, dario, stream):
    ok(ada.add_subscriptions([{"name": stream.name + " two"}], principals=[dario.id]))
    sent = [ada.send(stream.name, "here", f"{n}") for n in range(2)]
    ok(ada.move_topic(stream.name, stream.name + " two", "here", "there", notify_old_topic=False, notify_new_topic=False))
    assert [m["id"] for m in dario.messages(stream=stream.name + " two", topic="there")] == sent


def test_delete_message(ada, dario, stream):
    sent = ada.send(stream.name, "gone", "soon gone")
    ok(ada.delete_message(sent))
    assert dario.messages(stream=stream.name, topic="gone") == []


def test_render_message(cleo):
    assert ok(cleo.render_message({"content": "**foo**"}))["rendered"] == "<p><strong>foo</strong></p>"


def test_reactions(cleo, dario, stream):
    sent = cleo.send(stream.name, "reactions", "well?")
    ok(dario.add_reaction({"message_id": sent, "emoji_name": "octopus"}))
    [reaction] = cleo.message(sent)["reactions"]
    assert (reaction["emoji_name"], reaction["emoji_code"], reaction["user_id"]) == ("octopus", "1f419", dario.id)
    ok(dario.remove_reaction({"message_id": sent, "emoji_name": "octopus"}))
    assert cleo.message(sent)["reactions"] == []


def test_update_message_flags(cleo, dario, stream):
    sent = cleo.send(stream.name, "flags", "a star")
    ok(dario.update_message_flags({"op": "add", "flag": "starred", "messages": [sent]}))
    assert "starred" in dario.message(sent)["flags"]
    ok(dario.update_message_flags({"op": "remove", "flag": "starred", "messages": [sent]}))
    assert "starred" not in dario.message(sent)["flags"]


def test_mark_as_read(cleo, dario, stream):
    first, second, third = (cleo.send(stream.name, topic, "unread") for topic in ("one", "two", "two"))

    def read():
        return [m for m in (first, second, third) if "read" in dario.message(m)["flags"]]

    assert read() == []
    ok(dario.mark_topic_as_read(stream.id, "one"))
    assert read() == [first]
    ok(dario.mark_stream_as_read(stream.id))
    assert read() == [first, second, third]
    last = cleo.send(stream.name, "one", "unread")
    ok(dario.mark_all_as_read())
    assert "read" in dario.message(last)["flags"]


def test_set_typing_status(server, cleo, newcomer):
    queue = ok(newcomer.register(["typing"]))
    ok(cleo.set_typing_status({"op": "start", "to": [newcomer.id]}))
    [event] = ok(newcomer.get_events(queue_id=queue["queue_id"], last_event_id=queue["last_event_id"]))["events"]
    assert (event["op"], event["sender"]["user_id"]) == ("start", cleo.id)


def test_nonexistent_stream(cleo):
    refused = cleo.send_message({"type": "stream", "to": "nowhere", "topic": "t", "content": "c"})
    assert (refused["code"], refused["stream"]) == ("STREAM_DOES_NOT_EXIST", "nowhere")
