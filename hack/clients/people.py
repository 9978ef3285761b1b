"""People of the organization, as the Python package sees them."""

import io

import requests
import zulip

# A picture of one pixel.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc0000003010100"
    "18dd8db00000000049454e44ae426082"
)


class Missing(Exception):
    """The server has no such endpoint."""


def ok(answer):
    """Returns an answer that has to be a success."""
    if answer.get("code") in ("NOT_FOUND", "METHOD_NOT_ALLOWED"):
        raise Missing(answer)
    assert answer["result"] == "success", answer
    return answer


def file(name, content):
    """Returns a file as the package uploads it."""
    f = io.BytesIO(content)
    f.name = name
    return f


def sign_in(site, email, password):
    """Returns a client of the account, with a key of its own."""
    fetched = requests.post(f"{site}/api/v1/fetch_api_key", {"username": email, "password": password}, timeout=15).json()
    account = {"email": email, "api_key": ok(fetched)["api_key"], "user_id": None, "full_name": None}
    person = Person(site, account)
    profile = ok(person.get_profile())
    person.id, person.full_name = profile["user_id"], profile["full_name"]
    return person


class Person(zulip.Client):
    """A client of one account."""

    def __init__(self, site, account):
        super().__init__(email=account["email"], api_key=account["api_key"], site=site)
        self.id = account["user_id"]
        self.full_name = account["full_name"]

    def send(self, stream, topic, content):
        """Sends a message to a topic and returns its id."""
        return ok(self.send_message({"type": "stream", "to": stream, "topic": topic, "content": content}))["id"]

    def write(self, to, content):
        """Sends a private message and returns its id."""
        return ok(self.send_message({"type": "private", "to": [to.id], "content": content}))["id"]

    def messages(self, **narrow):
        """Returns the newest messages of a narrow, as they were written, oldest first."""
        return ok(
            self.get_messages(
                {
                    "anchor": "newest",
                    "num_before": 100,
                    "num_after": 0,
                    "apply_markdown": False,
                    "narrow": [{"operator": k, "operand": v} for k, v in narrow.items()],
                }
            )
        )["messages"]

    def message(self, message):
        """Returns a message with its flags, as it was written."""
        [found] = self.messages(id=str(message))
        return found

    def configuration(self, folder):
        """Writes a file with the account's address and key, as every client reads it, and returns its path."""
        path = folder / "zuliprc"
        site = self.base_url.removesuffix("/api/")
        path.write_text(f"[api]\nemail={self.email}\nkey={self.api_key}\nsite={site}\n")
        path.chmod(0o600)
        return path
