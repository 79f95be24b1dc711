"""Split a shell command into tokens: words, operators, redirections, here-documents, comments."""

import re
from dataclasses import dataclass, replace
from enum import Enum, auto

MAX_NESTING = 40
MAX_TOKENS = 12_000
MAX_BODY = 8_000
MAX_DELIMITER = 100


class CommandNotUnderstood(Exception):
    """The command is no shell that is understood here; it never leaves this room."""


class CommandTooLong(CommandNotUnderstood):
    """More than is read: too many words or commands, or too deep."""


class TokenKind(Enum):
    """The kinds of tokens."""

    WORD = auto()
    OPERATOR = auto()
    REDIRECT = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """A word without its quotes, or an operator; only a `bare` word, written without quotes, may be a reserved one.

    `body` is the beginning of a here-document, at most 8,000 characters.
    """

    kind: TokenKind
    text: str
    bare: bool = False
    substitutes: bool = False
    assigns: bool = False
    descriptor: str = ""
    body: str = ""


OPERATORS = ("&&", "||", "|&", ";;", "|", ";", "&", "(", ")")
REDIRECTS = ("<<<", "<<-", "<<", "&>>", "&>", ">>", ">|", ">&", "<&", "<>", ">", "<")
BREAKS = frozenset(" \t\n|&;()<>\r")
SYMBOLS = frozenset("|&;()<>")
SPECIAL = BREAKS | frozenset("'\"\\$`")


# What `$'...'` knows: \n, \x72, \162, \u0072
ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3}|.)", re.DOTALL)
ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
LAST_CODE = 0x10FFFF


def word_set(listed: str) -> frozenset[str]:
    """Return the words of a text as a set: `word_set("bash sh zsh")`."""
    return frozenset(listed.split())


def tokens_of(command: str) -> list[Token]:
    """Return the tokens of a command; raises CommandNotUnderstood for an open quote or parenthesis."""
    return _Lexer(command).tokens()


class _Lexer:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._tokens: list[Token] = []
        self._here: list[tuple[str, bool, int]] = []

    def tokens(self) -> list[Token]:
        text, end = self._text, len(self._text)
        while self._at < end:
            character = text[self._at]
            if character in " \t\r":
                self._at += 1
            elif character == "\n":
                self._tokens.append(Token(TokenKind.OPERATOR, "\n"))
                self._at += 1
                self._skip_here_documents()
            elif character == "#":
                following = text.find("\n", self._at)
                self._at = end if following < 0 else following
            elif text.startswith("\\\n", self._at):
                self._at += 2
            elif not self._symbol():
                self._tokens.append(self._word())
            if len(self._tokens) > MAX_TOKENS:
                raise CommandTooLong
        return self._tokens

    def _symbol(self) -> bool:
        text, at = self._text, self._at
        if text[at] not in SYMBOLS:
            return False
        if text[at] in "<>" or text.startswith(("&>", "&>>"), at):
            if text.startswith(("<(", ">("), at):
                return False
            return self._redirect("")
        for operator in OPERATORS:
            if text.startswith(operator, at):
                self._tokens.append(Token(TokenKind.OPERATOR, operator, bare=True))
                self._at += len(operator)
                return True
        return False

    def _redirect(self, descriptor: str) -> bool:
        for operator in REDIRECTS:
            if self._text.startswith(operator, self._at):
                self._at += len(operator)
                if operator == "<<<":
                    self._tokens.append(Token(TokenKind.REDIRECT, "<", descriptor=descriptor))
                elif operator in {"<<", "<<-"}:
                    self._tokens.append(Token(TokenKind.REDIRECT, "<<", descriptor=descriptor))
                    self._delimiter(indented=operator == "<<-")
                else:
                    self._tokens.append(Token(TokenKind.REDIRECT, operator, descriptor=descriptor))
                return True
        return False

    def _delimiter(self, *, indented: bool) -> None:
        while self._text[self._at : self._at + 1] in {" ", "\t"}:
            self._at += 1
        if self._at >= len(self._text) or self._text[self._at] in BREAKS:
            raise CommandNotUnderstood
        place = len(self._tokens) - 1
        self._here.append((self._word().text, indented, place))

    def _skip_here_documents(self) -> None:
        for delimiter, indented, place in self._here:
            start = self._at
            while True:
                if self._at >= len(self._text):
                    break
                following = self._text.find("\n", self._at)
                stop = len(self._text) if following < 0 else following
                line = self._text[self._at : stop]
                self._at = stop + 1
                if (line.lstrip("\t") if indented else line) == delimiter:
                    break
            body = self._text[start : min(self._at, start + MAX_BODY)]
            self._tokens[place] = replace(self._tokens[place], body=body)
        self._here.clear()
        self._at = min(self._at, len(self._text))

    def _word(self) -> Token:
        text, end, start = self._text, len(self._text), self._at
        pieces: list[str] = []
        bare, substitutes = True, False
        if text.startswith(("<(", ">("), start):
            pieces.append(self._substitution(start + 2))
            substitutes = True
        while self._at < end:
            character = text[self._at]
            if character in BREAKS:
                break
            if character in "$`":
                piece, plain, nested = self._dollar(character)
                pieces.append(piece)
                bare, substitutes = bare and plain, substitutes or nested
            elif character in "'\"\\":
                piece, nested = self._quoted(character)
                pieces.append(piece)
                bare, substitutes = False, substitutes or nested
            else:
                pieces.append(self._plain())
        word = "".join(pieces)
        return self._classified(word, text[start : self._at], bare=bare, substitutes=substitutes)

    def _quoted(self, character: str) -> tuple[str, bool]:
        if character == "'":
            return self._single(), False
        if character == '"':
            return self._double()
        piece = self._text[self._at + 1 : self._at + 2]
        self._at += 2
        return "" if piece == "\n" else piece, False

    def _dollar(self, character: str) -> tuple[str, bool, bool]:
        """Read what a dollar or a backquote begins; returns its text, whether it is bare, whether it runs something."""
        if character == "`":
            return self._through("`"), True, True
        if self._text.startswith("$(", self._at):
            return self._substitution(self._at + 2), True, True
        if self._text.startswith("$'", self._at):
            return self._escaped(), False, False
        if self._text.startswith("${", self._at):
            return self._through("}"), True, False
        return self._plain(), True, False

    def _classified(self, word: str, raw: str, *, bare: bool, substitutes: bool) -> Token:
        if bare and word.isdigit() and self._text[self._at : self._at + 1] in {"<", ">"}:
            self._redirect(word)
            return self._tokens.pop()
        name, equals, _ = raw.partition("=")
        assigns = bool(equals) and name.removesuffix("+").replace("_", "a").isalnum() and not name[:1].isdigit()
        return Token(TokenKind.WORD, word, bare=bare, substitutes=substitutes, assigns=assigns)

    def _plain(self) -> str:
        text, start = self._text, self._at
        at, end = start + 1, len(text)
        while at < end and text[at] not in SPECIAL:
            at += 1
        self._at = at
        return text[start:at]

    def _single(self) -> str:
        close = self._text.find("'", self._at + 1)
        if close < 0:
            raise CommandNotUnderstood
        inner = self._text[self._at + 1 : close]
        self._at = close + 1
        return inner

    def _escaped(self) -> str:
        start = self._at + 2
        close = self._closing(start, "'")
        self._at = close + 1
        return ESCAPE.sub(_unescaped, self._text[start:close])

    def _through(self, closing: str) -> str:
        start = self._at
        close = self._closing(start + 1, closing)
        self._at = close + 1
        return self._text[start : close + 1]

    def _closing(self, at: int, closing: str) -> int:
        end = len(self._text)
        while at < end:
            if self._text[at] == "\\":
                at += 1
            elif self._text[at] == closing:
                return at
            at += 1
        raise CommandNotUnderstood

    def _double(self) -> tuple[str, bool]:
        text, end = self._text, len(self._text)
        self._at += 1
        pieces: list[str] = []
        substitutes = False
        start = self._at
        while self._at < end:
            character = text[self._at]
            if character == '"':
                pieces.append(text[start : self._at])
                self._at += 1
                return "".join(pieces), substitutes
            if character == "\\" and text[self._at + 1 : self._at + 2] in {'"', "\\", "$", "`", "\n"}:
                pieces.append(text[start : self._at])
                pieces.append(text[self._at + 1].replace("\n", ""))
                self._at += 2
                start = self._at
            elif character == "$" and text.startswith("$(", self._at):
                self._substitution(self._at + 2)
                substitutes = True
            elif character == "`":
                self._through("`")
                substitutes = True
            else:
                self._at += 1
        raise CommandNotUnderstood

    def _substitution(self, at: int) -> str:
        """Skip to the parenthesis that closes a substitution; returns what is in it as one opaque text."""
        start, text, end = self._at, self._text, len(self._text)
        # What is open, innermost last: a parenthesis, or a double quote.
        nested = ["("]
        here: list[str] = []
        while at < end:
            character = text[at]
            quoted = nested[-1] == '"'
            if character == "\\":
                at += 1
            elif character == "'" and not quoted:
                at = text.find("'", at + 1)
                if at < 0:
                    raise CommandNotUnderstood
            elif character == "<" and not quoted and text.startswith("<<", at):
                at = self._inner_delimiter(at + 2, here)
                continue
            elif character == "\n" and here:
                at = self._past_bodies(at + 1, here)
                continue
            elif character in '"()':
                _nest(nested, character, expands=text[at - 1] == "$")
                if not nested:
                    self._at = at + 1
                    return text[start : at + 1]
            at += 1
        raise CommandNotUnderstood

    def _inner_delimiter(self, at: int, here: list[str]) -> int:
        """Skip the `<<EOF` of a here-document in a substitution; its delimiter is kept for the next line."""
        text = self._text
        if text.startswith("<", at):
            return at + 1
        at += text.startswith("-", at)
        while text.startswith((" ", "\t"), at):
            at += 1
        start = at
        while at < len(text) and text[at] not in BREAKS and at - start < MAX_DELIMITER:
            at += 1
        word = text[start:at].strip("'\"\\")
        # In `$((1 << 3))` it is arithmetic.
        if word and not word.isdigit():
            here.append(word)
        return at

    def _past_bodies(self, at: int, here: list[str]) -> int:
        """Return the position behind the here-documents that begin on this line."""
        for delimiter in here:
            while at < len(self._text):
                following = self._text.find("\n", at)
                stop = len(self._text) if following < 0 else following
                line = self._text[at:stop]
                at = stop + 1
                if line.strip() == delimiter:
                    break
        here.clear()
        return min(at, len(self._text))


def _unescaped(match: re.Match[str]) -> str:
    sign = match.group(1)
    if sign[0] in "xuU" and len(sign) > 1:
        code = int(sign[1:], 16)
    elif sign[0] in "01234567":
        code = int(sign, 8)
    else:
        return ESCAPED.get(sign, sign)
    return chr(code) if 0 < code <= LAST_CODE and not 0xD800 <= code <= 0xDFFF else ""


def _nest(nested: list[str], character: str, *, expands: bool) -> None:
    quoted = nested[-1] == '"'
    if character == '"' and not quoted:
        nested.append('"')
    elif character == "(" and (expands or not quoted):
        nested.append("(")
    elif (character == '"' and quoted) or (character == ")" and not quoted):
        nested.pop()
    if len(nested) > MAX_NESTING:
        raise CommandTooLong
