"""A terminal that programs run in and tests look at: tmux."""

import os
import subprocess

from server import until


class Terminal:
    """Runs a program in a terminal of its own until the end of a with statement."""

    def __init__(self, folder, *command):
        self.tmux = ["tmux", "-S", str(folder / "tmux"), "-f", "/dev/null"]
        self.folder, self.command = folder, [str(c) for c in command]

    def __enter__(self):
        self.call("new-session", "-d", "-x", "170", "-y", "50", "-c", str(self.folder), *self.command)
        return self

    def __exit__(self, *_):
        subprocess.run([*self.tmux, "kill-server"], check=False, stderr=subprocess.DEVNULL)

    def call(self, *arguments):
        # With pytest's variable, zulip-term would believe that it is tested by its own tests, and do nothing in the background.
        environment = {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"}
        return subprocess.run([*self.tmux, *arguments], check=True, capture_output=True, text=True, env=environment).stdout

    def screen(self):
        """Returns the lines that the terminal shows."""
        return self.call("capture-pane", "-p")

    def press(self, *keys):
        """Presses keys, by the names that tmux has for them."""
        self.call("send-keys", *keys)

    def type(self, text):
        self.call("send-keys", "-l", text)

    def shows(self, *texts, press=None):
        """Waits until all texts are on the screen. Meanwhile a key is pressed, where one is given."""

        def shown():
            if press:
                self.press(press)
            return all(text in self.screen() for text in texts)

        until(shown, lambda: f"{texts} on the screen:\n{self.screen()}")

    def hides(self, text):
        """Waits until a text isn't on the screen."""
        until(lambda: text not in self.screen(), lambda: f"{text!r} not on the screen:\n{self.screen()}")

    def ended(self):
        return subprocess.run([*self.tmux, "has-session"], check=False, stderr=subprocess.DEVNULL).returncode != 0
