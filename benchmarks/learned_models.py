"""Learn what an approval is, which one is bare, and what is praise; how well on authors that were left out.

python -m benchmarks.learned_models            the table: each author judged by what the others taught
python -m benchmarks.learned_models --write    learn from all authors, and write the weights that are shipped

The messages are those of `tests/data/approvals` and `tests/data/praise`, the sentences of the grammar, reports of work,
and the development half of `tests/data/messages`; the test half is only measured. Three questions are learned: does a
text approve, of those that do, does it name no check with its outcome, and is a text praise and filler as a whole?
"""

import argparse
import hashlib
import json
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mama_bot.enforcement.approval.approvals import approvals
from mama_bot.enforcement.approval.learned import BARE, CONSENT
from mama_bot.enforcement.approval.learned import MODELS as OF_APPROVALS
from mama_bot.enforcement.praise.learned import MODELS as OF_PRAISE
from mama_bot.enforcement.praise.learned import PRAISE
from mama_bot.enforcement.stage_lexicon import lexicon
from mama_bot.text.linear_model import BIAS, FeatureWeight, LinearModel, features_of, parsed_model
from mama_bot.text.sentences import reading_of

DATA = Path(__file__).parent.parent / "tests" / "data"
APPROVALS = DATA / "approvals"
DEVELOPMENT = DATA / "messages" / "development.jsonl"
SENTENCES = DATA / "review_sentences.jsonl"
TURNS = (DATA / "turns" / "development.jsonl", DATA / "turns" / "further.jsonl")
PRAISED = DATA / "praise"
ENFORCEMENT = Path(__file__).parent.parent / "mama_bot" / "enforcement"
FILES = {
    CONSENT: ENFORCEMENT / "approval" / "words" / CONSENT,
    BARE: ENFORCEMENT / "approval" / "words" / BARE,
    PRAISE: ENFORCEMENT / "praise" / "words" / PRAISE,
}
MODELS = {**OF_APPROVALS, **OF_PRAISE}
SEED, ROUNDS, RATE, DAMPING = 1, 30, 0.5, 1e-4
LEAST_TEXTS = 3  # that a feature stands in
MOST_FEATURES = 6_000  # that a model keeps; it is learned again with those that count most
SURE = 1e-3
HEAD = "# Learned by benchmarks/learned_models.py: rarity, weight, feature. Not to be edited by hand.\n# Learned from: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A labelled message: whether it approves, is to be sent back as bare, or as praise; None where nobody said."""

    author: str
    text: str
    approves: bool | None
    bare: bool | None
    praises: bool | None = None


def messages() -> list[Message]:
    """The messages to learn from, by all authors."""
    found = [*_development(), *_sentences(), *_turns()]
    for path in sorted(APPROVALS.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            praises = None if row["label"] else False
            found.append(
                Message(
                    author=path.stem,
                    text=row["text"],
                    approves=row["approves"],
                    bare=row["label"],
                    praises=praises,
                )
            )
    for path in sorted(PRAISED.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            found.append(Message(author=path.stem, text=row["text"], approves=None, bare=None, praises=row["label"]))
    return found


def _development() -> Iterator[Message]:
    for line in DEVELOPMENT.read_text(encoding="utf-8").splitlines():
        row: Mapping[str, Any] = json.loads(line)
        expected = row["expected"]
        bare = expected["review"] == "reject"
        approves = True if bare else expected.get("is_approval")
        praises = expected["flattery"] == "reject"
        yield Message(author="development", text=row["text"], approves=approves, bare=bare, praises=praises)


def _sentences() -> Iterator[Message]:
    """The single sentences of the grammar: what supports an approval is learned beside one."""
    for line in SENTENCES.read_text(encoding="utf-8").splitlines():
        row: Mapping[str, Any] = json.loads(line)
        text = row["text"]
        if "supports" in row:
            verdict = "승인합니다." if any("가" <= character <= "힣" for character in text) else "Approved."
            for message in (f"{verdict}\n\n{text}", f"{text}\n\n{verdict}"):
                yield Message(author="sentences", text=message, approves=True, bare=not row["supports"])
        else:
            yield Message(author="sentences", text=text, approves=row.get("approves"), bare=row.get("rejected"))


def _turns() -> Iterator[Message]:
    """Reports of all kinds: what is written in turns of work, and in reviews where the word lists see no approval."""
    known = lexicon()
    for path in TURNS:
        for line in path.read_text(encoding="utf-8").splitlines():
            row: Mapping[str, Any] = json.loads(line)
            may_approve = row["role"] == "reviewer" and approvals(reading_of(row["text"]), known, reviewer=True)
            answer = None if may_approve else False
            yield Message(author="turns", text=row["text"], approves=answer, bare=answer, praises=False)


def learned(texts: Sequence[str], answers: Sequence[bool]) -> LinearModel:
    """Logistic regression over the features that count most: the same weights for the same texts."""
    counted = [features_of(text) for text in texts]
    spread = Counter(feature for features in counted for feature in features)
    rarity = {
        feature: math.log((1 + len(texts)) / (1 + count)) + 1
        for feature, count in spread.items()
        if count >= LEAST_TEXTS
    }
    first = fitted(counted, answers, rarity)
    most = sorted(rarity, key=lambda feature: (-abs(first.weights[feature].weight), feature))[:MOST_FEATURES]
    return fitted(counted, answers, {feature: rarity[feature] for feature in most})


def fitted(counted: Sequence[Mapping[str, int]], answers: Sequence[bool], rarity: Mapping[str, float]) -> LinearModel:
    """The weights that fit the answers, by stochastic gradient descent with AdaGrad."""
    rows = [_row(features, rarity) for features in counted]
    weights, slopes = dict.fromkeys(rarity, 0.0), dict.fromkeys(rarity, 1e-2)
    bias, bias_slope = 0.0, 1e-2
    order = list(range(len(rows)))
    shuffle = random.Random(SEED).shuffle
    for _ in range(ROUNDS):
        shuffle(order)
        for index in order:
            row = rows[index]
            score = bias + sum(weights[feature] * size for feature, size in row)
            error = 1 / (1 + math.exp(-max(-30.0, min(30.0, score)))) - answers[index]
            if abs(error) < SURE:
                continue
            for feature, size in row:
                slope = error * size + DAMPING * weights[feature]
                slopes[feature] += slope * slope
                weights[feature] -= RATE * slope / math.sqrt(slopes[feature])
            bias_slope += error * error
            bias -= RATE * error / math.sqrt(bias_slope)
    return LinearModel(weights={name: FeatureWeight(rarity[name], weights[name]) for name in rarity}, bias=bias)


def _row(features: Mapping[str, int], rarity: Mapping[str, float]) -> list[tuple[str, float]]:
    sizes = [(name, (1 + math.log(count)) * rarity[name]) for name, count in features.items() if name in rarity]
    norm = math.sqrt(sum(size * size for _, size in sizes)) or 1.0
    return [(name, size / norm) for name, size in sizes]


def lines_of(model: LinearModel) -> list[str]:
    """The lines of a model's file."""
    weights = (f"{known.rarity:.2f}\t{known.weight:.2f}\t{name}" for name, known in sorted(model.weights.items()))
    return [f"0\t{model.bias:.2f}\t{BIAS}", *weights]


def digest(known: Sequence[Message]) -> str:
    """What the messages and their labels are, so that weights of others are noticed."""
    return hashlib.sha256(repr(known).encode()).hexdigest()


Question = tuple[Callable[[Message], bool], Callable[[Message], bool]]
# Of which messages each is learned, and what the answer is.
QUESTIONS: Mapping[str, Question] = {
    CONSENT: (lambda message: message.approves is not None, lambda message: bool(message.approves)),
    BARE: (lambda message: bool(message.approves) and message.bare is not None, lambda message: bool(message.bare)),
    PRAISE: (lambda message: message.praises is not None, lambda message: bool(message.praises)),
}


def models(known: Sequence[Message]) -> dict[str, LinearModel]:
    """The models, as they would be read from their files."""
    result = {}
    for name, (counts, answer) in QUESTIONS.items():
        taught = [message for message in known if counts(message)]
        model = learned([message.text for message in taught], [answer(message) for message in taught])
        result[name] = parsed_model(lines_of(model))
    return result


def main() -> None:
    """Print how well each author is judged by what the others taught; write the weights when asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    known = messages()
    if parser.parse_args().write:
        for name, model in models(known).items():
            text = "\n".join((HEAD + digest(known), *lines_of(model)))
            FILES[name].write_text(text + "\n", encoding="utf-8")
            print(f"{name}: {len(model.weights):,} features")
        return
    print("| author | question | messages | precision | recall |\n|---|---|---|---|---|")
    for author in sorted({message.author for message in known} - {"development", "sentences", "turns"}):
        taught = models([message for message in known if message.author != author])
        for name, (counts, answer) in QUESTIONS.items():
            asked = [message for message in known if message.author == author and counts(message)]
            if not asked:
                continue
            pairs = [(taught[name].probability(m.text) >= MODELS[name], answer(m)) for m in asked]
            hits = sum(got and wanted for got, wanted in pairs)
            got = sum(got for got, _ in pairs) or 1
            wanted = sum(wanted for _, wanted in pairs) or 1
            print(f"| {author} | {name} | {len(pairs)} | {hits / got:.3f} | {hits / wanted:.3f} |")


if __name__ == "__main__":
    main()
