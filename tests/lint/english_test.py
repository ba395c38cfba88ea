"""Tests of english.py, on trees made up for it."""
import os
import tempfile
import unittest

import english


def findings(path, text):
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        with open(os.path.join(root, path), 'w', encoding='utf-8') as file:
            file.write(text)
        lines, counts = english.check(root, [path])
        return lines[:-1], sum(counts.values())


class English(unittest.TestCase):
    def setUp(self):
        self.allowed = english.ALLOWED
        self.addCleanup(setattr, english, 'ALLOWED', self.allowed)
        english.ALLOWED = {}

    def expect(self, path, text, *found):
        lines, _ = findings(path, text)
        self.assertEqual(len(lines), len(found), lines)
        for line, part in zip(lines, found):
            self.assertTrue(line.startswith(f'{path}:{part}'), line)

    def test_a_block_without_a_subject_is_found(self):
        for word in ('Of', 'As', 'What', 'Those', 'By', 'For'):
            self.expect('a/a.h', f'int a;\n  // {word} such memory.\nint b;\n', '2: opening: // ' + word)

    def test_only_the_first_line_of_a_block_counts(self):
        self.expect('a/a.cc', '// The size\n// of all.\n// As much as that.\nint a;  // Of it.\n')
        self.expect('a/a.cc', '// Office, Format, Byte.\n')

    def test_idioms_are_found_in_comments_and_texts(self):
        self.expect('a/a.cu', '// Bits in any company.\n', '1: idiom')
        self.expect('a/a.inc', 'f("memory cannot be had");  // no memory\n', '1: idiom')
        self.expect('a/a.proto', 'int a = 1;  // both have to be said\n', '1: idiom')
        self.expect('a/a.md', 'Text\nthat has to be said.\n', '2: idiom')

    def test_the_advice_is_that_of_the_phrase(self):
        lines, _ = findings('a/a.md', 'A value that is no number.\n')
        self.assertIn('[is not a number]', lines[0])

    def test_code_and_quotes_are_left_alone(self):
        self.expect('a/a.cc', 'int in_any_company = has(to, be, said);\n')
        self.expect('a/a.md', 'Not "in any company", nor `cannot be had`.\n\n    have to be said\n\n```\nturned about\n```\n')

    def test_long_lines_of_documents_are_found(self):
        long = 'word ' * 30
        self.expect('a/a.md', f'{long}\n', '1: columns')
        self.expect('a/a.md', f'| {long} |\n![{long}](b)\n\n    {long}\n    {long}\n\n```\n{long}\n```\n')

    def test_a_room_may_have_as_many_as_it_is_allowed(self):
        english.ALLOWED = {'opening': {'a/b': 2}}
        two = '// Of one.\nint a;\n// Of two.\nint b;\n'
        self.assertEqual(findings('a/b/c.h', two), ([], 2))
        self.assertEqual(len(findings('a/b/c.h', two + '// Of three.\n')[0]), 3)
        self.assertEqual(len(findings('a/c.h', two)[0]), 2)


if __name__ == '__main__':
    unittest.main()
