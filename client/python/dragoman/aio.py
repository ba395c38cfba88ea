"""The client for asyncio."""

from __future__ import annotations

import asyncio
import collections
import time
from typing import Any, AsyncIterable, AsyncIterator, Deque, Iterable, List, Optional, Sequence, Tuple, Union, overload

import grpc
import grpc.aio
from typing_extensions import Unpack

from ._channel import Link, Links, Pem, Settings, health_request, says_serving
from ._errors import DeadlineExceeded, StatusError, from_rpc, make_error
from ._lines import AHEAD, WINDOW_BYTES, Batch, Batcher, Plan
from ._request import make_request
from ._result import Translation, Update
from ._retry import RetryBudget, RetryPolicy, RetryState
from .client import is_closed, results_of
from .options import Options
from .v1 import translation_pb2 as pb


class AsyncClient:
    """The same as Client, with coroutines. It belongs to the event loop of its first call."""

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
        self._settings = Settings.make(server, tls, ca, cert, key, tls_server_name, api_key, plaintext_key, timeout)
        self._retry = retry
        self._budget = RetryBudget(retry)
        self._opened: Optional[Links[grpc.aio.Channel]] = None

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the connections; calls in flight end with CANCELLED."""
        links, self._opened = self._opened, None
        for link in links.all if links is not None else ():
            await link.channel.close()
            if link.plain is not link.channel:
                await link.plain.close()

    @overload
    async def translate(  # type: ignore[overload-overlap]
        self,
        text: str,
        *,
        to: Optional[str] = None,
        from_: Optional[str] = None,
        timeout: Optional[float] = None,
        **options: Unpack[Options],
    ) -> Translation: ...

    @overload
    async def translate(
        self,
        text: Sequence[str],
        *,
        to: Optional[str] = None,
        from_: Optional[str] = None,
        timeout: Optional[float] = None,
        **options: Unpack[Options],
    ) -> List[Translation]: ...

    async def translate(
        self,
        text: Union[str, Sequence[str]],
        *,
        to: Optional[str] = None,
        from_: Optional[str] = None,
        timeout: Optional[float] = None,
        **options: Unpack[Options],
    ) -> Union[Translation, List[Translation]]:
        """Translates a text, or the texts of a list in one request; see Client.translate."""
        one = isinstance(text, str)
        request = make_request([text] if isinstance(text, str) else text, to, from_, options)
        response = await self._unary("Translate", request, timeout)
        results = results_of(response, len(request.contents))
        return results[0] if one else results

    def translate_lines(
        self,
        texts: Union[Iterable[str], AsyncIterable[str]],
        *,
        to: Optional[str] = None,
        from_: Optional[str] = None,
        timeout: Optional[float] = None,
        batch: Optional[int] = None,
        concurrency: int = 16,
        **options: Unpack[Options],
    ) -> AsyncIterator[Translation]:
        """Translates any number of texts, in their order and in bounded memory; see Client.translate_lines."""
        plan = Plan(to, from_, options, batch, concurrency, self._retry)
        return self._run_lines(plan, texts, timeout)

    def stream(
        self,
        text: Union[str, Sequence[str]],
        *,
        to: Optional[str] = None,
        from_: Optional[str] = None,
        timeout: Optional[float] = None,
        partials: bool = False,
        **options: Unpack[Options],
    ) -> AsyncIterator[Update]:
        """Yields each segment as it is complete, and each text's translation at its end; see Client.stream."""
        request = make_request([text] if isinstance(text, str) else text, to, from_, options)
        request.return_options.partials = partials
        return self._run_stream(request, timeout)

    async def detect(
        self, texts: Sequence[str], *, model: str = "", html: bool = False, timeout: Optional[float] = None
    ) -> List[pb.Detection]:
        """The languages of texts, for each the most probable first; none where it is unknown."""
        request = pb.DetectLanguageRequest(contents=texts, model=model, mime_type="text/html" if html else "")
        response: pb.DetectLanguageResponse = await self._unary("DetectLanguage", request, timeout)
        return list(response.detections)

    async def languages(self, model: str = "", *, timeout: Optional[float] = None) -> pb.ListLanguagesResponse:
        """The languages, and the pairs of them, of a model or of all."""
        request = pb.ListLanguagesRequest(model=model)
        response: pb.ListLanguagesResponse = await self._unary("ListLanguages", request, timeout)
        return response

    async def models(self, *, timeout: Optional[float] = None) -> List[pb.Model]:
        """The models, the default first; then those that are coming and going."""
        response: pb.ListModelsResponse = await self._unary("ListModels", pb.ListModelsRequest(), timeout)
        return list(response.models)

    async def server_info(self, *, timeout: Optional[float] = None) -> pb.GetServerInfoResponse:
        """The server's version and limits."""
        response: pb.GetServerInfoResponse = await self._unary("GetServerInfo", pb.GetServerInfoRequest(), timeout)
        return response

    async def healthy(self, service: str = "", *, timeout: Optional[float] = None) -> bool:
        """Whether the server, or a model by its name, is serving now; never retried."""
        return says_serving(await self._unary("Check", health_request(service), timeout, RetryPolicy(max_attempts=1)))

    def _links(self) -> Links[grpc.aio.Channel]:
        # Not in the constructor, because a channel belongs to the loop that runs when it is made.
        if self._opened is None:
            settings = self._settings

            def make(address: str, options: List[Tuple[str, Any]]) -> grpc.aio.Channel:
                if settings.credentials is None:
                    return grpc.aio.insecure_channel(address, options)
                return grpc.aio.secure_channel(address, settings.credentials, options)

            self._opened = Links([Link(make, settings, address) for address in settings.addresses])
        return self._opened

    async def _unary(
        self,
        method: str,
        request: Any,
        timeout: Optional[float],
        policy: Optional[RetryPolicy] = None,
        budget: Optional[RetryBudget] = None,
    ) -> Any:
        """One call: its attempts, one after another, and the waits between them."""
        budget = budget or self._budget
        deadline = time.monotonic() + (self._settings.timeout if timeout is None else timeout)
        state = RetryState(policy or self._retry, budget, deadline)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise DeadlineExceeded("the deadline passed before the call was sent")
            link = self._links().pick()
            try:
                answer = await link.methods[method](request, timeout=left, metadata=self._settings.metadata)
                budget.refill()
                return answer
            except grpc.RpcError as failed:
                error = self._error_of(failed, link)
            delay = state.after_failure(error, time.monotonic())
            if delay is None:
                raise error
            await asyncio.sleep(delay)

    def _error_of(self, failed: grpc.RpcError, link: Link[grpc.aio.Channel]) -> StatusError:
        error = from_rpc(failed)
        if error.was_never_taken and not is_closed(failed):
            error = make_error("UNAVAILABLE", "the server shut down before it took the call")
        if error.code == "UNAVAILABLE":
            link.failed_at = time.monotonic()
        self._settings.explain(error)
        return error

    async def _run_stream(self, request: pb.TranslateRequest, timeout: Optional[float]) -> AsyncIterator[Update]:
        deadline = time.monotonic() + (self._settings.timeout if timeout is None else timeout)
        state = RetryState(self._retry, self._budget, deadline)
        while True:
            link = self._links().pick()
            left = max(deadline - time.monotonic(), 0.001)
            call = link.methods["StreamTranslate"](request, timeout=left, metadata=self._settings.metadata)
            request_id = ""
            received = False
            try:
                async for message in call:
                    received = True
                    request_id = message.request_id or request_id
                    yield Update(message, request_id)
                self._budget.refill()
                return
            except grpc.RpcError as failed:
                error = self._error_of(failed, link)
            finally:
                call.cancel()
            delay = state.after_failure(error, time.monotonic(), received)
            if delay is None:
                raise error
            await asyncio.sleep(delay)

    async def _run_lines(
        self, plan: Plan, texts: Union[Iterable[str], AsyncIterable[str]], timeout: Optional[float]
    ) -> AsyncIterator[Translation]:
        budget = RetryBudget(plan.policy)
        slots = asyncio.Semaphore(plan.concurrency)

        async def translate(batch: Batch) -> List[Translation]:
            steps = plan.steps(batch)
            try:
                request = next(steps)
                while True:
                    try:
                        async with slots:
                            response = await self._unary("Translate", request, timeout, plan.policy, budget)
                    except StatusError as error:
                        request = steps.throw(error)
                    else:
                        request = steps.send(response)
            except StopIteration as end:
                results: List[Translation] = end.value
                return results

        window: Deque[Tuple[int, asyncio.Task[List[Translation]]]] = collections.deque()
        held = 0
        batcher = Batcher(plan.batch)
        source = texts.__aiter__() if isinstance(texts, AsyncIterable) else _in_turn(texts)
        try:
            is_open = True
            while is_open or window:
                complete: List[Batch] = []
                while is_open and not complete:
                    try:
                        complete = batcher.add(await source.__anext__())
                    except StopAsyncIteration:
                        is_open = False
                        complete = batcher.end()
                for batch in complete:
                    window.append((batch.size, asyncio.ensure_future(translate(batch))))
                    held += batch.size
                while window and (
                    not is_open
                    or window[0][1].done()
                    or len(window) >= AHEAD * plan.concurrency
                    or held >= WINDOW_BYTES
                ):
                    size, task = window[0]
                    results = await task
                    window.popleft()
                    held -= size
                    for result in results:
                        yield result
        finally:
            tasks = [task for _, task in window]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _in_turn(texts: Iterable[str]) -> AsyncIterator[str]:
    """The texts of a plain iterable, which is read between other tasks: what is ready then need not wait."""
    for text in texts:
        yield text
