"""The results of calls: Translation, and Update for the messages of a stream."""

from __future__ import annotations

from typing import Optional, Sequence

from ._errors import StatusError, from_status
from .v1 import translation_pb2 as pb


def finish_reason_name(number: int) -> str:
    value = pb.FinishReason.DESCRIPTOR.values_by_number.get(number)
    return f"unknown_{number}" if value is None else value.name.lower()


class Translation:
    """The translation of one text. `str()` returns the translated text.

    `message` is the dragoman.v1.Translation that the server sent. All offsets count bytes of UTF-8.
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
        """The id of the request in the server's log."""
        self.timings = timings
        """The times that the complete request took; set with return_timings."""
        self._error = error

    @property
    def error(self) -> Optional[StatusError]:
        """The error if this text failed, else None. Other texts of the same call may have been translated."""
        if self._error is None and self.message.HasField("error"):
            self._error = from_status(self.message.error)
        return self._error

    @property
    def text(self) -> str:
        """The translated text. Raises `error` if the text failed, so that a failure is not taken for an empty text."""
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
        """The name of the model that made the translation; "" if the text was returned unchanged."""
        return self.message.model

    @property
    def index(self) -> int:
        """The index of the text in the request."""
        return self.message.index

    @property
    def detected_language(self) -> str:
        """The detected source language if the request asked for detection; "" if not asked for or unknown."""
        return self.message.detected_language_code

    @property
    def detection_confidence(self) -> Optional[float]:
        """The probability of detected_language, from 0 to 1; None if the request did not ask for detection."""
        message = self.message
        return message.detection_confidence if message.HasField("detection_confidence") else None

    @property
    def score(self) -> Optional[float]:
        """The score with length penalty; set with return_scores for a text of one segment."""
        return self.message.score if self.message.HasField("score") else None

    @property
    def log_prob(self) -> Optional[float]:
        """The log-probability, summed over all segments; set with return_scores."""
        return self.message.log_prob if self.message.HasField("log_prob") else None

    @property
    def alternatives(self) -> Sequence[pb.Alternative]:
        """The translations of rank 2 to num_alternatives, best first."""
        return self.message.alternatives

    @property
    def finish_reason(self) -> str:
        """Why the search ended: "eos", "length", "constraints_unmet" or "no_output". A reason that only a newer server
        has is "unknown_" and its number."""
        return finish_reason_name(self.message.finish_reason)

    @property
    def warnings(self) -> Sequence[pb.Warning]:
        """Warnings about this translation. Each has a code and an English text."""
        return self.message.warnings

    @property
    def preserved(self) -> Sequence[str]:
        """The placeholders that stayed as they were (the option preserve), in the order of the source."""
        return self.message.preserved

    @property
    def sentences(self) -> Sequence[pb.SentenceRange]:
        """The byte ranges of each sentence in the source and in the translation, in order."""
        return self.message.sentences

    @property
    def alignment(self) -> Sequence[pb.Alignment.Link]:
        """Links from parts of the translation to the source parts that they come from; set with return_alignment."""
        return self.message.alignment.links

    @property
    def tokens(self) -> pb.Tokens:
        """The tokens of source and translation; set with return_tokens or return_token_scores."""
        return self.message.tokens

    @property
    def seed(self) -> Optional[int]:
        """The seed of the draws; set with sampling."""
        return self.message.seed if self.message.HasField("seed") else None

    @property
    def pivot(self) -> Optional[pb.PivotPart]:
        """The output of the first model if a pivot, which is two models, made the translation; else None."""
        return self.message.pivot if self.message.HasField("pivot") else None


class Update:
    """A message of a stream: a segment, the end of a text (`translation`), or the end of the call (`timings`)."""

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
        """The index of the text in the request."""
        return self.message.item

    @property
    def segment(self) -> int:
        """The index of the segment in the text."""
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
        """The segment's translation if `final`, else a prefix of it."""
        return self.message.text

    @property
    def final(self) -> bool:
        """Whether the segment is complete."""
        return self.message.final

    @property
    def translation(self) -> Optional[Translation]:
        """The translation of the complete text, in the last update of the text; else None."""
        if self.message.HasField("translation"):
            return Translation(self.message.translation, request_id=self.request_id)
        if self.message.HasField("error"):
            failed = pb.Translation(index=self.message.item, error=self.message.error)
            return Translation(failed, request_id=self.request_id)
        return None

    @property
    def timings(self) -> Optional[pb.Timings]:
        """The times that the request took, in the last update of the stream; set with return_timings."""
        return self.message.timings if self.message.HasField("timings") else None
