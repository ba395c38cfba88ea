"""Tests of promises.py, on trees made up for it."""
import os
import tempfile
import unittest

import promises

TESTS = {
    'tests/server/a_test.cc': 'TEST_F(AdapterTest, IsClosed) {\n}\nTEST(Key, IsNotRepeated) {\n}\n',
    'tests/attack/transport.py': '@attack("reset", issue=1)\ndef reset():\n    pass\n',
    'tests/attack/harness.py': 'class Daemon:\n    pass\n',
}
TABLE = '| threat | answer | shown by |\n|---|---|---|\n'


def findings(text):
    with tempfile.TemporaryDirectory() as root:
        for path, content in {**TESTS, 'P.md': text}.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), 'w', encoding='utf-8') as file:
                file.write(content)
        return promises.check(root, list(TESTS), ['P.md'])


class Promises(unittest.TestCase):
    def test_names_of_tests_are_taken(self):
        self.assertEqual(findings('As `AdapterTest.IsClosed`, `transport.reset` and `transport.*` show.\n'), [])
        self.assertEqual(findings(TABLE + '| a | b | `Key.IsNotRepeated` |\n| c | d | `transport.reset` |\n'), [])
        self.assertEqual(findings(TABLE + '| a | b | `tests/server/a_test.cc` |\n| c | d | `transport.py` |\n'), [])

    def test_a_name_of_no_test_is_found_anywhere(self):
        for name in ('AdapterTest.IsOpen', 'AdapterTest.IsClosed...', 'Adapter.IsClosed', 'transport.rest', 'transport.x*'):
            self.assertEqual(findings(f'\nAs `{name}` shows.\n'),
                             [f'P.md:2: {name} is no test, expected the whole name of one'], name)

    def test_a_row_without_a_test_is_found(self):
        self.assertEqual(findings(TABLE + '| a | b | `Key.IsNotRepeated` |\n| c | d | arithmetic |\n'),
                         ['P.md:4: the row "c" names no test, expected one'])
        self.assertEqual(findings(TABLE + '| a | `Key.IsNotRepeated` | |\n'),
                         ['P.md:3: the row "a" names no test, expected one'])

    def test_other_tables_and_words_are_left_alone(self):
        self.assertEqual(findings('| a | b |\n|---|---|\n| c | d |\n\nSee `README.md`, `os.path` and `a.7`.\n'), [])
        self.assertEqual(findings(TABLE + '| a | b | not tried |\n'), [])


if __name__ == '__main__':
    unittest.main()
