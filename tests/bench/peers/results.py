"""What was measured: kept as JSON objects, one a line, and shown as tables and pictures.

Kinds of lines: `run` (machine, versions, command), `instructions` (what CTranslate2 says it uses), `setting` (what a
search for the best setting found), `measurement` (one in one round), `failure`, and what follows from them: `median` and `ratio`. A file that is there is taken up: what
is measured again replaces what there was of the same part, model and beam, the rest stays. `run` in a line is the
number of the run that it is from.
"""
import dataclasses
import json
import os
import statistics

import svg

DERIVED = ("median", "ratio")


@dataclasses.dataclass
class Metric:
    heading: str  # of its panel
    axis: str
    better: str = ""  # "more" or "less": then there are ratios


METRICS = {
    ("throughput", "texts/s"): Metric("texts per second", "texts/s, more is better", "more"),
    ("throughput", "processor s"): Metric("processor time", "s of all texts, less is better", "less"),
    ("quality", "BLEU"): Metric("BLEU", "more is better"),
    ("quality", "chrF"): Metric("chrF", "more is better"),
    ("latency", "p50 ms"): Metric("one sentence, p50", "ms, less is better", "less"),
    ("latency", "p99 ms"): Metric("one sentence, p99", "ms, less is better", "less"),
    ("libretranslate", "texts/s"): Metric("texts per second", "texts/s, more is better", "more"),
    ("libretranslate", "p50 ms"): Metric("p50 of a call", "ms, less is better", "less"),
    ("libretranslate", "p99 ms"): Metric("p99 of a call", "ms, less is better", "less"),
    ("invariance", "% changed"): Metric("translations that change with the batch", "% of the texts, less is better"),
    ("memory", "idle MiB"): Metric("resident memory, loaded and idle", "MiB, less is better", "less"),
    ("memory", "after load MiB"): Metric("resident memory after load", "MiB, less is better", "less"),
    ("memory", "peak MiB"): Metric("most resident memory", "MiB, less is better", "less"),
    ("memory", "first translation s"): Metric("start: until the first translation", "s, less is better", "less"),
}
TITLES = {
    "throughput": "Texts per second",
    "quality": "Translations beside references",
    "latency": "One sentence on idle cores",
    "invariance": "Does a translation depend on its batch?",
    "memory": "Memory and start",
    "libretranslate": "LibreTranslate over HTTP, Dragoman over gRPC and over HTTP",
}


class Results:
    def __init__(self, stem, header):
        """`stem`: the path of the files, without .json and the like. `header`: what there is to know of this run."""
        self.stem, self.kept, self.open, self.files = stem, [], None, []
        try:
            with open(f"{stem}.json", encoding="utf-8") as f:
                self.lines = [row for row in map(json.loads, f) if row["kind"] not in DERIVED]
        except FileNotFoundError:
            self.lines = []
        except ValueError as e:
            raise SystemExit(f"{stem}.json is not a file of results, one JSON object a line: {e}") from None
        self.run = 1 + max((row["run"] for row in self.lines), default=0)
        self.header = {"kind": "run", "run": self.run, **header}

    def begin(self, part, model, beam):
        """Drops what earlier runs measured there; add() is about this from now on."""
        if not any(row is self.header for row in self.lines):
            self.lines.append(self.header)
        self.open = dict(part=part, model=model, beam=beam)
        self.lines = [row for row in self.lines
                      if row["kind"] == "run" or row["run"] == self.run or any(row[k] != v for k, v in self.open.items())]
        used = {row["run"] for row in self.lines if row["kind"] != "run"} | {self.run}
        self.lines = [row for row in self.lines if row["run"] in used]

    def add(self, kind, **fields):
        row = {"kind": kind, "run": self.run, **self.open, **fields}
        self.lines.append(row)
        print(json.dumps(row), flush=True)
        self.save()  # every time: whoever ends this early finds what there is

    def measured(self, contestant, metric, value, round_number, **fields):
        self.add("measurement", metric=metric, contestant=contestant.name, type=contestant.type, ours=contestant.ours,
                 setting=contestant.setting, round=round_number, value=round(value, 4), **fields)

    def groups(self):
        """[((part, model, beam, metric), [row for each contestant])], in the order of METRICS."""
        found = {}
        for row in self.lines:
            if row["kind"] == "measurement":
                key = (row["part"], row["model"], row["beam"], row["metric"])
                found.setdefault(key, {}).setdefault(row["contestant"], []).append(row)
        order = list(METRICS)
        groups = []
        for key in sorted(found, key=lambda k: order.index((k[0], k[3]))):
            rows = []
            for name, measured in found[key].items():
                values = [row["value"] for row in measured]
                rows.append(dict(contestant=name, ours=measured[0]["ours"], setting=measured[-1]["setting"], rounds=len(values),
                                 value=statistics.median(values), least=min(values), most=max(values),
                                 detail=measured[-1].get("detail", "")))
            failed = {row["contestant"]: row for row in self.lines
                      if row["kind"] == "failure" and (row["part"], row["model"], row["beam"]) == key[:3]}
            rows = [dict(row, error=failed[row["contestant"]]["error"]) if row["contestant"] in failed else row for row in rows]
            rows += [dict(contestant=name, ours=row["ours"], setting="", rounds=0, value=None, error=row["error"], detail="")
                     for name, row in failed.items() if name not in found[key]]
            groups.append((key, rows))
        return groups

    def derived(self):
        for (part, model, beam, metric), rows in self.groups():
            at = dict(run=0, part=part, model=model, beam=beam, metric=metric)
            with_value = [row for row in rows if row["value"] is not None]
            for row in with_value:
                yield dict(kind="median", **at, **row)
            if METRICS[part, metric].better:
                for ours in with_value:
                    for theirs in with_value:
                        if ours["ours"] and theirs is not ours and theirs["value"]:
                            yield dict(kind="ratio", **at, of=ours["contestant"], to=theirs["contestant"],
                                       ratio=round(ours["value"] / theirs["value"], 4))

    def save(self):
        with open(f"{self.stem}.json.half", "w", encoding="utf-8") as f:
            for row in [*self.lines, *self.derived()]:
                print(json.dumps(row), file=f)
        os.replace(f"{self.stem}.json.half", f"{self.stem}.json")

    def table(self):
        ratios = {(r["part"], r["model"], r["beam"], r["metric"], r["of"], r["to"]): r["ratio"]
                  for r in self.derived() if r["kind"] == "ratio"}
        out = []
        for row in self.lines:
            if row["kind"] == "run":
                about = row["machine"]
                out += [f"run {row['run']}: {row['date']}, {named(about)}, {about['flags']}, "
                        f"load before {about['load']}", f"  {row['command']}",
                        "  " + ", ".join(f"{k} {v}" for k, v in row["versions"].items())]
        for key, rows in self.groups():
            part, model, beam, metric = key
            ours = [row["contestant"] for row in rows if row["ours"] and row["value"] is not None]
            if not METRICS[part, metric].better:
                ours = []
            out += ["", f"{TITLES[part]}: {where(model, beam)}, {METRICS[part, metric].axis}", "",
                    cells(["", "setting", metric, "least", "most", "rounds", *(f"{name} / it" for name in ours), "notes"]),
                    cells(["--"] * (7 + len(ours)))]
            for row in rows:
                if row["value"] is None:
                    out.append(cells([row["contestant"], "", "FAILED", "", "", "0", *([""] * len(ours)), row["error"]]))
                    continue
                shown = [ratios.get((*key, name, row["contestant"])) for name in ours]
                notes = "; ".join(filter(None, [row["detail"], f"FAILED later: {row['error']}" if "error" in row else ""]))
                out.append(cells([row["contestant"], row["setting"], *(svg.number(row[k]) for k in ("value", "least", "most")),
                                  str(row["rounds"]), *(f"{r:.3f}" if r else "-" for r in shown), notes]))
        failures = [row for row in self.lines if row["kind"] == "failure"]
        if failures:
            out += ["", "Failures:", *(f"  {row['part']}, {where(row['model'], row['beam'])}, {row['contestant']}: {row['error']}"
                                       for row in failures)]
        return "\n".join(out) + "\n"

    def write_report(self):
        """The table and a picture for each part, beside the data. Returns the paths."""
        self.save()
        paths = [f"{self.stem}.json", f"{self.stem}.txt"]
        with open(paths[1], "w", encoding="utf-8") as f:
            f.write(self.table())
        runs = [row for row in self.lines if row["kind"] == "run"]
        if not runs:
            return paths
        about = runs[-1]["machine"]
        note = f"{named(about)}; {about['flags']}\n{runs[-1]['date']}, medians of the rounds; lines: least to most"
        by_part = {}
        for (part, model, beam, metric), rows in self.groups():
            axis = METRICS[part, metric]
            by_part.setdefault(part, []).append(dict(
                heading=f"{axis.heading}: {where(model, beam)}", axis=axis.axis,
                bars=[dict(row, label=row["contestant"]) for row in rows]))
        for part, panels in by_part.items():
            paths.append(f"{self.stem}-{part}.svg")
            svg.bars(paths[-1], TITLES[part], note, panels)
        return paths


def named(about):
    """A machine in words."""
    return ", ".join([*([about["gpu"]] if "gpu" in about else []), about["cpu"], f"{about['processors']} processors"])


def where(model, beam):
    name = {"bundled": "bundled model", "firefox": "Firefox's en-pt model", "opus": "OPUS-MT shape, random weights",
            "nllb": "NLLB 600M shape, random weights"}[model]
    return f"{name}, beam {beam}" if beam else name


def cells(row):
    return "| " + " | ".join(str(cell).replace("|", "/") for cell in row) + " |"
