"""nginx in front of a server, as the documentation configures it."""

import getpass
import re
import shutil
import signal
import subprocess
import urllib.request

from server import ROOT, free_port, until

MAIN = """
daemon off;
user {user};
worker_processes 1;
worker_shutdown_timeout 1s;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {site}
}}
"""


def documented(port, upstream):
    """Returns the configuration in docs/operation.md, without TLS, for a port of this machine and a server's address."""
    [text] = re.findall("```nginx\n(.*?)```", (ROOT / "docs/operation.md").read_text(), re.DOTALL)
    text = re.sub(r" *ssl_.*\n", "", text)
    for documented, here in (
        ("listen 443 ssl http2;", f"listen 127.0.0.1:{port};"),
        ("server 127.0.0.1:8080;", f"server {upstream};"),
    ):
        assert text.count(documented) == 1, text
        text = text.replace(documented, here)
    return text


class Nginx:
    """A proxy in front of a server until the end of a with statement."""

    def __init__(self, server, folder):
        port = free_port()
        self.site = f"http://localhost:{port}"
        self.log = folder / "nginx.log"
        self.file = folder / "nginx.conf"
        site = documented(port, server.environment["CHAT_ADDR"])
        self.file.write_text(MAIN.format(user=getpass.getuser(), folder=folder, site=site))

    def __enter__(self):
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        self.process = subprocess.Popen([program, "-c", self.file, "-e", self.log], stdin=subprocess.DEVNULL)
        try:
            until(self.serves, self.log.read_text)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(10)

    def reload(self):
        """Has new workers replace those that are there, which end their connections a second later."""
        self.process.send_signal(signal.SIGHUP)

    def serves(self):
        assert self.process.poll() is None, self.log.read_text()
        try:
            with urllib.request.urlopen(self.site + "/api/v1/server_settings", timeout=5):
                return True
        except OSError:
            return False
