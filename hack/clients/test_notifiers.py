"""The package notifiers, as programs of other projects use it for their reports."""

import pytest
from notifiers import get_notifier


@pytest.fixture
def notify(server, cleo):
    """A function that sends a report under cleo's account, and returns the package's response."""

    def call(**report):
        return get_notifier("zulip").notify(server=server.site, email=cleo.email, api_key=cleo.api_key, **report)

    return call


def test_notifiers(notify, cleo, dario, stream):
    sent = notify(message="The **crane** stopped.", to=stream.name, subject="alarms")
    assert sent.ok, sent.errors
    [message] = cleo.messages(stream=stream.name, topic="alarms")
    assert message["content"] == "The **crane** stopped."
    assert notify(message="Only for you", type_="private", to=dario.email).ok
    assert dario.messages(**{"pm-with": cleo.email})[-1]["content"] == "Only for you"


def test_notifiers_refused(notify):
    refused = notify(message="To nobody", to="no such stream", subject="alarms")
    assert refused.errors == ["Stream 'no such stream' does not exist"]
