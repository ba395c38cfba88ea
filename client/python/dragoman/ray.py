"""Translation of a Ray dataset: `pip install dragoman-client[ray]`.

    dataset.map_batches(
        dragoman.ray.Translator,
        fn_constructor_kwargs={"column": "text", "to": "en", "local": "/models/de-en"},
        compute=ray.data.ActorPoolStrategy(min_size=1, max_size=8),
    )
"""

from __future__ import annotations

from typing import Any, AsyncIterator, Dict, Optional

import numpy
from typing_extensions import Unpack

from ._engine import Endpoint, EngineOptions, text_or_error
from .aio import AsyncClient


class Translator:
    """A class for Dataset.map_batches that translates a column of texts.

    The translation becomes the column `output`, and every other column stays. With `error` a text that the server
    refuses has no translation, and the column of this name has the reason; without it the error is raised.
    """

    def __init__(
        self,
        column: str,
        *,
        to: Optional[str] = None,
        output: str = "translation",
        error: Optional[str] = None,
        **options: Unpack[EngineOptions],
    ) -> None:
        self._endpoint = Endpoint(to, options)
        self._node, self._address = self._endpoint.join()
        self._column = column
        self._output = output
        self._error = error
        self._client: Optional[AsyncClient] = None

    async def __call__(self, batch: Dict[str, Any]) -> AsyncIterator[Dict[str, Any]]:
        if self._client is None:  # in the event loop of the actor
            self._client = AsyncClient(self._address, **self._endpoint.settings)
        texts = [str(text) for text in batch[self._column]]
        results = [
            text_or_error(result, self._error is not None)
            async for result in self._client.translate_lines(texts, **self._endpoint.arguments)
        ]
        columns = {self._output: numpy.array([text for text, _ in results], dtype=object)}
        if self._error is not None:
            columns[self._error] = numpy.array([error for _, error in results], dtype=object)
        yield {**batch, **columns}
