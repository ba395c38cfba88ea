"""Components for Haystack: `pip install dragoman-client[haystack]`."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, Optional

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.utils import Secret, deserialize_secrets_inplace

from ._lines import line_end
from .client import Client


class _Translator:
    """The base class of both components: a client, made when it is first needed, and the options of its calls."""

    def __init__(
        self,
        to: Optional[str] = None,
        from_: Optional[str] = None,
        server: Optional[str] = None,
        api_key: Secret = Secret.from_env_var("DRAGOMAN_API_KEY", strict=False),
        tls: bool = False,
        ca: Optional[str] = None,
        timeout: float = 120.0,
        options: Optional[Dict[str, Any]] = None,
    ) -> None:
        self.to = to
        self.from_ = from_
        self.server = server
        self.api_key = api_key
        self.tls = tls
        self.ca = ca
        self.timeout = timeout
        self.options = options or {}
        self._client: Optional[Client] = None

    def warm_up(self) -> None:
        if self._client is None:
            self._client = Client(
                self.server, tls=self.tls, ca=self.ca, api_key=self.api_key.resolve_value(), timeout=self.timeout
            )

    def _translate(self, texts: List[str]) -> List[str]:
        self.warm_up()
        assert self._client is not None
        results = self._client.translate_lines(texts, to=self.to, from_=self.from_, **self.options)
        return [result.text + line_end(text) for result, text in zip(results, texts)]

    def to_dict(self) -> Dict[str, Any]:
        names = ("to", "from_", "server", "tls", "ca", "timeout", "options")
        values = {name: getattr(self, name) for name in names}
        return default_to_dict(self, api_key=self.api_key.to_dict(), **values)

    @classmethod
    def from_dict(cls, data: Dict[str, Any]) -> Any:
        deserialize_secrets_inplace(data["init_parameters"], keys=["api_key"])
        return default_from_dict(cls, data)


@component
class DragomanDocumentTranslator(_Translator):
    """Translates the contents of documents and keeps their metadata. Documents without text are returned unchanged.

    `options` are keyword arguments of Client.translate_lines. Adds the id of the source document to the metadata as
    "source_id".
    """

    @component.output_types(documents=List[Document])
    def run(self, documents: List[Document]) -> Dict[str, List[Document]]:
        texts = [document.content for document in documents if document.content]
        results = iter(self._translate(texts))
        translated = []
        for document in documents:
            if document.content:
                meta = {**document.meta, "source_id": document.id}
                # Drops id and embedding, because they belong to the source text.
                document = dataclasses.replace(
                    document, id="", content=next(results), meta=meta, embedding=None, sparse_embedding=None
                )
            translated.append(document)
        return {"documents": translated}


@component
class DragomanTextTranslator(_Translator):
    """Translates one text, such as a query for documents in another language."""

    @component.output_types(text=str)
    def run(self, text: str) -> Dict[str, str]:
        return {"text": self._translate([text])[0]}
