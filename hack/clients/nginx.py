"""nginx in front of a server, as the documentation configures it."""

import getpass
import re
import shutil
import signal

from program import Program
from server import ROOT, answers, free_port

MAIN = """
daemon off;
user {user};
worker_processes 1;
worker_shutdown_timeout 1s;
pid {folder}/nginx.pid;
error_log stderr;
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


class Nginx(Program):
    """A proxy in front of a server. It is ready when the server answers behind it."""

    def __init__(self, server, folder):
        port, file = free_port(), folder / "nginx.conf"
        self.site = f"http://localhost:{port}"
        site = documented(port, server.environment["CHAT_ADDR"])
        file.write_text(MAIN.format(user=getpass.getuser(), folder=folder, site=site))
        super().__init__(folder, shutil.which("nginx") or "/usr/sbin/nginx", "-c", file, "-e", "stderr")

    def ready(self):
        return answers(self.site)

    def reload(self):
        """Has new workers replace those that are there, which end their connections a second later."""
        self.process.send_signal(signal.SIGHUP)
