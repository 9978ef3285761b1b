"""SCIM: what a conformance client, which isn't ours, finds at the server's end."""

import httpx2
import pytest
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server


@pytest.fixture
def scim(server):
    """A client with the token of an organization of its own."""
    server.admin("organization", "put", "cranes", "--subdomain", "cranes", "--name", "Cranes")
    token = server.admin("scim-token", "post", "cranes")["token"]
    headers = {
        "Authorization": f"Bearer {token}",
        "Host": server.site.removeprefix("http://").replace("localhost", "cranes.localhost"),
    }
    with httpx2.Client(base_url=server.site + "/scim/v2", headers=headers, timeout=15) as http:
        yield SyncSCIMClient(http)


# What the server doesn't offer, by the titles of the checks, and why.
LEFT_OUT = {
    "search_with_attributes": "it searches people and groups together, at /.search, which no provider is known to do",
}


def test_conformance(scim):
    results = check_server(scim)
    passed = (Status.SUCCESS, Status.COMPLIANT, Status.ACCEPTABLE)
    failed = {r.title: f"{r.status.name}: {r.reason}" for r in results if r.status not in passed}
    assert len(results) > 50
    assert failed.keys() == LEFT_OUT.keys(), failed
