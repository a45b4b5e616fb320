"""The corpora for agents, by the Model Context Protocol (extra kgservice[mcp])."""
