"""What comes back: a translation, and the messages of a stream."""

from __future__ import annotations

from typing import Optional, Sequence

from ._errors import StatusError, from_status
from .v1 import translation_pb2 as pb


def finish_reason_name(number: int) -> str:
    value = pb.FinishReason.DESCRIPTOR.values_by_number.get(number)
    return f"unknown_{number}" if value is None else value.name.lower()


class Translation:
    """The translation of one text; `str()` of it is the text.

    Whatever the server sent is in `message`, a dragoman.v1.Translation. Offsets are bytes of UTF-8, as on the wire.
    """

    __slots__ = ("message", "request_id", "timings", "_error")

    def __init__(
        self,
        message: pb.Translation,
        *,
        request_id: str = "",
        timings: Optional[pb.Timings] = None,
        error: Optional[StatusError] = None,
    ) -> None:
        self.message = message
        self.request_id = request_id
        """The name of the request in the server's log."""
        self.timings = timings
        """Of the whole request; with return_timings."""
        self._error = error

    @property
    def error(self) -> Optional[StatusError]:
        """Why this text failed, though others of the same call may have been translated."""
        if self._error is None and self.message.HasField("error"):
            self._error = from_status(self.message.error)
        return self._error

    @property
    def text(self) -> str:
        """The translation. Raises the error of a text that failed, so that it is not taken for an empty one."""
        if self.error is not None:
            raise self.error
        return self.message.translated_text

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        if self.error is not None:
            return f"<Translation failed: {self.error}>"
        return f"<Translation {self.message.translated_text!r}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Translation):
            return NotImplemented
        return self.message == other.message and str(self.error) == str(other.error)

    __hash__ = None  # type: ignore[assignment]  # The message can change.

    @property
    def model(self) -> str:
        """The name of the model that made it."""
        return self.message.model

    @property
    def index(self) -> int:
        """Its place among the texts of the request."""
        return self.message.index

    @property
    def detected_language(self) -> str:
        """The source language, where the server was asked to detect it; else ""."""
        return self.message.detected_language_code

    @property
    def detection_confidence(self) -> Optional[float]:
        """How probable detected_language is, 0 to 1; None where none was detected."""
        message = self.message
        return message.detection_confidence if message.HasField("detection_confidence") else None

    @property
    def score(self) -> Optional[float]:
        """The normalised score, of a text of one segment; with return_scores."""
        return self.message.score if self.message.HasField("score") else None

    @property
    def log_prob(self) -> Optional[float]:
        """The log-probability, summed over all segments; with return_scores."""
        return self.message.log_prob if self.message.HasField("log_prob") else None

    @property
    def alternatives(self) -> Sequence[pb.Alternative]:
        """Ranks 2 to num_alternatives, best first."""
        return self.message.alternatives

    @property
    def finish_reason(self) -> str:
        """Why the search ended: eos, length, constraints_unmet or no_output; "unknown_" and a number for a reason that
        only a newer server has."""
        return finish_reason_name(self.message.finish_reason)

    @property
    def warnings(self) -> Sequence[pb.Warning]:
        """What to know about this translation: a code and an English text for each."""
        return self.message.warnings

    @property
    def sentences(self) -> Sequence[pb.SentenceRange]:
        """The sentences of both sides, in order."""
        return self.message.sentences

    @property
    def alignment(self) -> Sequence[pb.Alignment.Link]:
        """The parts of the translation and of the source that they come from; with return_alignment."""
        return self.message.alignment.links

    @property
    def tokens(self) -> pb.Tokens:
        """The tokens of both sides; with return_tokens or return_token_scores."""
        return self.message.tokens

    @property
    def seed(self) -> Optional[int]:
        """The seed of the draws, with sampling."""
        return self.message.seed if self.message.HasField("seed") else None

    @property
    def pivot(self) -> Optional[pb.PivotPart]:
        """What the first of a pivot's two models made."""
        return self.message.pivot if self.message.HasField("pivot") else None


class Update:
    """A message of a stream: a segment of a text, the end of a text (`translation`), or the end of all (`timings`)."""

    __slots__ = ("message", "request_id")

    def __init__(self, message: pb.StreamTranslateResponse, request_id: str) -> None:
        self.message = message
        self.request_id = request_id

    def __repr__(self) -> str:
        if self.translation is not None:
            return f"<Update item={self.item} {self.translation!r}>"
        return f"<Update item={self.item} segment={self.segment} {self.text!r} final={self.final}>"

    @property
    def item(self) -> int:
        """The place of the text in the request."""
        return self.message.item

    @property
    def segment(self) -> int:
        """The place of the segment in the text."""
        return self.message.segment

    @property
    def source_begin(self) -> int:
        """The byte of the text at which the segment begins."""
        return self.message.source_begin

    @property
    def source_end(self) -> int:
        """The byte of the text before which the segment ends."""
        return self.message.source_end

    @property
    def text(self) -> str:
        """The segment's translation so far; a prefix of what it will be, unless it is `final`."""
        return self.message.text

    @property
    def final(self) -> bool:
        """Whether the segment is complete."""
        return self.message.final

    @property
    def translation(self) -> Optional[Translation]:
        """The whole text's translation, once all its segments are complete."""
        if self.message.HasField("translation"):
            return Translation(self.message.translation, request_id=self.request_id)
        if self.message.HasField("error"):
            failed = pb.Translation(index=self.message.item, error=self.message.error)
            return Translation(failed, request_id=self.request_id)
        return None

    @property
    def timings(self) -> Optional[pb.Timings]:
        """At the end, with return_timings."""
        return self.message.timings if self.message.HasField("timings") else None
