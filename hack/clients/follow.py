"""Prints the queues that a client of the Python package registers, and the messages that it gets: follow.py ZULIPRC"""

import sys

import zulip


class Follower(zulip.Client):
    def register(self, *args, **kwargs):
        answer = super().register(*args, **kwargs)
        print("queue", answer["queue_id"], flush=True)
        return answer


Follower(config_file=sys.argv[1]).call_on_each_message(lambda message: print("message", message["content"], flush=True))
