"""The client for asyncio."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncIterable, AsyncIterator, Generator, Iterable, List, Optional, Sequence, Tuple, Union, overload

import grpc
import grpc.aio
from typing_extensions import Unpack

from ._base import ClientBase, detect_request, detections_of, results_of, score_request, scores_of, translate_request
from ._channel import Link, Links, health_request, says_serving
from ._documents import DocumentRun, Step, is_document
from ._errors import StatusError
from ._files import FileReport, FileRun, Path
from ._lines import Batch, Batcher, Plan, Window
from ._request import ScoreOptions
from ._result import Translation, Update
from ._retry import RetryBudget, RetryPolicy
from .options import Options
from .v1 import translation_pb2 as pb


class AsyncClient(ClientBase):
    """Like Client, but with coroutines. An object belongs to the event loop that runs at its first call."""

    # Made at the first call, because a channel belongs to the event loop that runs when it is made.
    _opened: Optional[Links[grpc.aio.Channel]] = None

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections. Calls in flight end with CANCELLED."""
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
        """Translates a text, or all texts of a list in one request; see Client.translate."""
        request = translate_request(text, to, from_, options)
        return results_of(text, len(request.contents), await self._unary("Translate", request, timeout))

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
        """Translates any number of texts in bounded memory and yields them in order; see Client.translate_lines."""
        plan = Plan(to, from_, options, batch, concurrency, self._retry)
        return self._run_lines(plan, texts, timeout)

    async def translate_file(
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
        """Translates each line of a file into a line of another file, or a document; see Client.translate_file."""
        if format or is_document(source):
            request = translate_request([], to, from_, options)
            document = DocumentRun(request, source, target, resume, format, fields, retranslate)
            return await self._run_steps(document.steps(), timeout)
        with FileRun(source, target, resume) as run:
            async for result in self.translate_lines(
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
    ) -> AsyncIterator[Update]:
        """Yields an Update for each segment when it is complete, and for each complete text; see Client.stream."""
        request = translate_request(text, to, from_, options)
        request.return_options.partials = partials
        return self._run_stream(request, timeout)

    @overload
    async def score(  # type: ignore[overload-overlap]
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
    async def score(
        self,
        source: Sequence[str],
        target: Sequence[str],
        *,
        to: Optional[str] = None,
        from_: Optional[str] = None,
        timeout: Optional[float] = None,
        **options: Unpack[ScoreOptions],
    ) -> List[pb.PairScore]: ...

    async def score(
        self,
        source: Union[str, Sequence[str]],
        target: Union[str, Sequence[str]],
        *,
        to: Optional[str] = None,
        from_: Optional[str] = None,
        timeout: Optional[float] = None,
        **options: Unpack[ScoreOptions],
    ) -> Union[pb.PairScore, List[pb.PairScore]]:
        """Scores given translations; see Client.score."""
        request = score_request(source, target, to, from_, options)
        response: pb.ScoreResponse = await self._unary("Score", request, timeout)
        return scores_of(source, response)

    @overload
    async def detect(  # type: ignore[overload-overlap]
        self, text: str, *, model: str = "", html: bool = False, timeout: Optional[float] = None
    ) -> pb.Detection: ...

    @overload
    async def detect(
        self, text: Sequence[str], *, model: str = "", html: bool = False, timeout: Optional[float] = None
    ) -> List[pb.Detection]: ...

    async def detect(
        self,
        text: Union[str, Sequence[str]],
        *,
        model: str = "",
        html: bool = False,
        timeout: Optional[float] = None,
    ) -> Union[pb.Detection, List[pb.Detection]]:
        """Detects the languages of a text, or of each text of a list. The most probable is first; none if unknown."""
        request = detect_request(text, model, html)
        response: pb.DetectLanguageResponse = await self._unary("DetectLanguage", request, timeout)
        return detections_of(text, response)

    async def languages(self, model: str = "", *, timeout: Optional[float] = None) -> pb.ListLanguagesResponse:
        """Returns the languages and language pairs of a model, or of all models for ""."""
        request = pb.ListLanguagesRequest(model=model)
        response: pb.ListLanguagesResponse = await self._unary("ListLanguages", request, timeout)
        return response

    async def models(self, *, timeout: Optional[float] = None) -> List[pb.Model]:
        """Returns the models: those that serve, the default first, then those that are being loaded or drained."""
        response: pb.ListModelsResponse = await self._unary("ListModels", pb.ListModelsRequest(), timeout)
        return list(response.models)

    async def server_info(self, *, timeout: Optional[float] = None) -> pb.GetServerInfoResponse:
        """Returns the version and limits of the server."""
        response: pb.GetServerInfoResponse = await self._unary("GetServerInfo", pb.GetServerInfoRequest(), timeout)
        return response

    async def healthy(self, service: str = "", *, timeout: Optional[float] = None) -> bool:
        """Reports whether the server, or the model named `service`, is serving now. Never retries."""
        return says_serving(await self._unary("Check", health_request(service), timeout, RetryPolicy(max_attempts=1)))

    def _links(self) -> Links[grpc.aio.Channel]:
        if self._opened is None:
            settings = self._settings

            def make(address: str, options: List[Tuple[str, Any]]) -> grpc.aio.Channel:
                if settings.credentials is None:
                    return grpc.aio.insecure_channel(address, options)
                return grpc.aio.secure_channel(address, settings.credentials, options)

            self._opened = Links([Link(make, settings, address) for address in settings.addresses])
        return self._opened

    async def _run_steps(self, steps: Generator[Step, Any, FileReport], timeout: Optional[float]) -> FileReport:
        try:
            step = next(steps)
            while True:
                if isinstance(step, float):
                    await asyncio.sleep(step)
                    step = next(steps)
                    continue
                try:
                    answer = await self._unary(*step, timeout)
                except StatusError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as end:
            report: FileReport = end.value
            return report

    async def _unary(
        self,
        method: str,
        request: Any,
        timeout: Optional[float],
        policy: Optional[RetryPolicy] = None,
        budget: Optional[RetryBudget] = None,
    ) -> Any:
        attempts = self._attempts(timeout, policy, budget)
        while True:
            left = attempts.left()
            link = self._links().pick()
            try:
                answer = await link.methods[method](request, timeout=left, metadata=self._settings.metadata)
                attempts.succeeded()
                return answer
            except grpc.RpcError as failed:
                delay = attempts.delay_after(failed, link)
            await asyncio.sleep(delay)

    async def _run_stream(self, request: pb.TranslateRequest, timeout: Optional[float]) -> AsyncIterator[Update]:
        attempts = self._attempts(timeout)
        while True:
            left = attempts.left()
            link = self._links().pick()
            call = link.methods["StreamTranslate"](request, timeout=left, metadata=self._settings.metadata)
            request_id = ""
            received = False
            try:
                async for message in call:
                    received = True
                    request_id = message.request_id or request_id
                    yield Update(message, request_id)
                attempts.succeeded()
                return
            except grpc.RpcError as failed:
                delay = attempts.delay_after(failed, link, received)
            finally:
                call.cancel()
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

        window: Window[asyncio.Future[List[Translation]]] = Window(plan.concurrency)
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
                    window.add(batch, asyncio.ensure_future(translate(batch)))
                while window.must_leave(is_open):
                    # It leaves after its end, so that one that is cancelled here is waited for below.
                    results = await window.oldest()
                    window.leave()
                    for result in results:
                        yield result
        finally:
            tasks = list(window)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _in_turn(texts: Iterable[str]) -> AsyncIterator[str]:
    """Makes an asynchronous iterator of a plain iterable."""
    for text in texts:
        yield text
