#!/usr/bin/env python3
"""Every row of parameters.json against a running daemon: what it says of a parameter holds. The format is in
render_parameters.py."""

import json
import re

from harness import GLOSSARY, check, need, run
from render_parameters import load

need("requests")
import requests  # noqa: E402


def at(value, pointer):
    """The part of an answer at a JSON pointer; None where there is none."""
    for part in pointer.split("/")[1:]:
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (KeyError, IndexError, TypeError, ValueError):
            return None
    return value


def has(found, expected):
    if isinstance(expected, str) and isinstance(found, str):
        return expected.lower() in found.lower()
    return found == expected


def ask(server, method, fields):
    """The answer to a request. Fields of GET stand in the query, those of others in JSON."""
    verb, path = re.match(r"(\w+) (\S+)", method).groups()
    where = {"params": fields} if verb == "GET" else {"json": fields}
    return requests.request(verb, server.url + path, timeout=60, **where)


def fields_of(entry, row):
    if "body" in row:
        return row["body"]
    if not isinstance(entry["base"], dict):
        return entry["base"]
    merged = {**entry["base"], **row.get("fields", {})}
    return {name: value for name, value in merged.items() if value is not None}


def problem(server, section, method, row):
    """Says what does not hold of a row; "" if all does."""
    entry = section["methods"][method]
    answer = ask(server, method, fields_of(entry, row))
    status = row.get("status", 400 if row["outcome"] == "refused" else 200)
    if answer.status_code != status:
        return f"status {answer.status_code}, expected {status}: {answer.text[:200]}"
    if answer.status_code == 204:
        return ""
    body = answer.json()
    expected = row.get("answer")
    if expected is None and row["outcome"] == "refused":
        expected = {entry.get("error", section["error"]): row["parameter"]}
    if expected is None:
        other = ask(server, method, entry["base"]).json()
        return "" if body == other else f"found {body}, expected {other}"
    for pointer, value in expected.items():
        if not has(at(body, pointer), value):
            return f"found {json.dumps(body, ensure_ascii=False)[:300]}, expected {value!r} at {pointer}"
    return ""


def test_rows(server):
    detects = server.detects()
    wrong, shown, skipped = [], 0, 0
    for api, section in load().items():
        for method, entry in section["methods"].items():
            for row in entry["rows"]:
                if "test" in row:
                    continue
                if row.get("detector") and not detects:
                    skipped += 1
                    continue
                found = problem(server, section, method, row)
                shown += 1
                if found:
                    wrong.append(f"{api}, {method}, {row['parameter']}: {found}")
    print(f"{shown} rows hold or not, {skipped} skipped without language detection")
    check(not wrong, "\n  ".join(["rows that do not hold:", *wrong]))


if __name__ == "__main__":
    run(globals(), glossary=GLOSSARY)
