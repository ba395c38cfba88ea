"""The blocking client, for programs without asyncio."""

from __future__ import annotations

import concurrent.futures
import threading
import time
from typing import Any, Callable, Generator, Iterable, Iterator, List, Optional, Sequence, Set, Tuple, Union, overload

import grpc
from typing_extensions import Unpack

from ._base import (
    Attempts,
    ClientBase,
    detect_request,
    detections_of,
    results_of,
    score_request,
    scores_of,
    translate_request,
)
from ._channel import Link, Links, health_request, says_serving
from ._documents import DocumentRun, Step, is_document
from ._errors import Cancelled, StatusError
from ._files import FileReport, FileRun, Path
from ._lines import Batch, Batcher, Plan, Window
from ._request import ScoreOptions
from ._result import Translation, Update
from ._retry import RetryBudget, RetryPolicy
from .options import Options
from .v1 import translation_pb2 as pb


class Client(ClientBase):
    """A client of one or several servers. Thread-safe: make one and use it in all threads."""

    def _open(self) -> None:
        settings = self._settings

        def make(address: str, options: List[Tuple[str, Any]]) -> grpc.Channel:
            if settings.credentials is None:
                return grpc.insecure_channel(address, options)
            return grpc.secure_channel(address, settings.credentials, options)

        self._links = Links([Link(make, settings, address) for address in settings.addresses])

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections. Calls in flight end with CANCELLED."""
        for link in self._links.all:
            link.channel.close()
            if link.plain is not link.channel:
                link.plain.close()

    @overload
    def translate(  # type: ignore[overload-overlap]
        self,
        text: str,
        *,
        to: Optional[str] = None,
        from_: Optional[str] = None,
        timeout: Optional[float] = None,
        **options: Unpack[Options],
    ) -> Translation: ...

    @overload
    def translate(
        self,
        text: Sequence[str],
        *,
        to: Optional[str] = None,
        from_: Optional[str] = None,
        timeout: Optional[float] = None,
        **options: Unpack[Options],
    ) -> List[Translation]: ...

    def translate(
        self,
        text: Union[str, Sequence[str]],
        *,
        to: Optional[str] = None,
        from_: Optional[str] = None,
        timeout: Optional[float] = None,
        **options: Unpack[Options],
    ) -> Union[Translation, List[Translation]]:
        """Translates a text, or all texts of a list in one request.

        Raises a StatusError if the call fails. If a single text of a list fails, its Translation has an `error`, and
        reading its `text` raises this error.
        """
        request = translate_request(text, to, from_, options)
        return results_of(text, len(request.contents), self._unary("Translate", request, timeout))

    def translate_lines(
        self,
        texts: Iterable[str],
        *,
        to: Optional[str] = None,
        from_: Optional[str] = None,
        timeout: Optional[float] = None,
        batch: Optional[int] = None,
        concurrency: int = 16,
        **options: Unpack[Options],
    ) -> Iterator[Translation]:
        """Translates any number of texts. Yields the translations in the order of the texts. Uses bounded memory.

        A text may be a line of a file: its line end is neither sent nor returned.

        At most `concurrency` requests are in flight. A request has at most `batch` texts (default 16) and gets no
        further text when it has 16 KiB. Up to four times `concurrency` requests, or 32 MiB of texts, are read ahead.
        `texts` is read on the caller's thread. `timeout` is in seconds and applies to each request. If the server
        refuses requests for a while or is away for a few seconds, the requests are retried. If a single text fails, its
        Translation has an `error`. An error that all texts would have (no such model, no server) is raised.
        """
        plan = Plan(to, from_, options, batch, concurrency, self._retry)
        return self._run_lines(plan, texts, timeout)

    def translate_file(
        self,
        source: Path,
        target: Path,
        *,
        resume: bool = False,
        to: Optional[str] = None,
        from_: Optional[str] = None,
        timeout: Optional[float] = None,
        batch: Optional[int] = None,
        concurrency: int = 16,
        format: str = "",
        fields: Sequence[str] = (),
        retranslate: bool = False,
        **options: Unpack[Options],
    ) -> FileReport:
        """Translates each line of the file `source` into a line of the file `target`. Works like translate_lines.

        Raises FileExistsError if the target has content, unless `resume` is set. With `resume`, continues the target of
        an earlier run with the same source: keeps its lines up to the last one that is not empty. A line that fails
        becomes an empty line and is in the report. An error that all lines would have is raised. A line feed within a
        translation becomes a space.

        A document (.docx, .srt, .po and so on, or of a `format` that is given) is translated as one: its formatting and
        all other bytes stay. The server does it in the background, and `timeout` applies to each question to it.
        `fields` are the columns (numbers or names) or members of csv, tsv, json and yaml that are translated.
        `retranslate` also translates what has a translation in po and xliff. With `resume`, a target that exists stays.
        """
        if format or is_document(source):
            request = translate_request([], to, from_, options)
            document = DocumentRun(request, source, target, resume, format, fields, retranslate)
            return self._run_steps(document.steps(), timeout)
        with FileRun(source, target, resume) as run:
            for result in self.translate_lines(
                run.texts(), to=to, from_=from_, timeout=timeout, batch=batch, concurrency=concurrency, **options
            ):
                run.write(result)
        return run.report()

    def stream(
        self,
        text: Union[str, Sequence[str]],
        *,
        to: Optional[str] = None,
        from_: Optional[str] = None,
        timeout: Optional[float] = None,
        partials: bool = False,
        **options: Unpack[Options],
    ) -> Iterator[Update]:
        """Translates like translate, but yields an Update for each segment when it is complete, in any order.

        The last update of a text has no segment but `translation`: the complete text, its model, scores and so on. With
        `partials`, also yields prefixes of a segment's translation that can no longer change. Ending the iteration
        cancels the call.
        """
        request = translate_request(text, to, from_, options)
        request.return_options.partials = partials
        return self._run_stream(request, timeout)

    @overload
    def score(  # type: ignore[overload-overlap]
        self,
        source: str,
        target: str,
        *,
        to: Optional[str] = None,
        from_: Optional[str] = None,
        timeout: Optional[float] = None,
        **options: Unpack[ScoreOptions],
    ) -> pb.PairScore: ...

    @overload
    def score(
        self,
        source: Sequence[str],
        target: Sequence[str],
        *,
        to: Optional[str] = None,
        from_: Optional[str] = None,
        timeout: Optional[float] = None,
        **options: Unpack[ScoreOptions],
    ) -> List[pb.PairScore]: ...

    def score(
        self,
        source: Union[str, Sequence[str]],
        target: Union[str, Sequence[str]],
        *,
        to: Optional[str] = None,
        from_: Optional[str] = None,
        timeout: Optional[float] = None,
        **options: Unpack[ScoreOptions],
    ) -> Union[pb.PairScore, List[pb.PairScore]]:
        """Scores given translations: `target` as the translation of `source`, or of each source of a list.

        Returns the log-probability of each token, their sum, and the score that a search would give to a translation
        with these tokens. A pair of a list that fails has an `error`.
        """
        request = score_request(source, target, to, from_, options)
        response: pb.ScoreResponse = self._unary("Score", request, timeout)
        return scores_of(source, response)

    @overload
    def detect(  # type: ignore[overload-overlap]
        self, text: str, *, model: str = "", html: bool = False, timeout: Optional[float] = None
    ) -> pb.Detection: ...

    @overload
    def detect(
        self, text: Sequence[str], *, model: str = "", html: bool = False, timeout: Optional[float] = None
    ) -> List[pb.Detection]: ...

    def detect(
        self,
        text: Union[str, Sequence[str]],
        *,
        model: str = "",
        html: bool = False,
        timeout: Optional[float] = None,
    ) -> Union[pb.Detection, List[pb.Detection]]:
        """Detects the languages of a text, or of each text of a list. The most probable is first; none if unknown."""
        request = detect_request(text, model, html)
        response: pb.DetectLanguageResponse = self._unary("DetectLanguage", request, timeout)
        return detections_of(text, response)

    def languages(self, model: str = "", *, timeout: Optional[float] = None) -> pb.ListLanguagesResponse:
        """Returns the languages and language pairs of a model, or of all models for ""."""
        response: pb.ListLanguagesResponse = self._unary("ListLanguages", pb.ListLanguagesRequest(model=model), timeout)
        return response

    def models(self, *, timeout: Optional[float] = None) -> List[pb.Model]:
        """Returns the models: those that serve, the default first, then those that are being loaded or drained."""
        response: pb.ListModelsResponse = self._unary("ListModels", pb.ListModelsRequest(), timeout)
        return list(response.models)

    def server_info(self, *, timeout: Optional[float] = None) -> pb.GetServerInfoResponse:
        """Returns the version and limits of the server."""
        response: pb.GetServerInfoResponse = self._unary("GetServerInfo", pb.GetServerInfoRequest(), timeout)
        return response

    def healthy(self, service: str = "", *, timeout: Optional[float] = None) -> bool:
        """Reports whether the server, or the model named `service`, is serving now. Never retries."""
        return says_serving(self._unary("Check", health_request(service), timeout, RetryPolicy(max_attempts=1)))

    def _run_steps(self, steps: Generator[Step, Any, FileReport], timeout: Optional[float]) -> FileReport:
        try:
            step = next(steps)
            while True:
                if isinstance(step, float):
                    time.sleep(step)
                    step = next(steps)
                    continue
                try:
                    answer = self._unary(*step, timeout)
                except StatusError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as end:
            report: FileReport = end.value
            return report

    def _unary(
        self, method: str, request: Any, timeout: Optional[float], policy: Optional[RetryPolicy] = None
    ) -> Any:
        def send(link: Link[grpc.Channel], left: float) -> Any:
            return link.methods[method](request, timeout=left, metadata=self._settings.metadata)

        return self._call(send, self._attempts(timeout, policy), time.sleep)

    def _call(
        self, send: Callable[[Link[grpc.Channel], float], Any], attempts: Attempts, wait: Callable[[float], Any]
    ) -> Any:
        while True:
            left = attempts.left()
            link = self._links.pick()
            try:
                answer = send(link, left)
                attempts.succeeded()
                return answer
            except grpc.RpcError as failed:
                delay = attempts.delay_after(failed, link)
            wait(delay)

    def _run_stream(self, request: pb.TranslateRequest, timeout: Optional[float]) -> Iterator[Update]:
        attempts = self._attempts(timeout)
        while True:
            left = attempts.left()
            link = self._links.pick()
            call = link.methods["StreamTranslate"](request, timeout=left, metadata=self._settings.metadata)
            request_id = ""
            received = False
            try:
                for message in call:
                    received = True
                    request_id = message.request_id or request_id
                    yield Update(message, request_id)
                attempts.succeeded()
                return
            except grpc.RpcError as failed:
                delay = attempts.delay_after(failed, link, received)
            finally:
                call.cancel()
            time.sleep(delay)

    def _run_lines(self, plan: Plan, texts: Iterable[str], timeout: Optional[float]) -> Iterator[Translation]:
        run = _Run(self, plan, timeout)
        pool = concurrent.futures.ThreadPoolExecutor(plan.concurrency, thread_name_prefix="dragoman")
        window: Window[concurrent.futures.Future[List[Translation]]] = Window(plan.concurrency)
        batcher = Batcher(plan.batch)
        source = iter(texts)
        try:
            is_open = True
            while is_open or window:
                complete: List[Batch] = []
                while is_open and not complete:
                    try:
                        complete = batcher.add(next(source))
                    except StopIteration:
                        is_open = False
                        complete = batcher.end()
                for batch in complete:
                    window.add(batch, pool.submit(run.translate, batch))
                while window.must_leave(is_open):
                    pending = window.oldest()
                    window.leave()
                    yield from pending.result()
        finally:
            run.cancel()
            pool.shutdown(wait=False, cancel_futures=True)


class _Run:
    """The requests of one translate_lines. Each runs on a thread of the pool."""

    def __init__(self, client: Client, plan: Plan, timeout: Optional[float]) -> None:
        self._client = client
        self._plan = plan
        self._timeout = timeout
        self._budget = RetryBudget(plan.policy)
        self._cancelled = threading.Event()
        self._lock = threading.Lock()
        self._calls: Set[grpc.Future[pb.TranslateResponse]] = set()

    def translate(self, batch: Batch) -> List[Translation]:
        steps = self._plan.steps(batch)
        try:
            request = next(steps)
            while True:
                try:
                    response = self._send(request)
                except StatusError as error:
                    request = steps.throw(error)
                else:
                    request = steps.send(response)
        except StopIteration as end:
            results: List[Translation] = end.value
            return results

    def cancel(self) -> None:
        """Ends the calls in flight and the waits between retries, so that the threads of the pool end soon."""
        self._cancelled.set()
        with self._lock:
            calls = list(self._calls)
        for call in calls:
            call.cancel()

    def _send(self, request: pb.TranslateRequest) -> pb.TranslateResponse:
        client = self._client

        def send(link: Link[grpc.Channel], left: float) -> Any:
            with self._lock:
                if self._cancelled.is_set():
                    raise Cancelled("the iteration has ended")
                call = link.methods["Translate"].future(request, timeout=left, metadata=client._settings.metadata)
                self._calls.add(call)
            try:
                return call.result()
            except grpc.FutureCancelledError:
                raise Cancelled("the iteration has ended") from None
            finally:
                with self._lock:
                    self._calls.discard(call)

        attempts = client._attempts(self._timeout, self._plan.policy, self._budget)
        response: pb.TranslateResponse = client._call(send, attempts, self._cancelled.wait)
        return response
