"""What a message to the agent does (its act), and which of the study's eight categories a question is of.

Phrase rules, English only, each with a name that is shown beside what it decided; where none speaks the
answer is none and reports say "unclear". The five acts and eight categories are the study's (arXiv
2611.03517); it counts act, interrogative form and category apart (44, 63 and 56 of its 162 messages), and so
does this. The rules are ours: the study had one person label by hand.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from kernelseek_tui.review.categories import CATEGORY_RULES
from sessions.vocabulary import Act, Category, Form

READ_AT_MOST = 4_000  # characters of a message; its act stands at the beginning


@dataclass(frozen=True, slots=True)
class Read:
    """A message as the rules read it. `asks`: a sentence of it wants an answer, not a deed.

    `act` is absent where no rule speaks, `category` there and for a message that does not ask. `act_rule` and
    `category_rule` name the rule that decided, empty where none did.
    """

    act: Act | None
    act_rule: str
    form: Form
    asks: bool
    category: Category | None = None
    category_rule: str = ""


def _any(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives).replace("'", "['’]"), re.IGNORECASE)


_SENTENCE = re.compile(r"[^.!?？。\n]+(?:\.(?=\S)[^.!?？。\n]+)*[.!?？。]*")
_QUOTED_SIGN = re.compile(r"[\"'“‘`][?!.][\"'”’`]")  # a sign that is spoken of
_LEAD = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|so|and|but|now|then|well|also|oh|ah|aha|hmm|hi|hello|yes|great|thanks|thank you|"
    r"please|first|"
    r"before (?:you|we) [^,:]{0,60}[,:])\W+)*",
    re.IGNORECASE,
)
_APPROVES = _any(
    r"^\W*(?:yes|yep|yeah|sure|ok(?:ay)?|agreed|approved?|lgtm|perfect|great|excellent|nice|good|thanks|"
    r"thank you|go ahead|go for it|do it|do that|sounds good|looks good|works for me|that works|"
    r"option \w\b|ship it|proceed|carry on|keep going|fine)\b"
)
_APPROVAL_WORDS = 10  # a longer message that begins so goes on to say something else
_CORRECTS = _any(
    r"^\W*(?:no|nope|wrong|stop|wait|undo|revert|hold on)\b(?! \w+ (?:is|are|has|have) )",
    r"\b(?:that|this|it|which)(?:'s| is| was) (?:not (?:what|right|correct|true|the (?:goal|point))|wrong|"
    r"incorrect|a (?:bug|hallucination|mistake)|cheating)\b",
    r"\bnot what i (?:asked|meant|wanted)\b",
    r"\byou (?:forgot|missed|broke|skipped|ignored|changed|removed|misread|misunderstood|should not have|"
    r"shouldn't have|were (?:not )?supposed)\b",
    r"\b(?:is|are) (?:a |an )?(?:hallucinat\w+|made up|incorrect|not allowed|forbidden)\b",
    r"^\W*(?:do not|don't|never) \w+",
    r"\bi (?:said|told you|asked (?:you )?(?:for|to))\b",
    r"\bthe goal (?:is|was) not (?:met|achieved|reached)\b",
)
_SETS_GOAL = _any(
    r"^\W*(?:(?:the|your|our) )?(?:goals?|targets?|objectives?|tasks?|mission)\b[^.?!\n]{0,40}?(?:\bis\b|:)",
    r"^\W*make \S+(?: \w+)? (?:as fast|at least|faster|a replacement|run|beat|match|reach)\b",
    r"\b(?:your (?:task|goal|job|mission)|the goal|we are done when|done means|success is)\b[^.?!\n]{0,12}"
    r"\b(?:is|means|when|:)",
    r"\b(?:at|to|reach|beat|above) (?:parity|[\d.]+ ?[x×])\b[^.?!\n]{0,40}\b(?:on |in )?(?:every|all|each)\b",
)
_REQUESTS = _any(
    r"^(?:can|could|would|will) you\b(?! (?:explain|tell|say|show that|be sure|prove|see|know))",
    r"^(?:please|let'?s|let us|kindly)\b",
    r"\bi (?:want|need|would like|'d like) (?:you )?to\b",
    r"\b(?:you|we) (?:should|need to|must|have to)\b",
    r"\bplease\b",
)
_IMPERATIVES = frozenset(
    """
    add analyze analyse apply ask avoid benchmark build bring bump change check clean compare compile
    complete continue convert copy count create debug delete describe disable do document drop edit
    enable evaluate examine explain explore extend find finish fix focus fuse generate get give go
    implement improve include inline inspect install instrument investigate keep launch list look make
    measure merge move open optimize optimise pin port print profile put read rebase reduce refactor
    remove rename replace report rerun resume return revert rewrite run search set show simplify speed
    split start state stay stick summarize summarise switch take tell test time trace try tune turn undo
    unroll update upgrade use validate verify work write
    """.split()  # noqa: SIM905 - a table of words, not of quotes
)
_ASKS = re.compile(
    r"^(?:what|which|why|how|where|when|who|whose|is|are|was|were|does|do|did|has|have|had|can|could|would|"
    r"should|will|am|isn['’]t|aren['’]t|doesn['’]t|don['’]t|didn['’]t)\b",
    re.IGNORECASE,
)

ACT_RULES: Mapping[str, str] = {
    "short approval": f"at most {_APPROVAL_WORDS} words that begin with agreement, and no question",
    "sets a goal": "names a goal, task or target, or asks for speed on every scenario",
    "corrects": "begins with no, stop, revert or don't, or says that something is wrong or was forgotten",
    "asks": "the first sentence that asks or requests ends with a question mark or begins as a question",
    "requests": "the first sentence that asks or requests begins with a verb of work, please or let's",
}
"""Every act rule in the order in which they are tried, in words."""


@lru_cache(maxsize=8192)
def read_message(text: str) -> Read:
    """What a message to an agent does, by the first rule that speaks."""
    text = _QUOTED_SIGN.sub('""', text[:READ_AT_MOST]).strip()
    sentences = [match.group().strip() for match in _SENTENCE.finditer(text)]
    sentences = [sentence for sentence in sentences if any(map(str.isalnum, sentence))]
    questions = [sentence for sentence in sentences if _is_question(sentence)]
    act, rule = _act(text, sentences, bool(questions))
    form = _form(sentences, bool(questions))
    if not questions:
        return Read(act, rule, form, False)
    category, spoke = _category(" ".join(questions), text)
    return Read(act, rule, form, True, category, spoke)


def _form(sentences: list[str], asks: bool) -> Form:
    if asks or any(sentence.endswith(("?", "？")) for sentence in sentences):
        return Form.INTERROGATIVE
    return Form.IMPERATIVE if any(map(_is_request, sentences)) else Form.DECLARATIVE


def _act(text: str, sentences: list[str], asks: bool) -> tuple[Act | None, str]:
    if not sentences:
        return None, ""
    short = not asks and len(text.split()) <= _APPROVAL_WORDS
    if short and _APPROVES.search(text) and not any(map(_is_work, sentences)):
        return Act.APPROVAL, "short approval"
    if _SETS_GOAL.search(sentences[0]):
        return Act.GOAL, "sets a goal"
    if any(_CORRECTS.search(sentence) for sentence in sentences if not _is_question(sentence)):
        return Act.CORRECTION, "corrects"
    for sentence in sentences:
        if _is_question(sentence):
            return Act.QUESTION, "asks"
        if _is_request(sentence):
            return Act.DIRECTIVE, "requests"
    if _SETS_GOAL.search(text):
        return Act.GOAL, "sets a goal"
    return None, ""


def _is_question(sentence: str) -> bool:
    """A sentence that wants an answer; "can you run it?" wants a deed."""
    bare = _LEAD.sub("", sentence)
    if _REQUESTS.search(bare):
        return False
    return sentence.rstrip(")\"'”’* ").endswith(("?", "？")) or (
        _ASKS.match(bare) is not None and not sentence.endswith((".", "!", "。")) and len(bare.split()) > 2
    )


def _is_request(sentence: str) -> bool:
    return _REQUESTS.search(sentence) is not None or _is_work(sentence)


def _is_work(sentence: str) -> bool:
    """What is left behind greetings and agreement begins with a verb of work, or with "let's"."""
    bare = _LEAD.sub("", sentence)
    first = re.match(
        r"(?:(?:can|could|would|will) you |let(?:'|’)?s |let us )?([A-Za-z]+)", bare, re.IGNORECASE
    )
    if first is None or _APPROVES.match(bare):
        return False
    return first.group(1).lower() in _IMPERATIVES


def _category(asked: str, text: str) -> tuple[Category | None, str]:
    for where in (asked, text):
        for rule in CATEGORY_RULES:
            if rule.pattern.search(where):
                return rule.category, rule.name
    return None, ""
