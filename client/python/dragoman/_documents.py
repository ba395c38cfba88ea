"""Translates documents as jobs of a server. The blocking and the asyncio client share this code."""

from __future__ import annotations

import os
from typing import Any, Generator, Sequence, Tuple, Union

from ._errors import DragomanError, NotFound, from_status
from ._files import FileReport, Path
from .v1 import translation_pb2 as pb

SUFFIXES = frozenset(
    (".csv", ".docx", ".epub", ".htm", ".html", ".json", ".markdown", ".md", ".odp", ".ods", ".odt", ".po", ".pot")
    + (".pptx", ".properties", ".srt", ".tsv", ".vtt", ".xhtml", ".xlf", ".xliff", ".xlsx", ".yaml", ".yml")
)
PIECE_BYTES = 512 * 1024
LONGEST_PAUSE = 1.0
# How often a document is sent again to a server that has forgotten its job.
MOST_RESTARTS = 3

# The next step of a client: a call of a method, or a pause in seconds. The client sends the response of the call, or
# throws its error.
Step = Union[Tuple[str, Any], float]


def is_document(path: Path) -> bool:
    return os.path.splitext(os.fspath(path))[1].lower() in SUFFIXES


class DocumentRun:
    """The steps of one document."""

    def __init__(
        self,
        request: pb.TranslateRequest,
        source: Path,
        target: Path,
        resume: bool,
        format: str,
        fields: Sequence[str],
        retranslate: bool,
    ) -> None:
        self._target = target
        self._is_kept = resume and os.path.exists(target)
        if os.path.exists(target) and not resume:
            raise FileExistsError(f"{os.fspath(target)} exists; resume=True leaves it as it is")
        self._source = source
        name = os.path.basename(os.fspath(source))
        self._create = pb.CreateJobRequest(
            request=request,
            name=name,
            format=format,
            size=os.path.getsize(source),
            fields=fields,
            retranslate=retranslate,
        )

    def steps(self) -> Generator[Step, Any, FileReport]:
        if self._is_kept:
            return FileReport(lines=0, kept=1, failed=[])
        restarts = 0
        while True:
            try:
                return (yield from self._attempt())
            except NotFound:
                # The server was started again, and keeps no jobs.
                restarts += 1
                if restarts > MOST_RESTARTS:
                    raise

    def _attempt(self) -> Generator[Step, Any, FileReport]:
        job = yield "CreateJob", self._create
        with open(self._source, "rb") as file:
            while job.received < job.size:
                file.seek(job.received)
                data = file.read(PIECE_BYTES)
                if not data:
                    raise ValueError(f"{os.fspath(self._source)} has become shorter")
                job = yield "AppendToJob", pb.AppendToJobRequest(id=job.id, offset=job.received, data=data)
        pause = 0.05
        while job.state not in (pb.Job.DONE, pb.Job.FAILED):
            yield pause
            pause = min(1.5 * pause, LONGEST_PAUSE)
            job = yield "GetJob", pb.GetJobRequest(id=job.id)
        if job.state == pb.Job.FAILED:
            yield "DeleteJob", pb.DeleteJobRequest(id=job.id)
            raise from_status(job.error)
        yield from self._fetch(job)
        try:
            yield "DeleteJob", pb.DeleteJobRequest(id=job.id)
        except DragomanError:
            pass  # the server deletes it when it expires
        return FileReport(lines=job.texts, kept=0, failed=[], unchanged=job.failed_texts)

    def _fetch(self, job: pb.Job) -> Generator[Step, Any, None]:
        part = os.fspath(self._target) + ".part"
        with open(part, "wb") as file:
            while file.tell() < job.result_size:
                answer = yield "ReadJob", pb.ReadJobRequest(id=job.id, offset=file.tell())
                file.write(answer.data)
        os.replace(part, self._target)
