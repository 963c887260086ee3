"""The forms in which the shipped bank is read: JSON for programs, Markdown for people, a skill for agents.

All of them are made from `bank/entries/*.yaml`, the source, by `python -m bank.forms`.
"""
