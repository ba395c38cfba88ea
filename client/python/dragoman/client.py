"""The client for programs without asyncio."""

from __future__ import annotations

import concurrent.futures
import threading
import time
from typing import Any, Callable, Iterable, Iterator, List, Optional, Sequence, Set, Tuple, Union, overload

import grpc
from typing_extensions import Unpack

from ._base import Attempts, ClientBase, detect_request, detections_of, results_of, translate_request
from ._channel import Link, Links, health_request, says_serving
from ._errors import Cancelled, StatusError
from ._files import FileReport, FileRun, Path
from ._lines import Batch, Batcher, Plan, Window
from ._result import Translation, Update
from ._retry import RetryBudget, RetryPolicy
from .options import Options
from .v1 import translation_pb2 as pb


class Client(ClientBase):
    """A connection to one or several servers. Thread-safe; made once and used by all threads."""

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
        """Ends the connections; calls in flight end with CANCELLED."""
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
        """Translates a text, or the texts of a list in one request.

        A text of a list that fails alone has an `error`, which its `text` raises; what fails the call is raised here.
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
        """Translates any number of texts, in their order and in bounded memory.

        A text may be a line of a file: its line end is neither sent nor returned.

        `concurrency` requests of at most `batch` texts (16) or 16 KiB are in flight, and four times as many, or 32 MiB,
        are read ahead. `texts` is read on the caller's thread. `timeout` is a request's. A server that refuses for a
        while, or is away for a few seconds, is waited for. A text that fails has an `error`; an error that concerns all
        (no such model, no server) is raised in its place.
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
        **options: Unpack[Options],
    ) -> FileReport:
        """Translates each line of the file `source` into a line of the file `target`, as translate_lines does.

        The target is a new file, or with `resume` one that an earlier run with the same source has left: its lines up
        to the last that is not empty are kept. A line that fails leaves an empty one and is in the report; an error
        that concerns all is raised. A line feed within a translation becomes a space.
        """
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
        """Yields each segment as it is complete, out of order, and each text's translation at its end.

        The last update of a text has a `translation` and no segment: the whole text, its model, scores and the rest.
        With `partials` also prefixes of segments that can no longer change. Ending the iteration cancels the call.
        """
        request = translate_request(text, to, from_, options)
        request.return_options.partials = partials
        return self._run_stream(request, timeout)

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
        """The languages of a text, or of each text of a list: the most probable first, none where it is unknown."""
        request = detect_request(text, model, html)
        response: pb.DetectLanguageResponse = self._unary("DetectLanguage", request, timeout)
        return detections_of(text, response)

    def languages(self, model: str = "", *, timeout: Optional[float] = None) -> pb.ListLanguagesResponse:
        """The languages, and the pairs of them, of a model or of all."""
        response: pb.ListLanguagesResponse = self._unary("ListLanguages", pb.ListLanguagesRequest(model=model), timeout)
        return response

    def models(self, *, timeout: Optional[float] = None) -> List[pb.Model]:
        """The models, the default first; then those that are coming and going."""
        response: pb.ListModelsResponse = self._unary("ListModels", pb.ListModelsRequest(), timeout)
        return list(response.models)

    def server_info(self, *, timeout: Optional[float] = None) -> pb.GetServerInfoResponse:
        """The server's version and limits."""
        response: pb.GetServerInfoResponse = self._unary("GetServerInfo", pb.GetServerInfoRequest(), timeout)
        return response

    def healthy(self, service: str = "", *, timeout: Optional[float] = None) -> bool:
        """Whether the server, or a model by its name, is serving now; never retried."""
        return says_serving(self._unary("Check", health_request(service), timeout, RetryPolicy(max_attempts=1)))

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
    """The requests of one translate_lines, on the threads of its pool, and their end."""

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
        """Ends the calls in flight and the waits, so that no thread outlives the run for long."""
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
