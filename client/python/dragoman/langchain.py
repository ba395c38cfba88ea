"""A document transformer for LangChain: `pip install dragoman-client[langchain]`."""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence

from langchain_core.documents import BaseDocumentTransformer, Document

from ._lines import line_end
from ._result import Translation
from .aio import AsyncClient
from .client import Client


class DragomanTranslateTransformer(BaseDocumentTransformer):
    """Translates the contents of documents and keeps their metadata.

    `to` and `options` are keyword arguments of Client.translate_lines. Keyword arguments of a call override them. Adds
    "model", the name of the model, to the metadata and, if the server detected the language, "detected_language".

    `client` is the Client to use. Without it, a Client is made with the keyword arguments `settings`.
    """

    def __init__(
        self,
        to: Optional[str] = None,
        *,
        client: Optional[Client] = None,
        settings: Optional[Dict[str, Any]] = None,
        **options: Any,
    ) -> None:
        if client is not None and settings is not None:
            raise ValueError("found both client and settings, expected one of them")
        self._settings = settings or {}
        # Asynchronous calls need an AsyncClient of their event loop, which can be made only from settings.
        self._has_client = client is not None
        self._client = client or Client(**self._settings)
        self._options = {"to": to, **options}

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        results = self._client.translate_lines(
            [document.page_content for document in documents], **{**self._options, **kwargs}
        )
        return [translated(document, result) for document, result in zip(documents, results)]

    async def atransform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        if self._has_client:
            return await super().atransform_documents(documents, **kwargs)
        async with AsyncClient(**self._settings) as client:
            texts = [document.page_content for document in documents]
            results = [result async for result in client.translate_lines(texts, **{**self._options, **kwargs})]
        return [translated(document, result) for document, result in zip(documents, results)]


def translated(document: Document, result: Translation) -> Document:
    metadata = {**document.metadata, "model": result.model}
    if result.detected_language:
        metadata["detected_language"] = result.detected_language
    return Document(page_content=result.text + line_end(document.page_content), metadata=metadata)
