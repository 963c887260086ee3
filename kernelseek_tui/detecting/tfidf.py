"""The second baseline: TF-IDF and a logistic regression a kind, never trained on the file it flags."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kernelseek_tui.detecting.documents import Documents
from kernelseek_tui.detecting.keywords import QUIET
from kernelseek_tui.detecting.labels import Positive
from kernelseek_tui.detecting.score import Flag, Flagged
from sessions.vocabulary import DecisionKind

_WORD = re.compile(r"[a-z][a-z_]+|[\u4e00-\u9fff]|\d+%|\d+x")
RARE, TERMS = 3, 12_000  # documents that must hold a term, and how many terms are kept
SHORT = 12  # different terms: shorter texts ("PASS", a line of token counts) score high by accident
SPARED = 4  # of the entries that are no moment, one in so many is trained on: enough, and as much faster
STEPS, RATE, DECAY = 80, 4.0, 1e-4  # of full-batch gradient descent
ALARMS = 0.4
"""Flags in a hundred entries that a kind is given at most."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Sparse: `values` at `rows` and `columns`, of `count` rows."""

    count: int
    rows: Ints
    columns: Ints
    values: Floats

    def times(self, weights: Floats) -> Floats:
        """Matrix times vector: one number a row."""
        sums = np.bincount(self.rows, self.values * weights[self.columns], minlength=self.count)
        return np.asarray(sums, dtype=np.float64)

    def transposed_times(self, errors: Floats, size: int) -> Floats:
        """Transposed matrix times vector: one number a column."""
        sums = np.bincount(self.columns, self.values * errors[self.rows], minlength=size)
        return np.asarray(sums, dtype=np.float64)


def terms_of(text: str) -> list[str]:
    """Words and pairs of words, in lower case."""
    words = _WORD.findall(text.lower())
    return words + [f"{one} {other}" for one, other in pairwise(words)]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Terms with their columns and inverse document frequencies."""

    columns: Mapping[str, int]
    idf: Floats

    def matrix(self, counted: Sequence[Counter[str]]) -> Matrix:
        """Documents, as counts of their terms, as rows of length one."""
        rows: list[int] = []
        columns: list[int] = []
        values: list[float] = []
        for row, counts in enumerate(counted):
            known = [(self.columns[term], count) for term, count in counts.items() if term in self.columns]
            weights = np.array([1 + np.log(count) for _, count in known]) * self.idf[[at for at, _ in known]]
            length = float(np.sqrt(np.sum(weights**2))) or 1.0
            columns += [at for at, _ in known]
            values += list(weights / length)
            rows += [row] * len(known)
        return Matrix(
            len(counted), np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64), np.array(values)
        )


def vocabulary_of(counted: Sequence[Counter[str]]) -> Vocabulary:
    """The most frequent terms of the documents, rare ones left out."""
    seen: Counter[str] = Counter()
    for counts in counted:
        seen.update(counts.keys())
    kept = sorted(
        (term for term, count in seen.items() if count >= RARE), key=lambda term: (-seen[term], term)
    )
    kept = kept[:TERMS]
    idf = np.array([np.log((1 + len(counted)) / (1 + seen[term])) + 1 for term in kept])
    return Vocabulary({term: at for at, term in enumerate(kept)}, idf)


def fit(matrix: Matrix, wanted: Floats, size: int) -> tuple[Floats, float]:
    """Weights and intercept of a logistic regression; the two classes count alike."""
    positive = float(wanted.sum())
    balance = np.where(wanted > 0, 0.5 / max(positive, 1.0), 0.5 / max(len(wanted) - positive, 1.0))
    weights, bias = np.zeros(size), 0.0
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(matrix.times(weights) + bias, -30, 30)))
        errors = (chance - wanted) * balance
        weights -= RATE * (matrix.transposed_times(errors, size) + DECAY * weights)
        bias -= RATE * float(errors.sum())
    return weights, bias


def tfidf_flags(
    documents: Mapping[str, Documents], positives: Sequence[Positive], kinds: Sequence[DecisionKind]
) -> dict[str, Flagged]:
    """Flags of every file, each by models that never saw it. Kinds without a positive elsewhere flag nothing.

    A kind's threshold is where all files together get `ALARMS`: the choice that suits this baseline best.
    """
    counted = {
        name: {
            at: terms
            for at, text in sorted(one.texts.items())
            if len(terms := Counter(terms_of(text))) >= SHORT
        }
        for name, one in documents.items()
    }
    labelled = {row.file for row in positives}
    # Files without positives teach little: those are scored by one model that left out all of them.
    groups = [[name] for name in documents if name in labelled]
    groups.append([name for name in documents if name not in labelled])
    scores: dict[DecisionKind, dict[str, Floats]] = {kind: {} for kind in kinds}
    for group in groups:
        train = {name: rows for name, rows in counted.items() if name not in group}
        for kind in kinds:
            _score(scores[kind], train, {name: counted[name] for name in group}, positives, kind)
    flags: dict[str, list[Flag]] = {name: [] for name in documents}
    for kind, found in scores.items():
        values = np.concatenate(list(found.values())) if found else np.zeros(0)
        if not len(values):
            continue
        most = round(ALARMS / 100 * sum(one.entries for one in documents.values()))
        threshold = float(np.sort(values)[-min(most, len(values))]) if most else np.inf
        for name, of_file in found.items():
            flags[name] += _flags(kind, list(counted[name]), of_file, threshold)
    return {
        name: Flagged(one.entries, tuple(sorted(flags[name], key=lambda flag: flag.line)))
        for name, one in documents.items()
    }


Counted = Mapping[str, Mapping[int, Counter[str]]]


def _score(
    into: dict[str, Floats], train: Counted, group: Counted, positives: Sequence[Positive], kind: DecisionKind
) -> None:
    """Train for one kind and score the files of a group."""
    wanted = {(row.file, at) for row in positives if row.kind is kind for at in row.places}
    entries = [
        (name, at) for name, rows in train.items() for at in rows if (name, at) in wanted or at % SPARED == 0
    ]
    marks = np.array([1.0 if entry in wanted else 0.0 for entry in entries])
    if not marks.any():
        return
    texts = [train[name][at] for name, at in entries]
    vocabulary = vocabulary_of(texts)
    weights, bias = fit(vocabulary.matrix(texts), marks, len(vocabulary.idf))
    for name, rows in group.items():
        into[name] = vocabulary.matrix(list(rows.values())).times(weights) + bias


def _flags(kind: DecisionKind, ats: Sequence[int], scores: Floats, threshold: float) -> list[Flag]:
    found: list[Flag] = []
    for at, value in zip(ats, scores, strict=True):
        if value >= threshold and (not found or at - found[-1].line >= QUIET):
            found.append(Flag(at, kind, "", f"score {value:.2f}"))
    return found
