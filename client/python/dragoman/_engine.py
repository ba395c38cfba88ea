"""What the adapters of data engines share: how a task finds its server, and what a refused text becomes."""

from __future__ import annotations

import contextlib
from typing import Any, Dict, Iterator, Optional, Sequence, Tuple

from ._node import NodeDaemon
from ._result import Translation
from ._retry import RetryPolicy
from .client import Client


class Endpoint:
    """The server of the tasks: `server` ($DRAGOMAN_SERVER), or with `local` a dragomand of each node (NodeDaemon with
    this model and `local_flags`). `settings` are keyword arguments of Client. It can be pickled.
    """

    def __init__(
        self,
        server: Optional[str],
        local: Optional[str],
        local_flags: Sequence[str],
        settings: Optional[Dict[str, Any]],
    ) -> None:
        if server is not None and local is not None:
            raise ValueError("found both server and local, expected one of them")
        self.settings = dict(settings or {})
        if local is not None:
            self.settings.setdefault("retry", RetryPolicy(answered=True))
        self._server = server
        self._flags = ("--model", local, *local_flags) if local is not None else None

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


def line_options(to: Optional[str], calls: int, options: Dict[str, Any]) -> Dict[str, Any]:
    """The keyword arguments of translate_lines."""
    return {"to": to, "concurrency": calls, "priority": "bulk", **options}


def text_or_error(result: Translation, keep_errors: bool) -> Tuple[Optional[str], Optional[str]]:
    """The translation and the message of the error, of which one is None. Raises the error unless it is kept."""
    if keep_errors and result.error is not None:
        return None, str(result.error)
    return result.text, None
