"""Code that the blocking and the asyncio client share: settings, attempts, results. It neither sends nor waits."""

from __future__ import annotations

import time
from typing import Any, List, Mapping, Optional, Sequence, Union

import grpc

from ._channel import Link, Pem, Settings
from ._errors import DeadlineExceeded, StatusError, from_rpc, make_error
from ._request import ScoreOptions, checked_bool, checked_text, make_request, set_field
from ._result import Translation
from ._retry import RetryBudget, RetryPolicy, RetryState
from .v1 import translation_pb2 as pb


class ClientBase:
    """The base class of Client and AsyncClient."""

    def __init__(
        self,
        server: Optional[str] = None,
        *,
        tls: bool = False,
        ca: Optional[Pem] = None,
        cert: Optional[Pem] = None,
        key: Optional[Pem] = None,
        tls_server_name: Optional[str] = None,
        api_key: Optional[str] = None,
        plaintext_key: bool = False,
        timeout: float = 120.0,
        retry: RetryPolicy = RetryPolicy(),
    ) -> None:
        """
        server: "host:port", several of these separated by commas, or "dns:///name:port" for all healthy servers with
            this name. Default: the environment variable DRAGOMAN_SERVER, else localhost:50051.
        tls: uses TLS and trusts gRPC's default authorities. `ca`, `cert` and `tls_server_name` imply it.
        ca, cert, key: the authorities to trust, the client's own certificate and its private key. Each is PEM, as bytes
            or as the path of a file.
        tls_server_name: the name in the server's certificate, if it is not the host of the address.
        api_key: the API key. Default: the environment variable DRAGOMAN_API_KEY.
        plaintext_key: allows sending the API key to other machines without TLS.
        timeout: the seconds for a call, including all its attempts and waits. A call may override it.
        retry: the settings of retries.
        """
        self._settings = Settings.make(server, tls, ca, cert, key, tls_server_name, api_key, plaintext_key, timeout)
        self._retry = retry
        self._budget = RetryBudget(retry)
        self._open()

    def _open(self) -> None:
        """Called at the end of the constructor. Opens channels if the class does that early."""

    def _attempts(
        self, timeout: Optional[float], policy: Optional[RetryPolicy] = None, budget: Optional[RetryBudget] = None
    ) -> Attempts:
        return Attempts(self._settings, timeout, policy or self._retry, budget or self._budget)


class Attempts:
    """The attempts of one call, which are made one after another within its timeout."""

    def __init__(self, settings: Settings, timeout: Optional[float], policy: RetryPolicy, budget: RetryBudget) -> None:
        self._settings = settings
        self._budget = budget
        self._deadline = time.monotonic() + (settings.timeout if timeout is None else timeout)
        self._state = RetryState(policy, budget, self._deadline)

    def left(self) -> float:
        """Returns the seconds that are left for the next attempt. Raises DeadlineExceeded if none are left."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise DeadlineExceeded("the deadline passed before the call was sent")
        return left

    def succeeded(self) -> None:
        self._budget.refill()

    def delay_after(self, failed: grpc.RpcError, link: Link[Any], received: bool = False) -> float:
        """Returns the seconds to wait before the next attempt. Raises the error if the call must give up.

        `received` says that a message of the call has been received.
        """
        error = self._error_of(failed, link)
        delay = self._state.after_failure(error, time.monotonic(), received)
        if delay is None:
            raise error from None
        return delay

    def _error_of(self, failed: grpc.RpcError, link: Link[Any]) -> StatusError:
        error = from_rpc(failed)
        if error.was_never_taken and not is_closed(failed):
            error = make_error("UNAVAILABLE", "the server shut down before it took the call")
        if error.code == "UNAVAILABLE":
            link.failed_at = time.monotonic()
        self._settings.explain(error)
        return error


def is_closed(failed: grpc.RpcError) -> bool:
    """Reports whether this client has closed the channel, which also ends calls with CANCELLED."""
    return "hannel closed" in (failed.details() or "")


def translate_request(
    text: Union[str, Sequence[str]], to: Optional[str], from_: Optional[str], options: Any
) -> pb.TranslateRequest:
    return make_request([text] if isinstance(text, str) else text, to, from_, options)


def detect_request(text: Union[str, Sequence[str]], model: str, html: bool) -> pb.DetectLanguageRequest:
    texts = [text] if isinstance(text, str) else text
    return pb.DetectLanguageRequest(contents=texts, model=model, mime_type="text/html" if html else "")


def detections_of(
    text: Union[str, Sequence[str]], response: pb.DetectLanguageResponse
) -> Union[pb.Detection, List[pb.Detection]]:
    """Returns the detection of a text, or the list of detections of a list of texts."""
    return response.detections[0] if isinstance(text, str) else list(response.detections)


def score_request(
    source: Union[str, Sequence[str]],
    target: Union[str, Sequence[str]],
    to: Optional[str],
    from_: Optional[str],
    options: Mapping[str, Any],
) -> pb.ScoreRequest:
    if isinstance(source, str) != isinstance(target, str):
        raise TypeError("source and target are a text and a list, expected two texts or two lists")
    sources = [source] if isinstance(source, str) else source
    targets = [target] if isinstance(target, str) else target
    if len(sources) != len(targets):
        raise ValueError(f"found {len(sources)} sources and {len(targets)} targets, expected equally many")
    request = pb.ScoreRequest(target_language_code=to or "", source_language_code=from_ or "")
    for one, other in zip(sources, targets):
        request.pairs.add(source=checked_text(one, "the source"), target=checked_text(other, "the target"))
    for keyword, value in options.items():
        if value is None:
            continue
        if keyword not in ScoreOptions.__annotations__:
            raise TypeError(f"unknown option '{keyword}', expected {', '.join(ScoreOptions.__annotations__)}")
        if keyword == "return_tokens":
            request.return_tokens = checked_bool(value)
        else:
            set_field(request, keyword, value)
    return request


def scores_of(source: Union[str, Sequence[str]], response: pb.ScoreResponse) -> Union[pb.PairScore, List[pb.PairScore]]:
    """Returns the score of a pair, or the list of scores of a list of pairs."""
    return response.scores[0] if isinstance(source, str) else list(response.scores)


def results_of(
    text: Union[str, Sequence[str]], expected: int, response: pb.TranslateResponse
) -> Union[Translation, List[Translation]]:
    """Returns the translation of a text, or of each text of a list. Raises Internal unless there are `expected`."""
    if len(response.translations) != expected:
        raise make_error(
            "INTERNAL", f"found {len(response.translations)} translations in the answer, expected {expected}"
        )
    results = translations_of(response)
    return results[0] if isinstance(text, str) else results


def translations_of(response: pb.TranslateResponse) -> List[Translation]:
    timings = response.timings if response.HasField("timings") else None
    return [
        Translation(message, request_id=response.request_id, timings=timings) for message in response.translations
    ]
