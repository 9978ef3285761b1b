"""The server that clients are tried against: the program of `make run`, with its own port and data."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[2]
CLIENTS = ROOT / ".local/clients"  # where hack/clients/run installs them


def until(check, what, seconds=30):
    """Calls check until its result is true, and returns that. Fails after the seconds, with what() or the text what."""
    deadline = time.monotonic() + seconds
    while not (result := check()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(0.05)
    return result


def free_port():
    """Returns a port of this machine that nobody listens at."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def answers(site):
    """Reports whether a server answers at an address."""
    try:
        with urllib.request.urlopen(site + "/api/v1/server_settings", timeout=5):
            return True
    except OSError:
        return False


class Server:
    """A server with the demo organization and nothing else in it. start() starts it, again after stop()."""

    def __init__(self):
        self.folder = CLIENTS / "server"
        self.log = self.folder / "log"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        port, admin = free_port(), free_port()
        self.site = f"http://localhost:{port}"
        self.environment = {
            "PATH": os.environ["PATH"],
            "CHAT_ADDR": f"127.0.0.1:{port}",
            "CHAT_LOCAL_DIR": str(self.folder),
            "LOG_LEVEL": "debug",
            "RATE_LIMIT_PER_USER": "100000/60s",
            "OUTGOING_WEBHOOK_NETWORKS": "127.0.0.0/8",
            "ADMIN_ADDR": f"127.0.0.1:{admin}",
            "ADMIN_URL": f"http://127.0.0.1:{admin}",
            "ADMIN_TOKEN": secrets.token_hex(),
        }

    def start(self):
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [ROOT / "bin/chatserver"], cwd=ROOT, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        until(self.serves, self.output, 100)
        self.demo = json.loads((self.folder / "demo.json").read_text())

    def stop(self):
        self.process.terminate()
        assert self.process.wait(30) == 0, self.output()

    def admin(self, *arguments):
        """Runs `chatserver admin`, and returns what it prints as JSON."""
        command = [ROOT / "bin/chatserver", "admin", *arguments, "-o", "json"]
        return json.loads(subprocess.run(command, env=self.environment, check=True, capture_output=True, timeout=30).stdout)

    def serves(self):
        assert self.process.poll() is None, self.output()
        return answers(self.site)

    def output(self):
        return self.log.read_text()

    def registrations(self):
        """Returns how many queues of events were registered."""
        return self.output().count('"route":"POST /api/v1/register"')

    def account(self, name):
        """Returns the demo organization's person or bot whose address begins with the name."""
        everybody = self.demo["accounts"] + self.demo["bots"]
        return next(a for a in everybody if a["email"].startswith(name))
