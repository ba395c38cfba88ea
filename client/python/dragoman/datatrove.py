"""A step of a datatrove pipeline: `pip install dragoman-client[datatrove]`.

    LocalPipelineExecutor(pipeline=[JsonlReader("in"), dragoman.datatrove.Translator(to="en"), JsonlWriter("out")])
"""

from __future__ import annotations

import collections
from typing import Any, Deque, Dict, Iterator, Optional, Sequence

from datatrove.data import Document, DocumentsPipeline
from datatrove.pipeline.base import PipelineStep

from ._engine import Endpoint, line_options, text_or_error


class Translator(PipelineStep):  # type: ignore[misc]  # It is not installed where types are checked.
    """Translates the texts of documents.

    The translation replaces the document's text, and the text becomes `metadata[source]`; with `output` the text stays,
    and the translation becomes `metadata[output]`. The server is `server` ($DRAGOMAN_SERVER), or with `local` a
    dragomand for this model that all tasks of a node share (NodeDaemon, with `local_flags`). A task has at most `calls`
    requests in flight. `settings` are keyword arguments of Client, `to` and `options` those of translate_lines. With
    `error` a document that the server refuses keeps its text, and `metadata[error]` has the reason; without it the
    error ends the task.
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
        server: Optional[str] = None,
        local: Optional[str] = None,
        local_flags: Sequence[str] = (),
        calls: int = 64,
        settings: Optional[Dict[str, Any]] = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self._endpoint = Endpoint(server, local, local_flags, settings)
        self._source = source
        self._output = output
        self._error = error
        self._options = line_options(to, calls, options)

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        waiting: Deque[Document] = collections.deque()

        def texts() -> Iterator[str]:
            for document in data:
                waiting.append(document)
                yield document.text

        with self._endpoint.client() as client:
            for result in client.translate_lines(texts(), **self._options):
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
