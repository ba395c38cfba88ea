"""How fixtures are stored: one JSON value a line, compressed by gzip. Needs only the standard library."""
import gzip
import json


def write_jsonl(path, rows, separators=(",", ":")):
    """Writes `path`, a .jsonl.gz. The same rows give the same bytes: the header holds neither time nor name."""
    text = "".join(json.dumps(row, ensure_ascii=False, separators=separators) + "\n" for row in rows)
    # Not gzip.compress: its header is another one from release to release of Python.
    with open(path, "wb") as f, gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=f, mtime=0) as out:
        out.write(text.encode("utf-8"))
