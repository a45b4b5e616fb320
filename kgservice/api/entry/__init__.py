"""The entry of requests before their route: connection, body, origin, key, limit, log, metrics."""
