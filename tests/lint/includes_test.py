#!/usr/bin/env python3
"""The include check fails when it should: on small trees that are made up here."""
import os
import subprocess
import tempfile
import unittest

import includes

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'includes.py')
ROOMS = {
    'proto/': 'proto', 'low/': 'low', 'high/api.h': 'high/api', 'high/inner/': 'high/inner', 'high/': 'high'}
ALLOWED = {
    'proto': '', 'low': '', 'high/api': 'low', 'high/inner': 'low proto',
    'high': 'high/api high/inner low proto absl grpc'}
CLEAN = {
    'low/a.h': '#include <vector>\n',
    'high/api.h': '#include "low/a.h"\n',
    'high/inner/b.cc': '#include "low/a.h"\n',
    'high/c.cc': '#include "absl/status/status.h"\n#include "high/api.h"\n#include "high/version.h"\n'
                 '#include "v1/wire.grpc.pb.h"\n',
    'high/version.h.in': '',
    'proto/v1/wire.proto': '',
    'tests/d.cc': '#include "high/c.h"\n#include "tests/support.h"\n',
}


def write(root, files):
    subprocess.run(['git', 'init', '--quiet', root], check=True)
    for path, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        with open(os.path.join(root, path), 'w', encoding='utf-8') as file:
            file.write(text)


def findings(changes, known=None, **tables):
    """Of the clean tree with these changes."""
    with tempfile.TemporaryDirectory() as root:
        write(root, {**CLEAN, **changes})
        tables = {'rooms': ROOMS, 'allowed': ALLOWED, **tables}
        return includes.Check(root, includes.Tables(known=known or {}, **tables)).findings


class Includes(unittest.TestCase):
    def test_a_clean_tree_passes(self):
        self.assertEqual(findings({}), [])

    def test_an_include_upwards_fails_and_is_named(self):
        self.assertEqual(
            findings({'low/e.cu': '// a comment\n#  include "high/api.h"  // why\n'}),
            ['low/e.cu:2: room low may not include room high/api ("high/api.h"); allowed: nothing'])

    def test_angle_brackets_do_not_hide_it(self):
        self.assertIn('room low may not include room high/api',
                      findings({'low/e.h': '#include <high/api.h>\n'})[0])

    def test_the_longest_prefix_is_the_room(self):
        self.assertEqual(
            findings({'high/inner/e.inc': '#include "high/api.h"\n'}),
            ['high/inner/e.inc:1: room high/inner may not include room high/api ("high/api.h"); allowed: low, proto'])

    def test_the_stubs_of_services_are_grpcs(self):
        self.assertEqual(
            findings({'high/inner/e.cc': '#include "v1/wire.pb.h"\n#include "v1/wire.grpc.pb.h"\n'}),
            ['high/inner/e.cc:2: room high/inner may not include room grpc ("v1/wire.grpc.pb.h"); '
             'allowed: low, proto'])

    def test_generated_headers_and_libraries_have_rooms(self):
        self.assertEqual(
            findings({'low/e.cc': '#include <absl/time/time.h>\n#include "v1/wire.pb.h"\n'}),
            ['low/e.cc:1: room low may not include room absl ("absl/time/time.h"); allowed: nothing',
             'low/e.cc:2: room low may not include room proto ("v1/wire.pb.h"); allowed: nothing'])

    def test_product_code_may_not_include_tests(self):
        self.assertEqual(findings({'high/e.cc': '#include "tests/support.h"\n'}),
                         ['high/e.cc:1: room high may not include tests ("tests/support.h")'])

    def test_a_header_that_does_not_exist_fails(self):
        for header in ('low/gone.h', 'a.h', '../low/a.h', 'v1/gone.pb.h'):
            with self.subTest(header):
                self.assertEqual(
                    findings({'low/e.cc': f'#include "{header}"\n'}),
                    [f'low/e.cc:1: "{header}" does not exist; paths start at the root of the tree'])

    def test_an_include_that_cannot_be_read_fails(self):
        self.assertEqual(findings({'low/e.cc': '#include WHICH\n'}),
                         ['low/e.cc:1: an include that cannot be read: WHICH'])

    def test_a_folder_without_a_room_fails(self):
        self.assertIn('attic/e.cc:1: in no room', findings({'attic/e.cc': ''})[0])

    def test_a_known_violation_passes_in_its_file_only(self):
        known = {('low', 'high/api'): {'high/api.h': ['low/e.h']}}
        upward = '#include "high/api.h"\n'
        self.assertEqual(findings({'low/e.h': upward}, known), [])
        self.assertEqual(len(findings({'low/e.h': upward, 'low/f.h': upward}, known)), 1)

    def test_a_known_violation_that_is_gone_fails(self):
        known = {('low', 'high/api'): {'high/api.h': ['low/a.h', 'low/deleted.h']}}
        for path, found in zip(('low/a.h', 'low/deleted.h'), findings({}, known), strict=True):
            self.assertIn(f'{path}: no longer a violation of low -> high/api ("high/api.h")', found)

    def test_a_known_violation_that_is_allowed_fails(self):
        known = {('high/api', 'low'): {'low/a.h': ['high/api.h']}}
        self.assertEqual(len(findings({}, known)), 1)

    def test_a_cycle_of_rooms_fails(self):
        found = findings({}, allowed={**ALLOWED, 'low': 'high/api'})
        self.assertEqual(len(found), 1)
        self.assertIn('ALLOWED: low -> high/api, which is not above it', found[0])

    def test_an_inner_header_is_for_its_room_alone(self):
        changes = {'low/inner.h': '', 'low/b.cc': '#include "low/inner.h"\n', 'high/e.cc': '#include "low/inner.h"\n'}
        self.assertEqual(findings(changes, interfaces={'low': ['low/a.h']}),
                         ['high/e.cc:1: "low/inner.h" is an inner header of room low; others include low/a.h'])

    def test_a_room_without_a_line_fails(self):
        self.assertEqual(findings({}, rooms={**ROOMS, 'attic/': 'attic'}), ['ALLOWED: no line for room attic'])

    def test_the_script_fails_on_the_real_tables(self):
        with tempfile.TemporaryDirectory() as root:
            write(root, {'kernels/ops/a.h': '#include "engine/api/engine.h"\n', 'engine/api/engine.h': ''})
            result = subprocess.run([SCRIPT, '--root', root], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn('kernels/ops/a.h:1: room kernels/ops may not include room engine/api ("engine/api/engine.h")',
                      result.stdout)


if __name__ == '__main__':
    unittest.main()
