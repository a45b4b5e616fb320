"""RARE: the robustness of answers."""
