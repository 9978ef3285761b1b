"""Signing in by OpenID Connect, the whole way in a browser: a certified provider shows its pages to log in and to consent."""

import base64
import json
import re

import pytest
import requests

from people import ok
from provider import Browser
from server import until


@pytest.fixture
def browser(provider, server):
    return Browser(provider, server.site)


@pytest.fixture
def everybody(ada):
    """Lets everybody join while a test runs."""

    def required(value):
        ok(ada.call_endpoint("/realm", method="PATCH", request={"invite_required": json.dumps(value)}))

    required(False)
    yield
    required(True)


def refused(answer, status, text):
    assert (answer.status_code, "session" in answer.cookies) == (status, False), answer.text
    assert text in answer.text


def test_sign_up_and_out(server, everybody, browser):
    [way] = requests.get(server.site + "/api/v1/server_settings", timeout=15).json()["external_authentication_methods"]
    assert (way["display_name"], way["login_url"]) == ("Harbour office", "/accounts/login/social/idp_1")
    refused(browser.sign_in("wren"), 403, "Make an account")
    assert browser.me() is None
    welcome = browser.sign_in("wren", "register")
    assert "You are signed in as wren@harbour.example." in welcome.text
    me = browser.me()
    assert (me["full_name"], me["is_admin"], me["is_owner"]) == ("wren of the harbour", False, False)
    again = Browser(browser.provider, browser.site)
    again.sign_in("wren")
    assert again.me()["user_id"] == me["user_id"]

    sessions = browser.get(server.site + "/api/v1/sessions").json()["sessions"]
    [own] = [s for s in sessions if s["current"]]
    ok(browser.delete(f"{server.site}/api/v1/sessions/{own['id']}").json())
    until(lambda: browser.me() is None, "the session ends", 3)
    assert again.me()["user_id"] == me["user_id"]


def test_account_is_linked(server, ada, browser):
    password = "eleven gulls over the pier"
    ok(ada.create_user({"email": "linked@harbour.example", "full_name": "Linda Link", "password": password}))
    browser.sign_in("linked")
    me = browser.me()
    assert me["full_name"] == "Linda Link"
    # From now on she is who she is at the provider, also if her address here is another.
    ok(ada.deactivate_user_by_id(me["user_id"]))
    refused(Browser(browser.provider, browser.site).sign_in("linked"), 403, "Your account has been disabled.")


def test_groups_set_roles(ada, browser):
    ok(
        ada.create_user(
            {"email": "crane7@harbour.example", "full_name": "Crane Seven", "password": "the seventh crane over the harbour"}
        )
    )
    browser.sign_in("crane7")
    assert browser.me()["is_admin"] is True


def test_unverified_address(everybody, browser):
    refused(browser.sign_in("unverified-eve", "register"), 403, "hasn&#39;t verified")


def test_not_invited(browser):
    refused(browser.sign_in("stranger", "register"), 403, "You need an invitation")


def test_cancel(browser):
    refused(browser.get(browser.leave("ann", cancel=True)), 403, "You didn&#39;t sign in")


@pytest.fixture
def member(request, ada):
    """Somebody with an account that only this test knows, and with the same name at the provider."""
    name = request.node.name.replace("_", "-")
    ok(ada.create_user({"email": f"{name}@harbour.example", "full_name": name, "password": "a mole below the long pier"}))
    return name


def test_hostile(browser, member):
    back = browser.leave(member)
    eve = Browser(browser.provider, browser.site)
    refused(eve.get(back), 400, "You began in another browser")
    eve.leave("eve")
    refused(eve.get(back), 400, "You began in another browser")
    refused(browser.get(re.sub("state=[^&]*", "state=.wrong", back)), 400, "You began in another browser")

    # A code for another nonce, though everything else fits; and another journey's code.
    back = browser.leave(member)
    kept = browser.cookies["signin"]
    journey = json.loads(base64.urlsafe_b64decode(kept + "=" * (-len(kept) % 4)))
    journey["nonce"] = "another"
    forged = base64.urlsafe_b64encode(json.dumps(journey).encode()).decode().rstrip("=")
    refused(requests.get(back, cookies={"signin": forged}, timeout=15), 403, "didn&#39;t confirm")
    [stolen] = re.findall("code=[^&]*", back)
    refused(eve.get(re.sub("code=[^&]*", stolen, eve.leave("eve"))), 403, "didn&#39;t confirm")

    # A code counts once, also in the browser that restores what it has forgotten.
    back = browser.leave(member)
    kept = browser.cookies["signin"]
    assert "You are signed in as" in browser.get(back).text
    refused(requests.get(back, cookies={"signin": kept}, timeout=15), 403, "didn&#39;t confirm")


def test_provider_is_down(browser, member):
    back = browser.leave(member)
    browser.provider.stop()
    refused(browser.get(back), 502, "doesn&#39;t respond")
    browser.provider.start()
    browser.sign_in(member)
    assert browser.me()["full_name"] == member
