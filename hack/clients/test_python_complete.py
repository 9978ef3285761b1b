"""Each function of the Python package's client is called by a test."""

import ast
import inspect

import zulip

from program import HERE

# What others are made of, and the loop below call_on_each_message, which follow.py calls.
INNER = {"call_endpoint", "do_api_query", "ensure_session", "get_user_agent", "call_on_each_event"}


def test_every_function_is_tested():
    called = set()
    for path in HERE.glob("*.py"):
        called |= {node.attr for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)}
    functions = {name for name, _ in inspect.getmembers(zulip.Client, inspect.isfunction) if not name.startswith("_")}
    assert functions - called - INNER == set()
