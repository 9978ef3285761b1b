"""The Python package: what an organization shares."""

import pytest

from people import PNG, file, ok
from server import until


def test_get_server_settings(cleo):
    settings = ok(cleo.get_server_settings())
    assert settings["zulip_feature_level"] == cleo.feature_level == 27
    assert settings["realm_name"] == "Harbour Works"


@pytest.mark.needs("POST /user_uploads")
def test_upload_file(cleo, dario, stream):
    uri = ok(cleo.upload_file(file("tides.txt", b"high at noon")))["uri"]
    assert uri.endswith("/tides.txt")
    sent = cleo.send(stream.name, "files", f"See [the tides]({uri}).")
    assert [m["id"] for m in dario.messages(stream=stream.name, has="attachment")] == [sent]
    dario.ensure_session()
    site = dario.base_url.removesuffix("/api/")
    assert dario.session.get(site + uri, timeout=15).content == b"high at noon"


@pytest.mark.needs("GET /attachments", "POST /user_uploads")
def test_get_attachments(cleo):
    uri = ok(cleo.upload_file(file("ebb.txt", b"low at six")))["uri"]
    [mine] = [a for a in ok(cleo.get_attachments())["attachments"] if uri.endswith(a["path_id"])]
    assert (mine["name"], mine["size"]) == ("ebb.txt", 10)


@pytest.mark.needs("POST /realm/emoji/{name}")
def test_custom_emoji(ada, cleo, dario, stream):
    def emoji():
        return [e["name"] for e in ok(cleo.get_realm_emoji())["emoji"].values() if not e["deactivated"]]

    ok(ada.upload_custom_emoji("our_crane", file("crane.png", PNG)))
    assert emoji() == ["our_crane"]
    sent = cleo.send(stream.name, "emoji", "Look: :our_crane:")
    ok(dario.add_reaction({"message_id": sent, "emoji_name": "our_crane"}))
    assert [r["reaction_type"] for r in cleo.message(sent)["reactions"]] == ["realm_emoji"]
    ok(ada.delete_custom_emoji("our_crane"))
    assert emoji() == []


def test_get_realm_emoji(cleo):
    assert isinstance(ok(cleo.get_realm_emoji())["emoji"], dict)


@pytest.mark.needs("POST /realm/filters")
def test_realm_filters(ada, cleo, dario, stream):
    made = ok(ada.add_realm_filter(r"#(?P<id>[0-9]+)", "https://bugs.harbour.example/%(id)s"))["id"]

    def rendered():
        sent = cleo.send(stream.name, "linkifiers", "See #42.")
        return ok(dario.get_messages({"anchor": sent, "num_before": 0, "num_after": 0}))["messages"][0]["content"]

    # Senders look up linkifiers again within 3 seconds.
    until(lambda: 'href="https://bugs.harbour.example/42"' in rendered(), rendered, 5)
    ok(ada.remove_realm_filter(made))
    refused = ada.remove_realm_filter(made)
    assert refused["msg"] == "Filter not found"


@pytest.mark.needs("POST /realm/profile_fields", "GET /realm/profile_fields")
def test_profile_fields(ada, cleo):
    def fields():
        return [f["name"] for f in ok(cleo.get_realm_profile_fields())["custom_fields"]]

    phone = ok(ada.create_realm_profile_field(name="Phone", hint="With the prefix", field_type=1))["id"]
    boat = ok(ada.create_realm_profile_field(name="Boat", hint="", field_type=1))["id"]
    assert fields() == ["Phone", "Boat"]
    ok(ada.reorder_realm_profile_fields(order=[boat, phone]))
    assert fields() == ["Boat", "Phone"]
    ok(ada.update_realm_profile_field(phone, name="Telephone"))
    assert fields() == ["Boat", "Telephone"]
    ok(ada.remove_realm_profile_field(phone))
    ok(ada.remove_realm_profile_field(boat))
    assert fields() == []


@pytest.mark.parametrize("call", [lambda c: c.get_realm_linkifiers(), lambda c: c.get_stream_email_address(1)])
def test_of_later_levels(cleo, call):
    """These functions call endpoints that level 27 doesn't have."""
    assert call(cleo)["code"] == "NOT_FOUND"
