"""How each kind of event looks as rows of text. Importing this registers every renderer."""

from kernelseek_tui.app.render import asked, others, permissions, said, scores, tools
from kernelseek_tui.app.render.registry import Scene, draw

__all__ = ["Scene", "asked", "draw", "others", "permissions", "said", "scores", "tools"]
