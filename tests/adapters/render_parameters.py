#!/usr/bin/env python3
"""Writes server/compat/PARAMETERS.md, the table of APIs x methods x parameters, from parameters.json.

    tests/adapters/render_parameters.py           writes it
    tests/adapters/render_parameters.py --check   fails if it is not what this would write

The format of parameters.json. By API, and in "methods" by "METHOD /path (a remark)":

    base        the fields of a request that is answered; of GET in the query, else JSON
    error       where an error's message stands, as a JSON pointer; of the API or of a method
    rows        of these:
      parameter what the row is about
      outcome   done, refused (by name), or ignored (because the original ignores it)
      says      a remark for the table
      and its proof, which parameters.py runs:
      fields    put over the base; null takes a field away. body: in place of the base
      status    the HTTP status; default 200, of what is refused 400
      answer    what the answer has at JSON pointers: a text that is part of it, or the value itself. Default of
                what is refused: the error names the parameter; of what is ignored: the answer to the base
      detector  true: only a build with language detection has it
      or
      test      MODULE.FUNCTION of tests/adapters that shows it
"""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE.parents[1] / "server/compat/PARAMETERS.md"
OUTCOMES = {"done": "done", "refused": "refused by name", "ignored": "ignored, as the original does"}
KEYS = {"parameter", "outcome", "says", "fields", "body", "status", "answer", "detector", "test"}

HEAD = """# What the adapters take

Each parameter of each method is done, refused by name, or ignored because the original ignores it. Rendered from
`tests/adapters/parameters.json` by `tests/adapters/render_parameters.py`; `tests/adapters/parameters.py` sends every
row to a running daemon, or the row names the test that shows it.
"""


def load():
    return json.loads((HERE / "parameters.json").read_text())


def problems(apis):
    """What is wrong with the rows, as lines."""
    for api, section in apis.items():
        for method, entry in section["methods"].items():
            for row in entry["rows"]:
                place = f"{api}, {method}, {row.get('parameter')}"
                if row.get("outcome") not in OUTCOMES:
                    yield f"{place}: outcome {row.get('outcome')!r}, expected one of {', '.join(OUTCOMES)}"
                for key in row.keys() - KEYS:
                    yield f"{place}: unknown key {key!r}"
                if "test" in row:
                    module, _, function = row["test"].partition(".")
                    path = HERE / f"{module}.py"
                    if not path.exists() or not re.search(rf"^def {function}\(", path.read_text(), re.MULTILINE):
                        yield f"{place}: no test {row['test']}"
                elif row["outcome"] == "done" and "answer" not in row and "status" not in row:
                    yield f"{place}: nothing shows that it is done"


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def render(apis):
    lines = [HEAD]
    for api, section in apis.items():
        lines += [f"## {api}\n", "| method | parameter | outcome | |", "|---|---|---|---|"]
        for method, entry in section["methods"].items():
            for row in entry["rows"]:
                parameter = f"`{row['parameter']}`" if row["parameter"] else ""
                remark = row.get("says", "")
                if row.get("detector"):
                    remark = f"{remark}; with language detection" if remark else "with language detection"
                lines.append(f"| {cell(method)} | {cell(parameter)} | {OUTCOMES[row['outcome']]} | {cell(remark)} |")
        lines.append("")
    return "\n".join(lines)


def main():
    apis = load()
    wrong = list(problems(apis))
    if wrong:
        print("\n".join(wrong))
        return 1
    text = render(apis)
    if "--check" not in sys.argv[1:]:
        TABLE.write_text(text)
        return 0
    if not TABLE.exists() or TABLE.read_text() != text:
        print(f"{TABLE} is not what tests/adapters/parameters.json says: run tests/adapters/render_parameters.py")
        return 1
    rows = sum(len(entry["rows"]) for section in apis.values() for entry in section["methods"].values())
    print(f"passed: {rows} rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
