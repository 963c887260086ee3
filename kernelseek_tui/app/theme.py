"""The two themes of our own; every theme that comes with Textual works too, from the palette."""

from textual.theme import Theme

DARK = Theme(
    name="kernelseek",
    primary="#5ec4b6",
    secondary="#7fa7d9",
    accent="#d99ac5",
    warning="#e8b45a",
    error="#e8716d",
    success="#8fc979",
    foreground="#d8dee6",
    background="#11151a",
    surface="#171c23",
    panel="#1d242d",
    boost="#222b36",
    dark=True,
)

LIGHT = Theme(
    name="kernelseek-light",
    primary="#0f7b6c",
    secondary="#2c5d9e",
    accent="#96407a",
    warning="#9a6400",
    error="#b3261e",
    success="#2f7d1f",
    foreground="#1c232b",
    background="#fbfaf7",
    surface="#f2f0ea",
    panel="#e8e5dc",
    boost="#e3ecec",
    dark=False,
)
