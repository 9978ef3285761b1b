"""Fixtures: a server for all tests, the people of its demo organization, and places of their own for each test."""

import re
from typing import NamedTuple

import pytest

from not_yet import NOT_YET
from people import Missing, Person, ok, sign_in
from provider import Provider
from server import Server


def pytest_configure(config):
    config.addinivalue_line("markers", "needs(*endpoints): fails as long as one of them is in NOT_YET")


def pytest_collection_modifyitems(items):
    for item in items:
        for mark in item.iter_markers("needs"):
            missing = NOT_YET.intersection(mark.args)
            if missing:
                item.add_marker(pytest.mark.xfail(raises=Missing, reason=", ".join(sorted(missing))))


@pytest.fixture(scope="session")
def server():
    s = Server()
    s.provider = Provider(s)
    s.start()
    yield s
    s.stop()


@pytest.fixture
def provider(server):
    """The identity provider in the slot idp_1, which serves."""
    server.provider.start()
    yield server.provider
    server.provider.stop()


def person(name):
    """Returns the fixture of a person or bot of the demo organization."""

    @pytest.fixture(scope="session", name=name)
    def fixture(server):
        return Person(server.site, server.account(name))

    return fixture


ada, ben, cleo, dario, gus, helper = (person(name) for name in ("ada", "ben", "cleo", "dario", "gus", "helper"))


class Stream(NamedTuple):
    id: int
    name: str


@pytest.fixture
def stream(request, ada, cleo, dario):
    """A public stream that ada made, with her, cleo and dario in it."""
    name = re.sub(r"\W+", " ", request.node.name).removeprefix("test_").strip().replace("_", " ")
    principals = [ada.id, cleo.id, dario.id]
    ok(ada.add_subscriptions([{"name": name}], principals=principals))
    return Stream(ok(ada.get_stream_id(name))["stream_id"], name)


PASSWORD = "seven cranes over the harbour"


@pytest.fixture
def newcomer(request, server, ada):
    """A member of the organization that only this test knows, who signed in with PASSWORD."""
    local = re.sub(r"\W+", "-", request.node.name)
    email = f"{local}@harbour.example"
    ok(ada.create_user({"email": email, "full_name": local, "password": PASSWORD}))
    return sign_in(server.site, email, PASSWORD)
