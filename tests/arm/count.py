#!/usr/bin/env python3
"""Counts how fast the inner loops of products can be, from the machine code that was built.

    tests/arm/count.py [--x86]

For each tile of build/arm64's kernels (--x86: of build/release's, with the tables of cores of that kind) the innermost
loop with the products is given to llvm-mca, whose tables say what a core issues and how long results take. Printed are
cycles of one turn, multiply-adds in a cycle, and what share that is of the most that the core can issue of those
instructions alone.

For each fold of the output layer it is the way through its code that all results take but the few that may be candidates:
cycles for 16 results, and what share of the core's slots its instructions fill.

Nothing here is measured: caches, branches and memory are not in it.

Needs llvm-mca with the tables of these cores, of LLVM 17 or later (Debian 12: package llvm-19), and objdump of the
architecture.
"""

import argparse
import re
import shutil
import subprocess
import sys

ROOT = __file__.rsplit("/tests/", 1)[0]

# Cores, and the name of their tables in LLVM. Those of neoverse-n1 are for cortex-a76, whose core it is.
ARM_CORES = ["neoverse-n1", "neoverse-n2", "neoverse-v1", "neoverse-v2"]
X86_CORES = ["sapphirerapids", "icelake-server", "znver3"]

# Multiply-adds of an instruction that multiplies: 128 bits on ARM.
ARM_WORK = {
    "sdot": 16, "sudot": 16, "usdot": 16, "usmmla": 32, "bfdot": 8, "bfmmla": 16,
    "fmla": 4, "smull": 8, "smull2": 8, "smlal": 8, "smlal2": 8,
}
X86_WORK = {"vpmaddubsw": 32, "vfmadd": 8}

# Name, object, functions (a regular expression), the instructions whose products count, and how many of them the
# loop has: small tiles are made part of what calls them.
ARM_TILES = [
    ("int8, neon, 4 rows", "kernels_neon", r"Quantized.*Int8Dot", "smull|smlal", 32),
    ("int8, neon, 1 row", "kernels_neon", r"Quantized.*Int8Dot", "smull|smlal", 16),
    ("int8, dotprod, 4 rows", "quantized_dotprod", r"Quantized.*Int8Dot", "sdot", 64),
    ("int8, dotprod, 1 row", "quantized_dotprod", r"Quantized.*Int8Dot", "sdot", 32),
    ("int8, i8mm, 6 rows", "quantized_i8mm", r"Quantized.*Int8Dot", "usmmla", 24),
    ("int8, i8mm, 4 rows", "quantized_i8mm", r"Quantized.*Int8Dot", "usmmla", 16),
    ("int8, i8mm, 1 row", "quantized_i8mm", r"Quantized.*Int8Dot", "sudot", 32),
    ("bfloat16, i8mm, 6 rows", "quantized_i8mm", r"Quantized.*BFloat16Dot", "bfmmla", 24),
    ("bfloat16, i8mm, 1 row", "quantized_i8mm", r"Quantized.*BFloat16Dot", "bfdot", 32),
    ("float32, 6 rows", "kernels_neon", r"\bTile<|Panel\(", "fmla", 72),
]
X86_TILES = [
    ("int8, avx2, 4 rows", "kernels_avx2", r"Quantized.*ShortWeightDot", "vpmaddubsw", 16),
    ("float32, avx2, 4 rows", "kernels_avx2", r"\bTile<|Panel\(", "vfmadd", 12),
]

# Name, object, functions, how the way begins and how often it has an instruction that is there for each register of
# results. In a tile the way is from one look for candidates to the next; of loops it is one turn.
ARM_FOLDS = [
    ("in a tile of int8, neon", "kernels_neon", r"Quantized(Tile|Gemm)<.*Int8Dot", "umaxv", r"shl\s+v.*#23"),
    ("in a tile of int8, dotprod", "quantized_dotprod", r"Quantized(Tile|Gemm)<.*Int8Dot", "umaxv", r"shl\s+v.*#23"),
    ("in a tile of int8, i8mm", "quantized_i8mm", r"Quantized(Tile|Gemm)<.*Int8Dot", "umaxv", r"shl\s+v.*#23"),
    ("row_max", "kernels_neon", r"\bRowMax\(", None, r"fcmgt\b"),
    ("exp_sum", "kernels_neon", r"\bExpSum\(", None, r"shl\s+v.*#23"),
    ("find_above", "kernels_neon", r"\bFindAbove\(", None, r"fcmgt\b"),
]
X86_FOLDS = [
    ("in a tile of int8, avx2", "kernels_avx2", r"Quantized(Tile|Gemm)<.*ShortWeightDot", "vmovmskps", r"vpslld \$0x17"),
    ("row_max", "kernels_avx2", r"\bRowMax\(", None, r"vmaxps"),
    ("exp_sum", "kernels_avx2", r"\bExpSum\(", None, r"vpslld \$0x17"),
    ("find_above", "kernels_avx2", r"\bFindAbove\(", None, r"vcmp\w*ps"),
]
ARM_LANES = 4
X86_LANES = 8
JUMP = r"(?:b(?:\.\w+)?|cbn?z \w+,|tbn?z \w+, #\d+,|j\w+)\s+(?:0x)?([0-9a-f]+)\b"


def functions(objdump, path):
    """Yields (name, [(address, text)]) of an object file."""
    listing = subprocess.run([objdump, "-d", "-C", "--no-show-raw-insn", path], check=True, capture_output=True,
                             text=True).stdout
    for part in re.split(r"\n(?=[0-9a-f]{16} <)", listing):
        head = re.match(r"[0-9a-f]{16} <(.*)>:", part)
        if not head:
            continue
        code = []
        for line in part.split("\n")[1:]:
            cells = line.split("\t")
            if len(cells) >= 2 and re.match(r"\s*[0-9a-f]+:$", cells[0]):
                code.append((int(cells[0].strip()[:-1], 16), " ".join(cell.strip() for cell in cells[1:])))
        yield head.group(1), code


def inner_loops(code):
    """Yields the instructions of loops that have no other within."""
    place = {address: i for i, (address, _) in enumerate(code)}
    loops = []
    for i, (address, text) in enumerate(code):
        jump = re.match(JUMP, text)
        if jump and int(jump.group(1), 16) < address and int(jump.group(1), 16) in place:
            loops.append((place[int(jump.group(1), 16)], i))
    for begin, end in loops:
        if not any((b, e) != (begin, end) and begin <= b and e <= end for b, e in loops):
            yield [text for _, text in code[begin:end + 1]]


def loop_of(objdump, path, function, product, count):
    """The shortest inner loop of these functions with so many products."""
    found = [loop for name, code in functions(objdump, path) if re.search(function, name)
             for loop in inner_loops(code) if sum(1 for text in loop if re.match(product, text)) == count]
    return min(found, key=len, default=None)


def shortest_turn(code, mark):
    """The fewest instructions of a way from one that matches `mark` back to itself; its other instructions come along."""
    place = {address: i for i, (address, _) in enumerate(code)}
    after = []
    for i, (_, text) in enumerate(code):
        jump = re.match(JUMP, text)
        always = re.match(r"(b|jmp)\s", text)
        ends = re.match(r"(b|jmp|br|ret)\b(?!\.)", text)
        ways = [] if ends else [i + 1]
        if jump and int(jump.group(1), 16) in place and (always or not ends):
            ways.append(place[int(jump.group(1), 16)])
        after.append([way for way in ways if way < len(code)])
    best = None
    for start in (i for i, (_, text) in enumerate(code) if re.match(mark, text)):
        come_from, queue = {}, [start]
        while queue and start not in come_from:
            at = queue.pop(0)
            for way in after[at]:
                if way not in come_from:
                    come_from[way] = at
                    queue.append(way)
        if start not in come_from:
            continue
        turn = [come_from[start]]
        while turn[-1] != start:
            turn.append(come_from[turn[-1]])
        if best is None or len(turn) < len(best):
            best = turn
    return [code[i][1] for i in reversed(best)] if best else None


def fold_of(objdump, path, function, begin, mark):
    """The instructions of a fold: of a turn of its loop, or the median of the ways between looks in tiles."""
    ways = []
    for name, code in functions(objdump, path):
        if not re.search(function, name):
            continue
        if begin is None:
            ways.append(shortest_turn(code, mark))
            continue
        looks = [i for i, (_, text) in enumerate(code) if re.match(begin, text)]
        for first, last in zip(looks, looks[1:]):
            way = [text for _, text in code[first:last]]
            # Straight, but for the jump that follows the look.
            jumps = sum(1 for text in way if re.match(JUMP, text))
            if jumps == 1 and any(re.match(mark, text) for text in way):
                ways.append(way)
    ways = sorted(filter(None, ways), key=lambda way: len(way) / sum(1 for text in way if re.match(mark, text)))
    return ways[len(ways) // 2] if ways else None


def slots(mca, triple, core, lines, attributes):
    """Micro-operations of one turn, and how many the core can begin in a cycle."""
    text = "\n".join(lines) + "\n"
    done = subprocess.run([mca, f"-mtriple={triple}", f"-mcpu={core}", "-iterations=100", *attributes], input=text,
                          capture_output=True, text=True, check=True).stdout
    return int(re.search(r"Total uOps:\s+(\d+)", done).group(1)) / 100, int(re.search(r"Dispatch Width:\s+(\d+)", done).group(1))


def cycles(mca, triple, core, lines, attributes):
    """Cycles of one turn of these lines, of many."""
    turns = 200
    text = "\n".join(lines) + "\n"
    command = [mca, f"-mtriple={triple}", f"-mcpu={core}", f"-iterations={turns}", *attributes]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"count: {' '.join(command)} failed:\n{done.stderr}")
    return int(re.search(r"Total Cycles:\s+(\d+)", done.stdout).group(1)) / turns


def clean(text):
    """An instruction of objdump's as an assembler reads it: without symbols, jumps to a label of its own."""
    text = re.sub(r"\s*(//|# |<).*$", "", text)
    text = re.sub(r"^(b\.\w+) .*", r"\1 0", text)
    text = re.sub(r"^(cbn?z \w+),.*", r"\1, 0", text)
    return re.sub(r"^(j\w+) .*", r"\1 0", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--x86", action="store_true")
    x86 = parser.parse_args().x86
    mca = next((name for name in ("llvm-mca-19", "llvm-mca-18", "llvm-mca-17", "llvm-mca") if shutil.which(name)), None)
    if mca is None:
        sys.exit("count: no llvm-mca; install llvm-19")
    folder = f"{ROOT}/build/{'release' if x86 else 'arm64'}/kernels/CMakeFiles/dragoman_kernels.dir/cpu"
    objdump = "objdump" if x86 else "aarch64-linux-gnu-objdump"
    triple = "x86_64" if x86 else "aarch64"
    cores, tiles, work = (X86_CORES, X86_TILES, X86_WORK) if x86 else (ARM_CORES, ARM_TILES, ARM_WORK)
    attributes = [] if x86 else ["-mattr=+v8.2a,+dotprod,+i8mm,+bf16"]
    print("| loop | instructions, products | " + " | ".join(cores) + " |")
    print("|--|--|" + "--|" * len(cores))
    for name, source, function, product, count in tiles:
        loop = loop_of(objdump, f"{folder}/{source}.cc.o", function, product, count)
        if loop is None:
            sys.exit(f"count: no loop with {count} {product} in {function} of {source}")
        lines = [clean(text) for text in loop]
        products = [text for text in lines if re.match(product, text)]
        done = sum(next(macs for op, macs in work.items() if re.match(rf"{op}\b" if not x86 else op, text))
                   for text in products)
        cells = []
        for core in cores:
            if core == "neoverse-n1" and "i8mm" in name:
                cells.append("-")  # has no i8mm
                continue
            turn = cycles(mca, triple, core, lines, attributes)
            alone = cycles(mca, triple, core, products, attributes)
            cell = f"{turn:.1f} cycles, {done / turn:.0f} a cycle, {100 * min(1.0, alone / turn):.0f} %"
            cells.append(cell)
        print(f"| {name} | {len(lines)}, {len(products)} | " + " | ".join(cells) + " |")
    print("\n| fold | instructions for 16 results | " + " | ".join(cores) + " |")
    print("|--|--|" + "--|" * len(cores))
    for name, source, function, begin, mark in X86_FOLDS if x86 else ARM_FOLDS:
        way = fold_of(objdump, f"{folder}/{source}.cc.o", function, begin, mark)
        if way is None:
            sys.exit(f"count: no way with {mark} in {function} of {source}")
        share = 16 / (X86_LANES if x86 else ARM_LANES) / sum(1 for text in way if re.match(mark, text))
        lines = [clean(text) for text in way]
        cells = []
        for core in cores:
            if core == "neoverse-n1" and "i8mm" in name:
                cells.append("-")
                continue
            turn = cycles(mca, triple, core, lines, attributes)
            done, width = slots(mca, triple, core, lines, attributes)
            cells.append(f"{turn * share:.1f} cycles, {100 * done / width / turn:.0f} %")
        print(f"| {name} | {len(lines) * share:.0f} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
