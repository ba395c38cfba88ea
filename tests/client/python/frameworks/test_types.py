"""mypy --strict, over the package and over a program that uses it."""

import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

import dragoman

ROOT = pathlib.Path(__file__).resolve().parents[4]
SITE = pathlib.Path(dragoman.__file__).parents[1]


def mypy(*arguments, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "/dev/null"]
        + ["--config-file", ROOT / "client/python/pyproject.toml", *arguments],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


class Types(unittest.TestCase):
    def test_the_package_is_strict(self):
        result = mypy("-p", "dragoman", cwd=SITE)
        self.assertEqual(result.returncode, 0, result.stdout)

    def check(self, program):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "program.py")
            file.write_text(textwrap.dedent(program))
            return mypy(file)

    def test_a_program_sees_the_types(self):
        right = self.check(
            """
            from typing import List
            import dragoman
            one: dragoman.Translation = dragoman.translate("x", to="en", beam_size=4, penalty="gnmt")
            many: List[dragoman.Translation] = dragoman.translate(["x"], to="en", required_phrases=["y"])
            for result in dragoman.Client().translate_lines(["x"], to="en", sampling=True):
                text: str = result.text
            """
        )
        self.assertEqual(right.returncode, 0, right.stdout)
        wrong = self.check(
            """
            import dragoman
            dragoman.translate("x", beam_sise=4)
            dragoman.translate("x", beam_size="4")
            dragoman.translate("x", penalty="none")
            """
        )
        lines = {line.split(":")[1] for line in wrong.stdout.splitlines() if ": error: " in line}
        self.assertEqual(lines, {"3", "4", "5"}, wrong.stdout)


if __name__ == "__main__":
    unittest.main()
