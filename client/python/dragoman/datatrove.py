"""A step of a datatrove pipeline: `pip install dragoman-client[datatrove]`.

    LocalPipelineExecutor(pipeline=[JsonlReader("in"), dragoman.datatrove.Translator(to="en"), JsonlWriter("out")])
"""

from __future__ import annotations

import collections
from typing import Deque, Iterator, Optional

from datatrove.data import Document, DocumentsPipeline
from datatrove.pipeline.base import PipelineStep
from typing_extensions import Unpack

from ._engine import Endpoint, EngineOptions, text_or_error


class Translator(PipelineStep):  # type: ignore[misc]  # It is not installed where types are checked.
    """Translates the texts of documents.

    The translation replaces the document's text, and the text becomes `metadata[source]`; with `output` the text stays,
    and the translation becomes `metadata[output]`. With `error` a document that the server refuses keeps its text, and
    `metadata[error]` has the reason; without it the error ends the task.
    """

    name = "Dragoman"
    type = "TRANSLATE"

    def __init__(
        self,
        *,
        to: Optional[str] = None,
        source: str = "source",
        output: Optional[str] = None,
        error: Optional[str] = None,
        **options: Unpack[EngineOptions],
    ) -> None:
        super().__init__()
        self._endpoint = Endpoint(to, options)
        self._source = source
        self._output = output
        self._error = error

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        waiting: Deque[Document] = collections.deque()

        def texts() -> Iterator[str]:
            for document in data:
                waiting.append(document)
                yield document.text

        with self._endpoint.client() as client:
            for result in client.translate_lines(texts(), **self._endpoint.arguments):
                document = waiting.popleft()
                text, reason = text_or_error(result, self._error is not None)
                if text is None:
                    document.metadata[self._error] = reason
                    self.stat_update("refused")
                elif self._output is not None:
                    document.metadata[self._output] = text
                else:
                    document.metadata[self._source] = document.text
                    document.text = text
                self.stat_update("documents")
                yield document
