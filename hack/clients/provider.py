"""The identity provider by which people sign in: a certified one, see hack/provider."""

import html
import json
import re
import shutil
import subprocess
from urllib.parse import urljoin

import requests

from server import CLIENTS, ROOT, free_port, until


class Provider:
    """An identity provider; the server's environment names it. start() starts it, again after stop()."""

    def __init__(self, server):
        self.back = server.site + "/accounts/complete/idp_1"
        self.port = free_port()
        self.issuer = f"http://127.0.0.1:{self.port}"
        self.log = server.folder / "provider.log"
        shutil.copy(ROOT / "hack/provider/provider.mjs", CLIENTS / "provider")
        about = {
            "issuer": self.issuer,
            "client_id": "chat",
            "client_secret": "hush",
            "display_name": "Harbour office",
            "scopes": ["email", "profile", "groups"],
            "groups_claim": "groups",
            "roles": {"cranes": "administrator"},
        }
        file = server.folder / "providers.json"
        file.write_text(json.dumps({"idp_1": about}))
        server.environment["IDENTITY_PROVIDERS_FILE"] = str(file)

    def start(self):
        command = ["node", CLIENTS / "provider/provider.mjs", str(self.port), self.back]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        until(lambda: self.issuer in self.log.read_text(), self.log.read_text)

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


class Browser(requests.Session):
    """A browser at the site of an organization."""

    def __init__(self, provider, site):
        super().__init__()
        self.provider, self.site = provider, site
        self.headers["Sec-Fetch-Site"] = "same-origin"

    def leave(self, name, page="login", cancel=False):
        """Begins to sign in, as somebody at the provider, and returns the address to which that leads back."""
        answer = self.get(f"{self.site}/accounts/{page}/social/idp_1", allow_redirects=False)
        for _ in range(20):
            text = answer.text
            if answer.is_redirect:
                to = urljoin(answer.url, answer.headers["location"])
                if to.startswith(self.provider.back):
                    return to
                answer = self.get(to, allow_redirects=False)
                continue
            assert answer.status_code == 200, text
            if cancel:
                [action] = re.findall(r'href="([^"]+/abort)"', text)
                answer = self.get(html.unescape(action), allow_redirects=False)
                continue
            [action] = re.findall(r'<form[^>]* action="([^"]+)"', text)
            fields = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', text))
            if fields["prompt"] == "login":
                fields |= {"login": name, "password": "any"}
            answer = self.post(html.unescape(action), fields, allow_redirects=False)
        raise AssertionError(f"{answer.url} leads nowhere: {answer.text}")

    def sign_in(self, name, page="login"):
        """Goes the whole way, and returns the last page."""
        return self.get(self.leave(name, page))

    def me(self):
        """Returns the account as which the browser is signed in; None if it isn't."""
        answer = self.get(self.site + "/api/v1/users/me").json()
        return answer if answer["result"] == "success" else None
