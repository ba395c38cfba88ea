"""Cuts many texts into requests of bounded size. The blocking and the asyncio client share this code.

The rules are those of the command line (client/README.md, "translate"). A text's line end is not sent. A request has at
most `batch` texts and gets no further text when it has 16 KiB. A text of this size is sent alone. An empty text is not
sent. If a request fails because of its contents, its texts are sent again one by one, so that one bad text does not
fail the others.
"""

from __future__ import annotations

import collections
import dataclasses
from typing import (
    Any,
    Deque,
    Generator,
    Generic,
    Iterator,
    List,
    Mapping,
    Optional,
    Protocol,
    Sequence,
    Tuple,
    TypeVar,
)

from ._base import translations_of
from ._errors import Internal, InvalidArgument, StatusError
from ._request import checked_text, make_request
from ._result import Translation
from ._retry import RetryPolicy
from .v1 import translation_pb2 as pb

BATCH_BYTES = 16 << 10
WINDOW_BYTES = 32 << 20
# For each request that may be in flight, so many are read ahead, so that a slow request does not stop the others.
AHEAD = 4
# Attempts for each request of a run. Without a server, they take about 8 s.
RUN_ATTEMPTS = 8
ENDS_THE_RUN = {"NOT_FOUND", "UNIMPLEMENTED", "UNAUTHENTICATED", "PERMISSION_DENIED", "UNAVAILABLE"}


@dataclasses.dataclass
class Batch:
    """The texts of one request, and the results that are known without sending it (empty or invalid texts)."""

    texts: List[str] = dataclasses.field(default_factory=list)
    results: List[Optional[Translation]] = dataclasses.field(default_factory=list)
    size: int = 0

    def add(self, text: str, size: int, result: Optional[Translation]) -> None:
        self.texts.append(text)
        self.results.append(result)
        self.size += size

    def open(self) -> List[int]:
        """Returns the indices of the texts that still have no result."""
        return [place for place, result in enumerate(self.results) if result is None]


def without_line_end(text: str) -> str:
    """Returns the text without its line end, if it has one."""
    text = text[:-1] if text.endswith("\n") else text
    return text[:-1] if text.endswith("\r") else text


def line_end(text: str) -> str:
    """Returns the line end that without_line_end removes, or ""."""
    return text[len(without_line_end(text)) :]


class Batcher:
    """Cuts a sequence of texts into batches."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._batch = Batch()

    def add(self, text: Any) -> List[Batch]:
        """Adds a text. Returns the batches that are complete now: none, one or two."""
        text = without_line_end(checked_text(text, "a text"))
        complete = []
        result: Optional[Translation] = None
        size = 0
        try:
            size = len(text.encode())
        except UnicodeEncodeError as error:
            result = Translation(pb.Translation(), error=InvalidArgument(f"the text is not Unicode: {error}"))
        if not text:
            result = Translation(pb.Translation())
        if size >= BATCH_BYTES and self._batch.texts:
            complete += self.end()
        self._batch.add(text, size, result)
        if len(self._batch.texts) >= self._most or self._batch.size >= BATCH_BYTES:
            complete += self.end()
        return complete

    def end(self) -> List[Batch]:
        """Ends the sequence. Returns the last batch, if it has texts."""
        batch, self._batch = self._batch, Batch()
        return [batch] if batch.texts else []


class Plan:
    """The settings that all requests of a run have in common."""

    def __init__(
        self,
        to: Optional[str],
        from_: Optional[str],
        options: Mapping[str, Any],
        batch: Optional[int],
        concurrency: int,
        policy: RetryPolicy,
    ) -> None:
        if options.get("target_prefixes") is not None:
            raise TypeError("target_prefixes is for translate(), whose texts are counted")
        # The draws for a text depend on its place in the request, so only texts that are sent alone repeat their draws.
        seeded = options.get("sampling_seed") is not None
        if seeded and (batch or 1) > 1:
            raise ValueError(f"batch is {batch}, expected 1 with sampling_seed: each text is sent alone")
        self.batch = batch or (1 if seeded else 16)
        if not 1 <= self.batch <= 1024:
            raise ValueError(f"batch is {self.batch}, expected 1..1024")
        if not 1 <= concurrency <= 1024:
            raise ValueError(f"concurrency is {concurrency}, expected 1..1024")
        self.concurrency = concurrency
        self._template = make_request([], to, from_, options)
        attempts = max(policy.max_attempts, RUN_ATTEMPTS) if policy.max_attempts > 1 else 1
        # The budget suffices for all attempts of all requests in flight, but a run whose server has stopped still ends.
        budget = max(policy.budget, float(concurrency * attempts))
        self.policy = dataclasses.replace(policy, patient=True, max_attempts=attempts, budget=budget)

    def request(self, texts: Sequence[str]) -> pb.TranslateRequest:
        request = pb.TranslateRequest()
        request.CopyFrom(self._template)
        request.contents.extend(texts)
        return request

    def steps(self, batch: Batch) -> Generator[pb.TranslateRequest, pb.TranslateResponse, List[Translation]]:
        """A generator that yields the requests of the batch and returns its translations.

        The caller sends the response of each request into the generator, or throws its StatusError into it. Raises an
        error that ends the run.
        """
        places = batch.open()
        if places:
            yield from self._step(batch, places)
        for place in batch.open():
            yield from self._step(batch, [place])
        return [result for result in batch.results if result is not None]

    def _step(
        self, batch: Batch, places: List[int]
    ) -> Generator[pb.TranslateRequest, pb.TranslateResponse, None]:
        try:
            response = yield self.request([batch.texts[place] for place in places])
            if len(response.translations) != len(places):
                raise Internal(f"found {len(response.translations)} translations in the answer, expected {len(places)}")
        except StatusError as error:
            if error.code in ENDS_THE_RUN:
                raise
            if (error.code == "INVALID_ARGUMENT" or error.is_too_large) and len(places) > 1:
                return  # The texts are sent one by one.
            for place in places:
                batch.results[place] = Translation(pb.Translation(), error=error)
            return
        for place, result in zip(places, translations_of(response)):
            batch.results[place] = result


class Pending(Protocol):
    """A future of a batch's translations, from concurrent.futures or asyncio."""

    def done(self) -> bool: ...


PendingT = TypeVar("PendingT", bound=Pending)


class Window(Generic[PendingT]):
    """The batches of a run that are in flight or read ahead, in order."""

    def __init__(self, concurrency: int) -> None:
        self._most = AHEAD * concurrency
        self._held = 0
        self._batches: Deque[Tuple[int, PendingT]] = collections.deque()

    def __len__(self) -> int:
        return len(self._batches)

    def __iter__(self) -> Iterator[PendingT]:
        return (pending for _, pending in self._batches)

    def add(self, batch: Batch, pending: PendingT) -> None:
        self._batches.append((batch.size, pending))
        self._held += batch.size

    def must_leave(self, is_open: bool) -> bool:
        """Reports whether the oldest batch must leave the window before more texts are read.

        It must if it is complete, if the window is full, or if the source has ended (not `is_open`).
        """
        if not self._batches:
            return False
        is_full = len(self._batches) >= self._most or self._held >= WINDOW_BYTES
        return is_full or not is_open or self.oldest().done()

    def oldest(self) -> PendingT:
        return self._batches[0][1]

    def leave(self) -> None:
        """Removes the oldest batch."""
        size, _ = self._batches.popleft()
        self._held -= size
