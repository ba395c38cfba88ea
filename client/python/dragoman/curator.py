"""A backend for the TranslationStage of NeMo Curator: `pip install dragoman-client[curator]`.

    TranslationStage(source_lang="de", target_lang="en", **dragoman.curator.backend(local="/models/de-en"))
"""

from __future__ import annotations

import asyncio
from typing import Any, Dict, List, Optional

from nemo_curator.stages.text.experimental.translation.backends import TranslationBackend, register_backend
from typing_extensions import Unpack

from ._engine import Endpoint, EngineOptions
from ._node import NodeDaemon
from .client import Client

_NAME = "dragoman"


class Backend(TranslationBackend):  # type: ignore[misc]  # It is not installed where types are checked.
    """The backend that `backend` names. Curator makes it on its workers."""

    def __init__(self, **options: Unpack[EngineOptions]) -> None:
        super().__init__()
        self._endpoint = Endpoint(None, options)
        self._node: Optional[NodeDaemon] = None
        self._client: Optional[Client] = None

    def setup(self) -> None:
        super().setup()
        if self._client is None:
            self._node, address = self._endpoint.join()
            self._client = Client(address, **self._endpoint.settings)

    def check_server(self) -> bool:
        return self._opened().healthy()

    async def translate_batch_async(self, texts: List[str], source_lang: str, target_lang: str) -> List[str]:
        arguments = {**self._endpoint.arguments, "from_": source_lang, "to": target_lang}
        # Curator makes an event loop for each batch, and an AsyncClient would belong to one of them.
        return await asyncio.to_thread(
            lambda: [result.text for result in self._opened().translate_lines(texts, **arguments)]
        )

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None
        if self._node is not None:
            self._node.close()
            self._node = None
        super().close()

    def _opened(self) -> Client:
        if self._client is None:
            raise RuntimeError("found a backend without setup(), expected setup() first")
        return self._client


class _Config(Dict[str, Any]):
    """The keyword arguments of Backend. A worker that unpickles it imports this module, which registers the backend."""

    def __reduce__(self) -> Any:
        return _Config, (dict(self),)


def backend(**options: Unpack[EngineOptions]) -> Dict[str, Any]:
    """Returns the keyword arguments `backend_type` and `backend_config` of TranslationStage.

    Curator records the error of a segment that the server refuses.
    """
    Endpoint(None, options)
    return {"backend_type": _NAME, "backend_config": _Config(options)}


register_backend(_NAME, Backend)
