"""Exceptions for failed calls and failed texts. They have the status code, the wrong fields and the retry delay."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Type

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

PUSHBACK = "grpc-retry-pushback-ms"
DETAILS = "grpc-status-details-bin"
# A pushback of more than a day counts as "never retry", like one that is negative or not a number (gRFC A6).
LONGEST_PUSHBACK_SECONDS = 24 * 3600.0


class FieldViolation(NamedTuple):
    """What is wrong with one field of the request."""

    field: str
    """The path of the field, such as "decoding.beam_size" or "contents[3]"."""
    description: str


class DragomanError(Exception):
    """The base class of all exceptions about a server's answer or a missing answer."""


class StatusError(DragomanError):
    """A status other than OK, of a call or of a single text."""

    code = "UNKNOWN"
    """gRPC's name of the status code."""

    def __init__(
        self,
        message: str,
        *,
        code: Optional[str] = None,
        violations: Optional[List[FieldViolation]] = None,
        retry_after: Optional[float] = None,
        never_retry: bool = False,
        has_details: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code or type(self).code
        self.message = message
        self.violations = violations or []
        self.retry_after = retry_after
        """The seconds after which the server allows a retry, or None if it gave no time."""
        self.never_retry = never_retry
        """Whether the server forbids retries of the call."""
        self._has_details = has_details

    def __str__(self) -> str:
        # Leaves out violations that the message already contains.
        news = [
            f"{violation.field}: {violation.description}"
            for violation in self.violations
            if violation.field not in self.message or violation.description not in self.message
        ]
        return f"{self.code}: {self.message}" + (f" ({'; '.join(news)})" if news else "")

    @property
    def is_too_large(self) -> bool:
        """Whether a message exceeded the size limit of the server or client. gRPC then reports RESOURCE_EXHAUSTED."""
        return self.code == "RESOURCE_EXHAUSTED" and "message larger than max" in self.message

    @property
    def was_never_taken(self) -> bool:
        """Whether the server was shutting down and has not started the call: gRPC reports CANCELLED without details.

        REQUIRES: this client has not cancelled the call.
        """
        return self.code == "CANCELLED" and not self._has_details


class InvalidArgument(StatusError):
    """The request is wrong. `violations` has an entry for each wrong field."""

    code = "INVALID_ARGUMENT"


class NotFound(StatusError):
    """The server has no such model or glossary."""

    code = "NOT_FOUND"


class Unauthenticated(StatusError):
    """The server requires an API key, or does not know the given one."""

    code = "UNAUTHENTICATED"


class PermissionDenied(StatusError):
    """The API key is not allowed to use the model."""

    code = "PERMISSION_DENIED"


class ResourceExhausted(StatusError):
    """The server is overloaded, or the API key's characters are used up. `retry_after` says when to retry."""

    code = "RESOURCE_EXHAUSTED"


class Unavailable(StatusError):
    """No server answers, or the server is starting or shutting down."""

    code = "UNAVAILABLE"


class Unimplemented(StatusError):
    """The server, or its model, lacks the option or the method that the message names."""

    code = "UNIMPLEMENTED"


class DeadlineExceeded(StatusError):
    """The timeout passed."""

    code = "DEADLINE_EXCEEDED"


class Cancelled(StatusError):
    """The call was cancelled."""

    code = "CANCELLED"


class Internal(StatusError):
    """The server failed."""

    code = "INTERNAL"


_KINDS: Dict[str, Type[StatusError]] = {kind.code: kind for kind in StatusError.__subclasses__()}
_NAMES: Dict[int, str] = {code.value[0]: code.name for code in grpc.StatusCode}


def make_error(code: str, message: str) -> StatusError:
    """Returns the exception for a status code."""
    return _KINDS.get(code, StatusError)(message, code=code)


def from_status(status: status_pb2.Status) -> StatusError:
    """Returns the exception for a google.rpc.Status, which a failed text has."""
    error = make_error(_NAMES.get(status.code, f"CODE_{status.code}"), status.message)
    _add_details(error, status)
    return error


def from_rpc(failed: grpc.RpcError) -> StatusError:
    """Returns the exception for a failed call of gRPC's blocking or asyncio API."""
    message = failed.details() or ""
    # gRPC's message contains this text if the port speaks HTTP/1, which is usually the daemon's --metrics port.
    if "http1.x server" in message:
        message += " (is that the daemon's --metrics? The client needs --listen)"
    error = make_error(failed.code().name, message)
    metadata: Any = failed.trailing_metadata() or ()
    trailing: Dict[str, Any] = dict(metadata)
    if DETAILS in trailing:
        status = status_pb2.Status()
        try:
            status.ParseFromString(trailing[DETAILS])
            _add_details(error, status)
        except DecodeError:
            pass  # The code and the message are still valid.
    if PUSHBACK in trailing:
        _add_pushback(error, str(trailing[PUSHBACK]))
    return error


def _add_details(error: StatusError, status: status_pb2.Status) -> None:
    error._has_details = True
    for detail in status.details:
        bad = error_details_pb2.BadRequest()
        retry = error_details_pb2.RetryInfo()
        try:
            if detail.Unpack(bad):
                error.violations += [FieldViolation(v.field, v.description) for v in bad.field_violations]
            elif detail.Unpack(retry) and retry.HasField("retry_delay"):
                _add_delay(error, retry.retry_delay.seconds + retry.retry_delay.nanos / 1e9)
        except DecodeError:
            pass


def _add_pushback(error: StatusError, text: str) -> None:
    # Does not use int() for the check, because it also accepts "+5", " 5" and "5_0".
    digits = text[1:] if text.startswith("-") else text
    if digits.isascii() and digits.isdigit():
        _add_delay(error, int(text) / 1000)
    else:
        _add_delay(error, -1)


def _add_delay(error: StatusError, seconds: float) -> None:
    error.never_retry = not 0 <= seconds <= LONGEST_PUSHBACK_SECONDS
    error.retry_after = None if error.never_retry else seconds
