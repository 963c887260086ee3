"""The screen: one widget or screen a file, pure logic in modules that never import Textual."""
