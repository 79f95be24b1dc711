"""Requests of people to be served, and what owners decided."""

from collections.abc import Sequence
from datetime import datetime

from mama_bot.errors import PairingRefused, StoreUnavailable
from mama_bot.model import Pairing, PairingState, Platform, well_formed
from mama_bot.model.access import OPEN_FOR
from mama_bot.protocols import Clock
from mama_bot.store import sentences as says
from mama_bot.store.codec import instant, moment
from mama_bot.store.connection import Connection, Row, Statement
from mama_bot.store.database import Database
from mama_bot.wording import Language

OPEN_REQUESTS = 50
FRESH_SECONDS = 5.0

_COLUMNS = "platform, person, name, code, state, asked_at, settled_at, settled_by, asked, language"
_OF_PERSON = Statement(f"SELECT {_COLUMNS} FROM pairings WHERE platform = :platform AND person = :person")  # noqa: S608 - a constant
_OF_CODE = Statement(f"SELECT {_COLUMNS} FROM pairings WHERE code = :code ORDER BY asked_at DESC LIMIT 1")  # noqa: S608 - a constant
_ALL = Statement(f"SELECT {_COLUMNS} FROM pairings ORDER BY asked_at DESC, person LIMIT :limit")  # noqa: S608 - a constant
_PAIRED = Statement("SELECT platform, person FROM pairings WHERE state = 'paired'")
_PAIRED_SINCE = Statement(
    f"SELECT {_COLUMNS} FROM pairings WHERE state = 'paired' AND settled_at > :since ORDER BY settled_at"  # noqa: S608 - a constant
)
_OPEN = Statement("SELECT count(*) FROM pairings WHERE platform = :platform AND state = 'asked' AND asked_at > :since")
_ASK = Statement(
    """
    INSERT INTO pairings (platform, person, name, code, state, asked_at, language)
    VALUES (:platform, :person, :name, :code, 'asked', :at, :language)
    ON CONFLICT (platform, person) DO UPDATE SET
        name = excluded.name, code = excluded.code, state = 'asked', asked_at = excluded.asked_at,
        settled_at = NULL, settled_by = '', asked = 1, language = excluded.language
    """
)
_ASK_AGAIN = Statement("UPDATE pairings SET asked = asked + 1 WHERE platform = :platform AND person = :person")
_SETTLE = Statement(
    """
    UPDATE pairings SET state = :state, settled_at = :at, settled_by = :by
    WHERE platform = :platform AND person = :person
    """
)
_REMOVE = Statement("DELETE FROM pairings WHERE platform = :platform AND person = :person")


class StoredPairings:
    """The `Pairings` of the database."""

    def __init__(self, *, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._paired: frozenset[tuple[str, str]] = frozenset()
        self._read_at: float | None = None

    async def ask(
        self, platform: Platform, person: str, name: str, *, code: str, language: Language = Language.ENGLISH
    ) -> Pairing:
        now = self._clock.now()
        facts = {"platform": platform, "person": well_formed(person), "name": well_formed(name), "code": code}
        asked = await self._database.write(lambda connection: _ask(connection, facts, now, language))
        if isinstance(asked, PairingRefused):
            raise asked
        return asked

    async def settle(self, code: str, *, approve: bool, by: str) -> Pairing:
        """See `Pairings.settle`; a code is read in any case, with or without its hyphen."""
        now = self._clock.now()
        settled = await self._database.write(
            lambda connection: _settle(connection, _plain(code), now, approve=approve, by=by)
        )
        self._read_at = None
        if isinstance(settled, PairingRefused):
            raise settled
        return settled

    async def remove(self, platform: Platform, person: str) -> Pairing:
        facts = {"platform": platform, "person": well_formed(person)}

        def work(connection: Connection) -> Pairing | None:
            row = connection.execute(_OF_PERSON, facts).first()
            connection.execute(_REMOVE, facts)
            return None if row is None else _pairing(row)

        removed = await self._database.write(work)
        self._read_at = None
        if removed is None:
            raise PairingRefused(says.NOT_PAIRED.of(platform=platform, person=person))
        return removed

    async def is_paired(self, platform: Platform, person: str) -> bool:
        now = self._clock.monotonic()
        if self._read_at is None or now - self._read_at > FRESH_SECONDS:
            self._read_at = now  # before the read: whoever comes during it makes do with what was known
            try:
                self._paired = await self._database.read(_read_paired)
            except BaseException as error:
                self._read_at = None
                if not isinstance(error, StoreUnavailable) or (platform, well_formed(person)) not in self._paired:
                    raise
        return (platform, well_formed(person)) in self._paired

    async def paired_since(self, moment: datetime) -> Sequence[Pairing]:
        facts = {"since": instant(moment)}
        pairings = await self._database.read(
            lambda connection: [_pairing(row) for row in connection.execute(_PAIRED_SINCE, facts)]
        )
        if any((pairing.platform, pairing.person) not in self._paired for pairing in pairings):
            self._read_at = None  # whoever is told of it is served from then on
        return pairings

    async def all(self, limit: int) -> Sequence[Pairing]:
        return await self._database.read(
            lambda connection: [_pairing(row) for row in connection.execute(_ALL, {"limit": limit})]
        )


def _ask(connection: Connection, facts: dict[str, str], now: datetime, language: Language) -> Pairing | PairingRefused:
    row = connection.execute(_OF_PERSON, facts).first()
    if row is not None and _stands(_pairing(row), now):
        connection.execute(_ASK_AGAIN, facts)
    else:
        refused = _no_room(connection, facts, now)
        if refused is not None:
            return refused
        connection.execute(_ASK, facts | {"at": instant(now), "language": language.value})
    (row,) = connection.execute(_OF_PERSON, facts)
    return _pairing(row)


def _stands(pairing: Pairing, now: datetime) -> bool:
    match pairing.state:
        case PairingState.PAIRED:
            return True
        case PairingState.ASKED:
            return pairing.is_open(now)
        case PairingState.DENIED:
            return now - (pairing.settled_at or pairing.asked_at) < OPEN_FOR


def _no_room(connection: Connection, facts: dict[str, str], now: datetime) -> PairingRefused | None:
    since = {"platform": facts["platform"], "since": instant(now - OPEN_FOR)}
    if connection.execute(_OPEN, since).scalar() >= OPEN_REQUESTS:
        return PairingRefused(says.TOO_MANY_REQUESTS.of(most=OPEN_REQUESTS, platform=facts["platform"]))
    holder = connection.execute(_OF_CODE, facts).first()
    if holder is not None and _pairing(holder).is_open(now):
        return PairingRefused(says.CODE_TAKEN)
    return None


def _settle(connection: Connection, code: str, now: datetime, *, approve: bool, by: str) -> Pairing | PairingRefused:
    row = connection.execute(_OF_CODE, {"code": code}).first()
    if row is None:
        return PairingRefused(says.NO_SUCH_CODE.of(code=code[:20]))
    pairing = _pairing(row)
    if pairing.state is not PairingState.ASKED:
        return PairingRefused(
            says.PAIRING_SETTLED.of(
                name=pairing.name,
                platform=pairing.platform,
                person=pairing.person,
                state=says.PAIRING_STATES[pairing.state],
                by=pairing.settled_by,
            )
        )
    if not pairing.is_open(now):
        hours = OPEN_FOR.total_seconds() / 3600
        return PairingRefused(says.CODE_EXPIRED.of(code=code, name=pairing.name, hours=hours))
    state = PairingState.PAIRED if approve else PairingState.DENIED
    person = {"platform": pairing.platform, "person": pairing.person}
    connection.execute(_SETTLE, person | {"state": state, "at": instant(now), "by": well_formed(by)})
    (row,) = connection.execute(_OF_PERSON, person)
    return _pairing(row)


def _plain(code: str) -> str:
    """Return a code as it is stored: capitals, in two halves."""
    letters = "".join(character for character in code.upper() if character.isalnum())
    return "-".join(half for half in (letters[:4], letters[4:]) if half)


def _read_paired(connection: Connection) -> frozenset[tuple[str, str]]:
    return frozenset((row.platform, row.person) for row in connection.execute(_PAIRED))


def _pairing(row: Row) -> Pairing:
    return Pairing(
        platform=Platform(row.platform),
        person=row.person,
        name=row.name,
        code=row.code,
        state=PairingState(row.state),
        asked_at=moment(row.asked_at),
        settled_at=None if row.settled_at is None else moment(row.settled_at),
        settled_by=row.settled_by,
        asked=row.asked,
        language=Language(row.language),
    )
