"""The Python package: streams, subscriptions and topics."""

from people import ok


def names(subscriptions):
    return [s["name"] for s in subscriptions]


def test_add_and_remove_subscriptions(cleo, dario):
    name = "slipway"
    added = ok(cleo.add_subscriptions([{"name": name, "description": "Boats go down here."}]))
    assert added["subscribed"] == {cleo.email: [name]}
    assert ok(cleo.add_subscriptions([{"name": name}], principals=[dario.email]))["subscribed"] == {dario.email: [name]}
    assert ok(cleo.add_subscriptions([{"name": name}]))["already_subscribed"] == {cleo.email: [name]}
    [mine] = [s for s in ok(cleo.get_subscriptions())["subscriptions"] if s["name"] == name]
    assert mine["description"] == "Boats go down here."
    assert ok(cleo.list_subscriptions())["subscriptions"] == ok(cleo.get_subscriptions())["subscriptions"]
    assert ok(cleo.remove_subscriptions([name]))["removed"] == [name]
    assert name not in names(ok(cleo.get_subscriptions())["subscriptions"])
    assert ok(cleo.remove_subscriptions([name]))["not_removed"] == [name]


def test_remove_subscriptions_of_another(ada, dario, stream):
    assert ok(ada.remove_subscriptions([stream.name], principals=[dario.email]))["removed"] == [stream.name]
    assert stream.name not in names(ok(dario.get_subscriptions())["subscriptions"])


def test_get_subscribers(ada, cleo, dario, stream):
    assert sorted(ok(cleo.get_subscribers(stream=stream.name))["subscribers"]) == sorted([ada.email, cleo.email, dario.email])


def test_get_subscription_status(cleo, gus, stream):
    assert ok(cleo.get_subscription_status(cleo.id, stream.id))["is_subscribed"] is True
    assert ok(cleo.get_subscription_status(gus.id, stream.id))["is_subscribed"] is False


def test_get_streams(cleo, newcomer, stream):
    assert stream.name in names(ok(newcomer.get_streams())["streams"])
    assert stream.name not in names(ok(newcomer.get_streams(include_public=False))["streams"])
    assert stream.name in names(ok(cleo.get_streams(include_public=False))["streams"])
    assert ok(cleo.get_stream_id(stream.name))["stream_id"] == stream.id


def test_get_streams_all_active(ada, cleo):
    assert "board" in names(ok(ada.get_streams(include_all_active=True))["streams"])
    assert cleo.get_streams(include_all_active=True)["msg"] == "User not authorized for this query"


def test_update_stream(ada, cleo, stream):
    ok(ada.update_stream({"stream_id": stream.id, "description": '"New words."', "stream_post_policy": 2, "is_private": True}))
    [changed] = [s for s in ok(cleo.get_streams())["streams"] if s["stream_id"] == stream.id]
    assert (changed["description"], changed["stream_post_policy"], changed["invite_only"]) == ("New words.", 2, True)


def test_delete_stream(ada, cleo, stream):
    ok(ada.delete_stream(stream.id))
    assert stream.name not in names(ok(cleo.get_streams())["streams"])


def test_add_default_stream(ada, stream):
    ok(ada.add_default_stream(stream.id))
    defaults = ok(ada.get_streams(include_default=True))["streams"]
    assert [s["is_default"] for s in defaults if s["stream_id"] == stream.id] == [True]


def test_get_stream_topics(cleo, dario, stream):
    cleo.send(stream.name, "older", "text")
    last = cleo.send(stream.name, "newer", "text")
    topics = ok(dario.get_stream_topics(stream.id))["topics"]
    assert [t["name"] for t in topics] == ["newer", "older", "stream events"]
    assert topics[0]["max_id"] == last


def test_mute_topic(cleo, stream):
    def muted():
        return [m[:2] for m in ok(cleo.register(["muted_topics"]))["muted_topics"]]

    ok(cleo.mute_topic({"stream": stream.name, "topic": "noise", "op": "add"}))
    assert [stream.name, "noise"] in muted()
    ok(cleo.mute_topic({"stream": stream.name, "topic": "noise", "op": "remove"}))
    assert [stream.name, "noise"] not in muted()


def test_update_subscription_settings(cleo, stream):
    wanted = {"pin_to_top": True, "color": "#f00f00"}
    ok(cleo.update_subscription_settings([{"stream_id": stream.id, "property": p, "value": v} for p, v in wanted.items()]))
    [mine] = [s for s in ok(cleo.get_subscriptions())["subscriptions"] if s["stream_id"] == stream.id]
    assert {p: mine[p] for p in wanted} == wanted
