"""Translation of a Spark data frame: `pip install dragoman-client[spark]`.

    translated = dragoman.spark.translate(frame, "text", to="en", local="/models/de-en")
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator, Optional, Sequence

import pyarrow
from pyspark.sql import DataFrame
from pyspark.sql.types import StringType, StructField, StructType

from ._engine import Endpoint, line_options, text_or_error


def translate(
    frame: DataFrame,
    column: str,
    *,
    to: Optional[str] = None,
    output: str = "translation",
    error: Optional[str] = None,
    server: Optional[str] = None,
    local: Optional[str] = None,
    local_flags: Sequence[str] = (),
    calls: int = 64,
    settings: Optional[Dict[str, Any]] = None,
    **options: Any,
) -> DataFrame:
    """Returns the frame with the translations of a column of texts as the column `output`.

    A null stays null. The server is `server` ($DRAGOMAN_SERVER on the workers), or with `local` a dragomand for this
    model that all tasks of a node share (NodeDaemon, with `local_flags`). A task has at most `calls` requests in
    flight. `settings` are keyword arguments of Client, `to` and `options` those of translate_lines. With `error` a text
    that the server refuses has a null for a translation, and the column of this name has the reason; without it the
    error fails the task.
    """
    endpoint = Endpoint(server, local, local_flags, settings)
    added = [output] if error is None else [output, error]
    schema = StructType([*frame.schema.fields, *(StructField(name, StringType(), True) for name in added)])
    arguments = line_options(to, calls, options)

    def run(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        with endpoint.client() as client:
            for batch in batches:
                texts = batch.column(column).to_pylist()
                results = client.translate_lines([text for text in texts if text is not None], **arguments)
                rows = [
                    (None, None) if text is None else text_or_error(next(results), error is not None) for text in texts
                ]
                columns = [pyarrow.array(values, pyarrow.string()) for values in zip(*rows)] if rows else []
                columns = columns or [pyarrow.array([], pyarrow.string())] * 2
                yield pyarrow.RecordBatch.from_arrays(
                    [*batch.columns, *columns[: len(added)]], [*batch.schema.names, *added]
                )

    return frame.mapInArrow(run, schema)
