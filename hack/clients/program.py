"""Programs of the clients."""

import subprocess
from pathlib import Path

from people import Missing
from server import CLIENTS, until

PYTHON = CLIENTS / "python/bin"
HERE = Path(__file__).parent


class Follower:
    """A program that follows events until the end of a with statement, which begins when the program has registered a queue."""

    def __init__(self, server, folder, *command):
        self.server, self.command, self.folder, self.log = server, command, folder, folder / "output"

    def __enter__(self):
        registered = self.server.registrations()
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                self.command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
            )
        try:
            self.until(lambda: self.server.registrations() > registered)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(10)

    def output(self):
        return self.log.read_text()

    def until(self, check):
        """Waits until check returns what is true, and returns that. Fails when the program ends or misses an endpoint."""

        def checked():
            if "'code': 'NOT_FOUND'" in self.output():
                raise Missing(self.output())
            assert self.process.poll() is None, self.output()
            return check()

        return until(checked, self.output)


def run(*command):
    """Runs a program to its end, and returns its exit status and what it printed."""
    done = subprocess.run(
        command, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60
    )
    return done.returncode, done.stdout
