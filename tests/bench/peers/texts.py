"""The texts that are translated: files of lines, one text each."""
import os
import random
import re


def read(path):
    with open(path, encoding="utf-8", newline="\n") as f:
        return [line.rstrip("\n") for line in f]


def write(path, texts):
    with open(path, "w", encoding="utf-8", newline="\n") as f:
        f.writelines(text + "\n" for text in texts)
    return path


def sentences(path):
    """The lines of `path` that have a letter or digit, white space as single spaces."""
    with open(path, encoding="utf-8") as f:
        return [" ".join(line.split()) for line in f if re.search(r"\w", line)]


class Texts:
    """`count` texts of 1 to `join` lines of `source`, drawn by a fixed seed, in two files: the longest first, at random."""

    def __init__(self, folder, name, source, count, join=4):
        rng = random.Random(1)
        lines = sentences(source)
        drawn = [" ".join(rng.sample(lines, min(len(lines), rng.randint(1, join)))) for _ in range(count)]
        self.count = count
        self.random = write(os.path.join(folder, f"{name}-random"), drawn)
        self.sorted = write(os.path.join(folder, f"{name}-sorted"), sorted(drawn, key=len, reverse=True))

    def some(self, count):
        """The path of a file with at most `count` of them from everywhere among the lengths, sorted."""
        if count >= self.count:
            return self.sorted
        every = read(self.sorted)
        return write(f"{self.sorted}-{count}", [every[(2 * i + 1) * len(every) // (2 * count)] for i in range(count)])
