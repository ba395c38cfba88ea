"""Translation of a Spark data frame: `pip install dragoman-client[spark]`.

    translated = dragoman.spark.translate(frame, "text", to="en", local="/models/de-en")
"""

from __future__ import annotations

from typing import Iterable, Iterator, Optional

import pyarrow
from pyspark.sql import DataFrame
from pyspark.sql.types import StringType, StructField, StructType
from typing_extensions import Unpack

from ._engine import Endpoint, EngineOptions, text_or_error


def translate(
    frame: DataFrame,
    column: str,
    *,
    to: Optional[str] = None,
    output: str = "translation",
    error: Optional[str] = None,
    **options: Unpack[EngineOptions],
) -> DataFrame:
    """Returns the frame with the translations of a column of texts as the column `output`.

    A null stays null. With `error` a text that the server refuses has a null for a translation, and the column of this
    name has the reason; without it the error fails the task.
    """
    endpoint = Endpoint(to, options)
    added = [output] if error is None else [output, error]
    schema = StructType([*frame.schema.fields, *(StructField(name, StringType(), True) for name in added)])

    def run(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        with endpoint.client() as client:
            for batch in batches:
                texts = batch.column(column).to_pylist()
                results = client.translate_lines([text for text in texts if text is not None], **endpoint.arguments)
                rows = [
                    (None, None) if text is None else text_or_error(next(results), error is not None) for text in texts
                ]
                columns = [pyarrow.array([row[i] for row in rows], pyarrow.string()) for i in range(len(added))]
                yield pyarrow.RecordBatch.from_arrays([*batch.columns, *columns], [*batch.schema.names, *added])

    return frame.mapInArrow(run, schema)
