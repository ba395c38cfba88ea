"""Translation of Parquet files: `pip install dragoman-client[parquet]`."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import pathlib
import shutil
from typing import Any, BinaryIO, Dict, List, Optional, Sequence, Set, Tuple, Union

import pyarrow
from pyarrow import parquet
from typing_extensions import Unpack

from ._engine import Endpoint, EngineOptions, text_or_error
from .client import Client

_BLOCK = 20_000
"""The rows that a run loses at most when it is killed."""
_KEY = b"dragoman"
"""Of the metadata of a file: what it was made of."""


def translate_parquet(
    source: Union[str, os.PathLike[str]],
    target: Union[str, os.PathLike[str]],
    column: str,
    *,
    to: Optional[str] = None,
    output: str = "translation",
    error: Optional[str] = None,
    **options: Unpack[EngineOptions],
) -> bool:
    """Writes a copy of a file to which the translations of a column of texts are added as the column `output`.

    Rows, their order, row groups and metadata stay, and a null stays null. With `error` a text that the server refuses
    has a null for a translation, and the column of this name has the reason; without it the error is raised.

    `target` appears when it is complete. A run that was killed or failed continues if it is started again: the folder
    TARGET.parts keeps blocks of 20,000 rows until then. A target that was made of the same source, with the same
    options and models, is left alone, and the function returns False. It uses the memory of one row group. Raises
    BlockingIOError if another process writes the same target, and ValueError if `column` is not a column of texts.
    """
    endpoint = Endpoint(to, options)
    target = pathlib.Path(target)
    added = [output] if error is None else [output, error]
    with open(source, "rb") as stream, endpoint.client() as client:
        file = parquet.ParquetFile(stream)
        _check_columns(file.schema_arrow, column, added)
        what = {"source": _sha256(stream), "column": column, "added": added, "options": endpoint.request}
        served = _checksums(client)
        if _is_of(target, what, served):
            return False
        parts = target.with_name(target.name + ".parts")
        parts.mkdir(exist_ok=True)
        with open(parts / "lock", "wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for group in range(file.num_row_groups):
                texts = file.read_row_group(group, columns=[column]).column(0).cast(pyarrow.string())
                for begin in range(0, len(texts), _BLOCK):
                    part = parts / f"{group}-{begin}"
                    if not _is_of(part, what, served):
                        table, models = _translated(client, texts.slice(begin, _BLOCK), endpoint.arguments, added)
                        _write_whole(_marked(table, what, {name: served.get(name, "") for name in models}), part)
            _join(file, parts, what, target)
            shutil.rmtree(parts)
    return True


def _sha256(stream: BinaryIO) -> str:
    digest = hashlib.sha256()
    stream.seek(0)
    while block := stream.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()


def _checksums(client: Client) -> Dict[str, str]:
    """The checksums of the server's models. That of a pivot is made of its models'."""
    models = client.models()
    known = {model.name: model.checksum for model in models if model.checksum}
    pivots = {model.name: "+".join(known.get(name, "") for name in model.pivot) for model in models if model.pivot}
    return {**known, **pivots}


def _mark(path: pathlib.Path) -> Dict[str, Any]:
    """What a file was made of, which `_marked` wrote into its metadata; {} if there is none."""
    if not path.exists():
        return {}
    mark: Dict[str, Any] = json.loads((parquet.read_schema(path).metadata or {}).get(_KEY, b"{}"))
    return mark


def _marked(table: pyarrow.Table, what: Dict[str, Any], models: Dict[str, str]) -> pyarrow.Table:
    mark = json.dumps({"what": what, "models": models}, default=str).encode()
    return table.replace_schema_metadata({**(table.schema.metadata or {}), _KEY: mark})


def _is_of(path: pathlib.Path, what: Dict[str, Any], served: Dict[str, str]) -> bool:
    """Reports whether the file was made of `what`, and its models are those that are served."""
    mark = _mark(path)
    same = mark.get("what") == json.loads(json.dumps(what, default=str))
    return same and all(served.get(name, "") == checksum for name, checksum in mark["models"].items())


def _check_columns(schema: pyarrow.Schema, column: str, added: Sequence[str]) -> None:
    names = schema.names
    if column not in names:
        raise ValueError(f"found no column {column!r}, expected one of {', '.join(names)}")
    kind = schema.field(column).type
    if pyarrow.types.is_dictionary(kind):
        kind = kind.value_type
    if not (pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind)):
        raise ValueError(f"column {column!r} has the type {kind}, expected string")
    for name in added:
        if name in names or added.count(name) > 1:
            raise ValueError(f"there is already a column {name!r}, expected a new name")


def _translated(
    client: Client, texts: pyarrow.ChunkedArray, arguments: Dict[str, Any], added: Sequence[str]
) -> Tuple[pyarrow.Table, Set[str]]:
    """The columns to add, and the models that answered."""
    values = texts.to_pylist()
    models = set()
    rows: List[Tuple[Optional[str], Optional[str]]] = []
    results = client.translate_lines([text for text in values if text is not None], **arguments)
    for text in values:
        if text is None:
            rows.append((None, None))
            continue
        result = next(results)
        models.add(result.model)
        rows.append(text_or_error(result, len(added) > 1))
    columns = [pyarrow.array(column, pyarrow.string()) for column in zip(*rows)]
    return pyarrow.table(columns[: len(added)], names=added), models - {""}


def _write_whole(table: pyarrow.Table, path: pathlib.Path) -> None:
    temporary = path.with_name(path.name + ".tmp")
    parquet.write_table(table, temporary)
    temporary.replace(path)


def _join(file: parquet.ParquetFile, parts: pathlib.Path, what: Dict[str, Any], target: pathlib.Path) -> None:
    """Writes the target of the source and the blocks."""
    blocks = [
        [parts / f"{group}-{begin}" for begin in range(0, file.metadata.row_group(group).num_rows, _BLOCK)]
        for group in range(file.num_row_groups)
    ]
    models = {name: checksum for group in blocks for path in group for name, checksum in _mark(path)["models"].items()}
    fields = [pyarrow.field(name, pyarrow.string()) for name in what["added"]]
    empty = pyarrow.schema([*file.schema_arrow, *fields], metadata=file.schema_arrow.metadata).empty_table()
    schema = _marked(empty, what, models).schema
    codec = file.metadata.row_group(0).column(0).compression if file.num_row_groups else "SNAPPY"
    temporary = parts / "whole.tmp"
    with parquet.ParquetWriter(temporary, schema, compression=codec) as writer:
        for group, paths in enumerate(blocks):
            table = file.read_row_group(group)
            if paths:
                new = pyarrow.concat_tables([parquet.read_table(path) for path in paths])
                whole = pyarrow.table([*table.columns, *new.columns], schema=schema)
                writer.write_table(whole, row_group_size=len(table))
    temporary.replace(target)
