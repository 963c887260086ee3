"""TASK.md: what an agent is told about a workspace. Text only."""

from collections.abc import Iterator

from harness.goal import Clause, Goal
from harness.operator import Operator, Scenario


def task_text(operator: Operator, goal: Goal, candidate: str) -> str:
    """Markdown: what to make fast, the ABI, the rules, the commands, the goal and what the judge does."""
    scenarios = operator.sets[goal.set]
    tensors = "\n".join(
        f"| {index} | `{tensor.name}` | {tensor.role} | {tensor.dtype} | {len(tensor.shape)} |"
        for index, tensor in enumerate(operator.tensors(scenarios[0]))
    )
    params = "\n".join(
        f"| `{field.name}` | `{field.ctype}` | {field.doc} |" for field in operator.params_struct
    )
    clauses = "\n".join(words for clause in goal.clause for words in _clause_lines(clause))
    return _TEXT.format(
        name=operator.name,
        summary=f"{operator.name}: {operator.summary.rstrip('.')}",
        candidate=candidate,
        set=goal.set,
        baseline=goal.baseline,
        count=len(scenarios),
        tensors=tensors,
        params=params,
        clauses=clauses,
        forbidden=", ".join(f"`{glob}`" for glob in goal.forbidden_libraries) or "no others",
        scenarios="\n".join(_scenario_line(scenario) for scenario in scenarios),
    )


def _clause_lines(clause: Clause) -> Iterator[str]:
    yield f"- **{clause.id}**: {clause.text or f'{clause.statistic} {clause.above or str()}'.strip()}"
    for glob, above in clause.targets.items():
        yield f"  - `{glob}`: above {above:g}x"


def _scenario_line(scenario: Scenario) -> str:
    params = ", ".join(f"{name}={value}" for name, value in scenario.params.items())
    return f"- `{scenario.id}` ({scenario.family}): {params}"


_TEXT = """\
# Make `{name}` fast

{summary}.

Edit `{candidate}` in this folder. It works and it is slow. It is the only file that is judged.

## The goal

Over each of the {count} scenarios of the set `{set}`:

{clauses}

A ratio is the time of the baseline `{baseline}` over the time of the candidate. What must clear the target is
the lower end of its interval, so a lucky run is not enough. One wrong scenario makes the whole score 0.

## Commands

```
kernelseek evaluate       build, check and time the candidate; says what is wrong or how fast it is
kernelseek goal check     what the newest evaluation says about the goal; measures nothing
kernelseek gap 'GLOB' host|routing|kernel --measured 'TEXT WITH ITS NUMBER'
                          record what holds scenarios back; `kernelseek gap` shows what is recorded
kernelseek verify RECORD  compute an evaluation's record again from its raw samples
```

Before you touch code, decide for every slow scenario what holds it back, by a measurement, and record it with
`kernelseek gap`: `host` (the time goes outside the kernel), `routing` (it takes another path or split than
the fast ones) or `kernel` (the path is right and the kernel is slow). Record it again when that changes.

`kernelseek evaluate --scenarios 'GLOB'` judges a part while you try things; only a whole set meets the goal.
Exit codes: 0 goal met, 10 correct but unmet, 11 too noisy to say, 20 wrong, 30 does not build, 40 too slow to
finish, 50 broke a rule, 60 the judge itself could not work.

## The candidate

One C++ file to the interface in `ks.h`: it defines `ks_run`, `ks_workspace_bytes` and `ks_abi_version`.
(`ks.h` and `ks_params.h` here are copies for your editor; the judge brings its own.)

`tensors` of `ks_run`, in this order, contiguous and row-major:

| # | name | role | dtype | rank |
| ---: | --- | --- | --- | ---: |
{tensors}

Members of `ks_params`:

| name | type | meaning |
| --- | --- | --- |
{params}

Shapes are in `tensors[i].shape`. `ks_run` returns `KS_OK`, or `KS_UNSUPPORTED` for a scenario it does not do,
which leaves the goal unmet.

## Rules

- Write every element of the outputs, nothing outside them, and never an input. Scratch memory is `workspace`.
- Each call does its own work: nothing may be kept from one call for another, and nothing may run on after
  `ks_run` has returned.
- Only the C++ standard library, and what is in the one file. No other process, no file, no clock, no code
  that is loaded or made at run time. Every thread is joined before `ks_run` returns.
- Libraries that this goal forbids by name, beside all that are not C++'s own: {forbidden}.
- Do not detect the judge, and do not special-case its inputs. Any shape of the same kind must stay right.
- The goal, the manifest and the records are kept outside this folder. Leave them alone.

## What the judge does

It freezes and hashes the file, builds it, and runs it in a process of its own on fresh random inputs. Every
output is compared with a higher-precision reference, as a whole and row by row. Then candidate and baseline
are timed in turns (A B B A), and the outputs of the timed calls are checked too. The baseline is also timed
against itself: a difference that is not clear of that noise is called SAME or AMBIGUOUS.

## The scenarios

{scenarios}
"""
