"""Plants citations in a tree of its own and looks at what citations.py says of them."""
import os
import subprocess
import sys
import tempfile
import unittest

import citations

SEARCH = '''# The rules

## 0. Conventions

### 0.1 Scores

## a. Search

### a.1 One step

1. Children.
2. Pool.

### a.7 Profiles

#### Stop rules

    ### a.9 not a heading, but code

## d. Phrases
'''


class CitationsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.write('kernels/search/SEARCH.md', SEARCH)
        self.write('engine/README.md', '# engine\n\n## Who owns `a segment`\n\nAs SEARCH.md a.7 says.\n')
        self.write('README.md', '# All\n\n[engine](engine/README.md#who-owns-a-segment), [tests](tests)\n')
        self.write('tests/lint.sh', '# See engine/README.md, "Who owns a segment".\necho nothing.md a.9\n')

    def write(self, path, text):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, 'w', encoding='utf-8') as file:
            file.write(text)

    def findings(self):
        paths = []
        for folder, _, names in os.walk(self.root):
            paths += [os.path.relpath(os.path.join(folder, name), self.root) for name in names]
        return citations.check(self.root, paths)

    def expect(self, path, text, *expected):
        """The findings after `text` was written to `path`; a part of each, in order."""
        self.write(path, text)
        found = self.findings()
        self.assertEqual(len(found), len(expected), found)
        for line, part in zip(found, expected):
            self.assertIn(part, line)
            self.assertIn(', expected ', line)

    def test_a_clean_tree_passes(self):
        self.assertEqual(self.findings(), [])

    def test_a_dangling_label_is_found(self):
        self.expect('engine/a.h', '// SEARCH.md a.7.\nint x;\n/* And\n * a.9. */\n',
                    'engine/a.h:4: a.9 is no section of kernels/search/SEARCH.md')

    def test_labels_behind_the_name_may_be_letters_and_lists(self):
        self.expect('engine/a.h', '// SEARCH.md 0.1, a.1 and d; SEARCH.md 0.2, e.\n',
                    '0.2 is no section', 'e is no section')

    def test_a_second_number_is_an_item_of_the_section(self):
        self.expect('engine/a.h', '// SEARCH.md a.1.2, a.1.3.\n', 'engine/a.h:1: a.1.3 is no section')

    def test_a_label_without_the_document_is_found(self):
        self.expect('engine/a.cc', '// a.7 first.\n// SEARCH.md a.1.\n', 'a.7 before any mention of SEARCH.md')

    def test_a_dangling_document_is_found(self):
        self.expect('engine/a.proto', '// By decoding.md.\n', 'engine/a.proto:1: decoding.md names no document')

    def test_a_readme_is_not_that_of_the_root(self):
        self.expect('server/a.h', '// See README.md.\n', 'server/a.h:1: README.md names no document')

    def test_a_readme_is_that_of_a_folder_above(self):
        self.expect('engine/text/a.h', '// README.md, "Who owns a segment".\n')

    def test_a_dangling_title_is_found(self):
        self.expect('server/a.h', '\n// In engine/README.md, "Who has\n// a segment".\n',
                    'server/a.h:2: "Who has a segment" is no heading of engine/README.md')

    def test_a_title_behind_a_label_is_of_the_rules(self):
        self.expect('server/a.h', '// SEARCH.md a.7, "Stop rules". And a.1, "Start rules".\n',
                    '"Start rules" is no heading of kernels/search/SEARCH.md')

    def test_links_of_documents_lead_somewhere(self):
        self.expect('server/README.md',
                    '[a](../engine/README.md#who), [b](missing.h), [c](../tests), [d](https://x.org/y.md)\n',
                    '#who is no heading of engine/README.md', 'the link to missing.h leads nowhere')

    def test_documents_of_a_hidden_folder_count(self):
        self.write('.github/RULES.md', '# Rules\n\n## Names\n')
        self.expect('engine/a.h', '// .github/RULES.md, "Names"; ../.github/RULES.md, "Tests".\n',
                    '"Tests" is no heading of .github/RULES.md')
        self.expect('.github/RULES.md', '# Rules\n\n## Names\n\n## Tests\n\n[a](../engine/b.h), none.md\n',
                    'none.md names no document', 'the link to ../engine/b.h leads nowhere')

    def test_code_cites_nothing(self):
        self.expect('engine/a.cc', 'auto s = "none.md // a.9"; float e = f.5 + x.a.9;  // 1.e.5, `a.9`\n')
        self.expect('engine/a.py', 'S = "none.md a.9"  # fine\nT = f(\n    """none.md""")\n')
        self.expect('engine/b.md', '`b.2`\n\n    none.md a.9\n\n```\nnone.md\n```\n')

    def test_python_cites_in_comments_and_docstrings(self):
        self.expect('engine/a.py',
                    '"""See none.md."""\nx = 1  # SEARCH.md a.9\ndef f():\n    # Of\n    """lost.md"""\n',
                    'engine/a.py:1: none.md', 'engine/a.py:2: a.9', 'engine/a.py:5: lost.md')

    def test_the_program_fails_with_findings(self):
        subprocess.run(['git', 'init', '-q', self.root], check=True)
        program = [sys.executable, citations.__file__, self.root]

        def run():
            subprocess.run(['git', '-C', self.root, 'add', '-A'], check=True)
            return subprocess.run(program, capture_output=True, text=True)

        self.assertEqual(run().returncode, 0)
        self.write('engine/a.h', '// SEARCH.md a.9.\n')
        result = run()
        self.assertEqual(result.returncode, 1)
        self.assertIn('engine/a.h:1: a.9', result.stdout)


if __name__ == '__main__':
    unittest.main()
