"""Programs of the clients."""

import subprocess
from pathlib import Path

from people import Missing
from server import CLIENTS, until

PYTHON = CLIENTS / "python/bin"
HERE = Path(__file__).parent


class Program:
    """A program that runs until the end of a with statement, which begins when it is ready."""

    def __init__(self, folder, *command):
        self.folder, self.command = folder, command
        self.log = folder / (Path(command[0]).name + ".log")

    def __enter__(self):
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                self.command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
            )
        try:
            self.until(self.ready)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(10)

    def output(self):
        return self.log.read_text()

    def running(self):
        """Fails when the program has ended."""
        assert self.process.poll() is None, self.output()

    def until(self, check):
        """Waits until check returns what is true, and returns that. Fails when the program ends."""

        def checked():
            self.running()
            return check()

        return until(checked, self.output)


class Follower(Program):
    """A program that follows events. It is ready when it has registered a queue."""

    def __init__(self, server, folder, *command):
        super().__init__(folder, *command)
        self.server = server

    def __enter__(self):
        self.registered = self.server.registrations()
        return super().__enter__()

    def ready(self):
        return self.server.registrations() > self.registered

    def running(self):
        """Fails when the program has ended, or misses an endpoint."""
        if "'code': 'NOT_FOUND'" in self.output():
            raise Missing(self.output())
        super().running()


def run(*command):
    """Runs a program to its end, and returns its exit status and what it printed."""
    done = subprocess.run(
        command, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60
    )
    return done.returncode, done.stdout
