"""Translates a file line by line into another file. The blocking and the asyncio client share this code."""

from __future__ import annotations

import os
from types import TracebackType
from typing import IO, Iterator, List, NamedTuple, Optional, Tuple, Type, Union

from ._errors import StatusError
from ._result import Translation

Path = Union[str, "os.PathLike[str]"]


class FileReport(NamedTuple):
    """The result of translate_file."""

    lines: int
    """The number of lines of the target, which is that of the source."""
    kept: int
    """The number of lines that were kept from an earlier run."""
    failed: List[Tuple[int, StatusError]]
    """The number, from 1, and the error of each line that failed in this run. These lines are empty in the target."""
    unchanged: int = 0
    """The number of texts of a document that failed and stay as they are. `lines` is the number of its texts."""


class FileRun:
    """A context manager that opens and closes the two files of a run."""

    def __init__(self, source: Path, target: Path, resume: bool) -> None:
        self._source_path = source
        self._target_path = target
        self._resume = resume
        self._failed: List[Tuple[int, StatusError]] = []
        self._kept = 0
        self._lines = 0

    def __enter__(self) -> FileRun:
        # Only \n ends a line, as in the target. A line with bytes that are not UTF-8 fails.
        self._source: IO[str] = open(self._source_path, encoding="utf-8", errors="surrogateescape", newline="\n")
        try:
            self._keep()
            self._target: IO[bytes] = open(self._target_path, "ab")
        except BaseException:
            self._source.close()
            raise
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self._source.close()
        self._target.close()

    def texts(self) -> Iterator[str]:
        """The lines of the source that are still to be translated."""
        for number in range(self._kept):
            if not self._source.readline():
                raise ValueError(
                    f"{self._target_path} has {self._kept} translations, and {self._source_path} has {number} lines; "
                    "expected the source of the earlier run"
                )
        yield from self._source

    def write(self, result: Translation) -> None:
        self._lines += 1
        if result.error is not None:
            self._failed.append((self._lines, result.error))
        text = "" if result.error is not None else result.text.replace("\n", " ")
        self._target.write(text.encode() + b"\n")

    def report(self) -> FileReport:
        return FileReport(self._lines, self._kept, self._failed)

    def _keep(self) -> None:
        """Truncates the target after its last complete line that is not empty."""
        if not os.path.exists(self._target_path) or os.path.getsize(self._target_path) == 0:
            return
        if not self._resume:
            raise FileExistsError(f"{self._target_path} has content, expected resume=True to go on with it")
        lines = end = kept_bytes = 0
        with open(self._target_path, "rb") as old:
            for line in old:
                if not line.endswith(b"\n"):
                    break
                lines += 1
                end += len(line)
                if line != b"\n":
                    self._kept, kept_bytes = lines, end
        os.truncate(self._target_path, kept_bytes)
        self._lines = self._kept
