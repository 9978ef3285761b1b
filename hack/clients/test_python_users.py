"""The Python package: people, their presence and settings."""

import pytest

from people import ok, sign_in
from server import until


def test_get_profile(cleo):
    profile = ok(cleo.get_profile())
    assert (profile["email"], profile["full_name"], profile["is_bot"]) == (cleo.email, "Cleo Marin", False)


def test_get_users(cleo, helper):
    everybody = ok(cleo.get_users())["members"]
    assert {cleo.id, helper.id} <= {u["user_id"] for u in everybody}
    assert ok(cleo.get_members())["members"] == everybody
    avatars = ok(cleo.get_users({"client_gravatar": True, "include_custom_profile_fields": True}))["members"]
    assert [u["user_id"] for u in avatars] == [u["user_id"] for u in everybody]
    assert ok(cleo.get_user_by_id(helper.id))["user"]["is_bot"] is True


def test_create_user(server, ada, cleo):
    email, password = "new@harbour.example", "the newest crane of them all"
    ok(ada.create_user({"email": email, "full_name": "New Person", "password": password}))
    [created] = [u for u in ok(cleo.get_users())["members"] if u["email"] == email]
    assert created["full_name"] == "New Person"
    assert sign_in(server.site, email, password).id == created["user_id"]
    refused = cleo.create_user({"email": "other@harbour.example", "full_name": "Other", "password": password})
    assert refused["msg"] == "Must be an organization administrator"


def test_deactivate_and_reactivate_user(ada, cleo, newcomer):
    def active():
        return ok(cleo.get_user_by_id(newcomer.id))["user"]["is_active"]

    ok(ada.deactivate_user_by_id(newcomer.id))
    assert not active()
    until(lambda: newcomer.get_profile()["result"] == "error", "the account is shut out", 3)
    ok(ada.reactivate_user_by_id(newcomer.id))
    assert active()


def test_update_user(ada, cleo, newcomer):
    ok(ada.update_user_by_id(newcomer.id, full_name="Another Name", role=600))
    changed = ok(cleo.get_user_by_id(newcomer.id))["user"]
    assert (changed["full_name"], changed["is_guest"]) == ("Another Name", True)


def test_presence(cleo, newcomer):
    present = ok(newcomer.update_presence({"status": "active", "ping_only": False, "new_user_input": True}))
    assert newcomer.email in present["presences"]
    assert ok(cleo.get_user_presence(newcomer.email))["presence"]["aggregated"]["status"] == "active"
    assert newcomer.email in ok(cleo.get_realm_presence())["presences"]


def test_update_notification_settings(newcomer):
    wanted = {"enable_offline_push_notifications": False, "enable_online_push_notifications": False}
    assert wanted.items() <= ok(newcomer.update_notification_settings(wanted)).items()
    assert wanted.items() <= ok(newcomer.register(["update_global_notifications"])).items()


def test_alert_words(cleo, newcomer):
    assert set(ok(newcomer.add_alert_words(["anchor", "buoy"]))["alert_words"]) == {"anchor", "buoy"}
    assert set(ok(newcomer.get_alert_words())["alert_words"]) == {"anchor", "buoy"}
    # Senders look up words again within 3 seconds.
    until(lambda: "has_alert_word" in newcomer.message(cleo.write(newcomer, "Drop the anchor!"))["flags"], "a flag", 5)
    assert ok(newcomer.remove_alert_words(["anchor"]))["alert_words"] == ["buoy"]


@pytest.mark.needs("POST /user_groups/create", "GET /user_groups")
def test_user_groups(ada, cleo, dario):
    def group(name):
        found = [g for g in ok(cleo.get_user_groups())["user_groups"] if g["name"] == name]
        return found[0] if found else None

    ok(ada.create_user_group({"name": "riggers", "description": "Ropes.", "members": [cleo.id]}))
    made = group("riggers")
    assert (made["description"], made["members"]) == ("Ropes.", [cleo.id])
    ok(ada.update_user_group({"group_id": made["id"], "name": "rigging", "description": "All ropes."}))
    assert group("rigging")["description"] == "All ropes."
    ok(ada.update_user_group_members(made["id"], {"add": [dario.id], "delete": [cleo.id]}))
    assert group("rigging")["members"] == [dario.id]
    sent = cleo.write(dario, "Dear @*rigging*!")
    assert "mentioned" in dario.message(sent)["flags"]
    ok(ada.remove_user_group(made["id"]))
    assert group("rigging") is None


@pytest.mark.needs("PUT /bot_storage")
def test_storage(helper):
    ok(helper.update_storage({"storage": {"entry 1": "value 1", "entry 2": "value 2"}}))
    assert ok(helper.get_storage({"keys": ["entry 1"]}))["storage"] == {"entry 1": "value 1"}
    assert ok(helper.get_storage())["storage"]["entry 2"] == "value 2"


def test_wrong_key(server, cleo):
    stranger = type(cleo)(server.site, {"email": cleo.email, "api_key": "X" * 32, "user_id": 0, "full_name": ""})
    assert stranger.get_profile()["msg"] == "Invalid API key"
