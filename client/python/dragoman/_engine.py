"""What the adapters of data engines share: how a task finds its server, and what a refused text becomes."""

from __future__ import annotations

import contextlib
from typing import Any, Dict, Iterator, Optional, Sequence, Tuple

from ._node import NodeDaemon
from ._request import make_request
from ._result import Translation
from ._retry import RetryPolicy
from .client import Client
from .options import Options


class EngineOptions(Options, total=False):
    """The keywords of the adapters: the options of a request, and where the requests go.

    The server is `server` ($DRAGOMAN_SERVER), which may list several, or with `local` a dragomand for this model that
    all tasks of a node share: a NodeDaemon, with `local_flags`. A task has at most `calls` (64) requests in flight.
    `settings` are keyword arguments of Client.
    """

    from_: str
    server: str
    local: str
    local_flags: Sequence[str]
    calls: int
    settings: Dict[str, Any]


class Endpoint:
    """Where the tasks send their requests, and with which options. It can be pickled."""

    def __init__(self, to: Optional[str], options: EngineOptions) -> None:
        given: Dict[str, Any] = {"priority": "bulk", **options}
        self._server = given.pop("server", None)
        local = given.pop("local", None)
        if self._server is not None and local is not None:
            raise ValueError("found both server and local, expected one of them")
        self._flags = ("--model", local, *given.pop("local_flags", ())) if local is not None else None
        self.settings: Dict[str, Any] = dict(given.pop("settings", None) or {})
        if local is not None:
            self.settings.setdefault("retry", RetryPolicy(answered=True))
        calls = given.pop("calls", 64)
        self.request = {"to": to, **given}
        """The keyword arguments of translate_lines that change the translations."""
        from_ = given.pop("from_", None)
        make_request([], to, from_, given)  # raises for an unknown keyword: here, and not on a worker
        self.arguments = {**self.request, "concurrency": calls}
        """The keyword arguments of translate_lines."""

    def join(self) -> Tuple[Optional[NodeDaemon], Optional[str]]:
        """Returns the node's daemon, which the caller closes, or None, and the server's address."""
        if self._flags is None:
            return None, self._server
        node = NodeDaemon(*self._flags)
        return node, node.address

    @contextlib.contextmanager
    def client(self) -> Iterator[Client]:
        node, address = self.join()
        try:
            with Client(address, **self.settings) as client:
                yield client
        finally:
            if node is not None:
                node.close()


def text_or_error(result: Translation, keep_errors: bool) -> Tuple[Optional[str], Optional[str]]:
    """The translation and the message of the error, of which one is None. Raises the error unless it is kept."""
    if keep_errors and result.error is not None:
        return None, str(result.error)
    return result.text, None
