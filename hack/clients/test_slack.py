"""Slack's own package, with the address of an incoming webhook in place of Slack's."""

import json

import pytest
from slack_sdk.models.blocks import DividerBlock, HeaderBlock, SectionBlock
from slack_sdk.webhook import WebhookClient

from people import ok


@pytest.fixture
def webhook(newcomer, stream):
    """Slack's client for a topic."""
    request = {"full_name": "Slack", "short_name": "slack", "bot_type": 2}
    key = ok(newcomer.call_endpoint("bots", method="POST", request=request))["api_key"]
    path = f"v1/external/slack_incoming?api_key={key}&stream={stream.name}&topic=reports"
    return WebhookClient(newcomer.base_url + path.replace(" ", "%20"))


def test_slack(newcomer, stream, webhook):
    """Text, blocks and attachments become messages. Programs that look at the answer take it for Slack's."""
    blocks = [HeaderBlock(text="Tides"), DividerBlock(), SectionBlock(text="_High_ at <https://tides.example|noon>")]
    for message in (
        {"text": "The *tide* is out."},
        {"text": "Tides", "blocks": blocks},
        {"attachments": [{"title": "Boats", "title_link": "https://boats.example", "text": "All are in."}]},
    ):
        answer = webhook.send(**message)
        assert answer.status_code == 200, answer.body
        assert json.loads(answer.body)["ok"] is True
    assert [m["content"] for m in newcomer.messages(stream=stream.name, topic="reports")] == [
        "The **tide** is out.",
        "**Tides**\n\n**High** at [noon](https://tides.example)",
        "[Boats](https://boats.example)\nAll are in.",
    ]
