from collections import Counter

import numpy as np

from kernelseek_tui.detecting.documents import Documents
from kernelseek_tui.detecting.keywords import QUIET, keyword_flags
from kernelseek_tui.detecting.labels import Positive
from kernelseek_tui.detecting.tfidf import fit, terms_of, tfidf_flags, vocabulary_of
from sessions.vocabulary import DecisionKind, Truth

DONE, LIMIT = DecisionKind.CLAIMED_COMPLETION, DecisionKind.CLAIMED_LIMIT


def test_keywords_flag_each_kind_and_then_keep_quiet() -> None:
    texts = dict.fromkeys(range(QUIET + 1), "All done now, at the limit.") | {40: "abandoned"}
    flags = keyword_flags(Documents(50, texts), [DONE, LIMIT]).flags
    assert [(flag.line, flag.kind) for flag in flags] == [
        (0, DONE),
        (0, LIMIT),
        (QUIET, DONE),
        (QUIET, LIMIT),
    ]


def test_terms_are_words_and_pairs() -> None:
    assert terms_of("The GPU is 90% busy") == [
        "the",
        "gpu",
        "is",
        "90%",
        "busy",
        "the gpu",
        "gpu is",
        "is 90%",
        "90% busy",
    ]


def test_rows_have_length_one_and_unknown_terms_are_left_out() -> None:
    counted = [Counter(["aa", "bb", "cc"])] * 3
    vocabulary = vocabulary_of(counted)
    matrix = vocabulary.matrix([Counter({"aa": 2, "bb": 1, "zz": 5}), Counter({"zz": 1})])
    assert matrix.count == 2
    assert np.isclose(np.sum(matrix.values**2), 1.0)
    assert list(matrix.times(np.ones(3))) == [float(np.sum(matrix.values)), 0.0]


def test_the_regression_tells_two_words_apart() -> None:
    counted = [Counter(["good", "word"]), Counter(["bad", "word"])] * 6
    vocabulary = vocabulary_of(counted)
    matrix = vocabulary.matrix(counted)
    weights, bias = fit(matrix, np.array([1.0, 0.0] * 6), 3)
    scores = matrix.times(weights) + bias
    assert scores[0] > 0 > scores[1]
    assert abs(weights[vocabulary.columns["word"]]) < abs(weights[vocabulary.columns["good"]])


def test_a_file_is_flagged_by_what_the_others_taught() -> None:
    rest = "we look at tile {n} of the {n} loop and read the counters again for part {n} of this kernel body"
    claim = (
        "the solution is complete and the final result was verified so all of the work is finished and ready"
    )
    words = [chr(97 + n) * 3 for n in range(26)]
    places = {"a": 7, "b": 31, "c": 44}
    documents = {}
    for name, place in places.items():
        texts = {at: rest.replace("{n}", words[(at + place) % 26]) for at in range(60)}
        documents[name] = Documents(250, texts | {place: claim})  # 750 entries in all: three may be flagged
    positives = [Positive(name, name, (place,), DONE, Truth.WRONG) for name, place in places.items()]
    flags = tfidf_flags(documents, positives, [DONE])
    assert {name: [flag.line for flag in one.flags] for name, one in flags.items()} == {
        name: [place] for name, place in places.items()
    }
    assert tfidf_flags(documents, positives[:1], [DONE])["a"].flags == ()  # nobody else could teach it
