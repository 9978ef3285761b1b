"""What clients call and the server doesn't have yet: functions by the endpoint that is missing.

Tests that are marked with one of these have to fail for want of the endpoint. Those of an endpoint that is there now fail until
its line is removed here.
"""

NOT_YET: set[str] = set()
