"""zulip-botserver, which serves bots of the package zulip_bots to outgoing webhooks."""

import socket

import pytest

from people import ok
from program import PYTHON, Program
from server import free_port


class Botserver(Program):
    """The server for one bot, at a port. It is ready when it listens there."""

    def __init__(self, folder, port):
        super().__init__(folder, PYTHON / "zulip-botserver", "--config-file", folder / "botserverrc", "--port", str(port))
        self.port = port

    def ready(self):
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", self.port)) == 0


@pytest.fixture
def bot(newcomer, tmp_path):
    """The address of a bot of newcomer's with an outgoing webhook to a server with the bot helloworld."""
    port = free_port()
    request = {
        "full_name": "Outgoing",
        "short_name": "outgoing",
        "bot_type": 3,
        "service_name": "helloworld",
        "payload_url": f'"http://127.0.0.1:{port}"',
        "interface_type": 1,
    }
    key = ok(newcomer.call_endpoint("bots", method="POST", request=request))["api_key"]
    [made] = ok(newcomer.register(event_types=["realm_bot"]))["realm_bots"]
    site = newcomer.base_url.removesuffix("/api/")
    (tmp_path / "botserverrc").write_text(
        f"[helloworld]\nemail={made['email']}\nkey={key}\nsite={site}\ntoken={made['services'][0]['token']}\n"
    )
    with Botserver(tmp_path, port) as program:
        program.email = made["email"]
        yield program


def test_botserver(newcomer, stream, bot):
    """It answers where it is written to, and where it is mentioned."""
    ok(newcomer.send_message({"type": "private", "to": [bot.email], "content": "hello?"}))
    bot.until(lambda: newcomer.messages(**{"pm-with": bot.email})[-1]["content"] == "beep boop")
    newcomer.send(stream.name, "robots", "@**Outgoing** hello?")
    bot.until(lambda: newcomer.messages(stream=stream.name, topic="robots")[-1]["content"] == "beep boop")
