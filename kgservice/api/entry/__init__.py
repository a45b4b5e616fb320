"""What every request passes before its route: connection, body, origin, key, limit, log, metrics."""
