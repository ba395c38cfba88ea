"""Client of the Dragoman translation server.

    import dragoman
    print(dragoman.translate("Guten Morgen!", to="en"))

`Client` is for programs without asyncio, `AsyncClient` for programs with it. The messages of the gRPC API are in
`dragoman.v1.translation_pb2`.
"""

from __future__ import annotations

import importlib.metadata
import threading
from typing import List, Optional, Sequence, Union, overload

from typing_extensions import Unpack

from ._errors import (
    Cancelled,
    DeadlineExceeded,
    DragomanError,
    FieldViolation,
    Internal,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    ResourceExhausted,
    StatusError,
    Unauthenticated,
    Unavailable,
    Unimplemented,
)
from ._files import FileReport
from ._node import NodeDaemon
from ._result import Translation, Update
from ._retry import RetryPolicy
from .aio import AsyncClient
from .client import Client
from .options import Options
from .v1.translation_pb2 import RequiredPhrase, Term

__version__ = importlib.metadata.version("dragoman-client")
__all__ = [
    "AsyncClient",
    "Cancelled",
    "Client",
    "DeadlineExceeded",
    "DragomanError",
    "FieldViolation",
    "FileReport",
    "Internal",
    "InvalidArgument",
    "NodeDaemon",
    "NotFound",
    "Options",
    "PermissionDenied",
    "RequiredPhrase",
    "ResourceExhausted",
    "RetryPolicy",
    "StatusError",
    "Term",
    "Translation",
    "Unauthenticated",
    "Unavailable",
    "Unimplemented",
    "Update",
    "translate",
]

_lock = threading.Lock()
_client: Optional[Client] = None


def _default_client() -> Client:
    global _client
    with _lock:
        if _client is None:
            _client = Client()
        return _client


@overload
def translate(  # type: ignore[overload-overlap]
    text: str,
    *,
    to: Optional[str] = None,
    from_: Optional[str] = None,
    timeout: Optional[float] = None,
    **options: Unpack[Options],
) -> Translation: ...


@overload
def translate(
    text: Sequence[str],
    *,
    to: Optional[str] = None,
    from_: Optional[str] = None,
    timeout: Optional[float] = None,
    **options: Unpack[Options],
) -> List[Translation]: ...


def translate(
    text: Union[str, Sequence[str]],
    *,
    to: Optional[str] = None,
    from_: Optional[str] = None,
    timeout: Optional[float] = None,
    **options: Unpack[Options],
) -> Union[Translation, List[Translation]]:
    """Translates with the server at $DRAGOMAN_SERVER, else localhost:50051; see Client.translate."""
    return _default_client().translate(text, to=to, from_=from_, timeout=timeout, **options)
