"""What runs inside the agent's client: the hooks that hold the goal and deliver questions.

A hook is a short process that the client starts; it knows the session by its id and finds everything else
in `KERNELSEEK_HOME/attached/<session id>/`. docs/hooks.md says what the client makes of the answers.
"""
