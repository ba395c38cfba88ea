#!/usr/bin/env python3
"""Publishing: the workflow against the public schema and with planted mistakes; the versions, the changelog and the
artefacts that deploy/publish.sh refuses; its steps with a stand-in for docker. Artefacts are stand-ins: real packages,
wheels and archives with nothing but what is looked at."""
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import unittest
import zipfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKFLOW = ROOT / '.github/workflows/publish.yml'
STEPS = ('check', 'packages', 'client', 'chart', 'images', 'cuda', 'assemble', 'push', 'release')
CHECKOUT = 'actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8'

# Each job has these permissions and no others.
PERMISSIONS = {
    'check': {'contents': 'read'}, 'packages': {'contents': 'read'}, 'images': {'contents': 'read'},
    'assemble': {'contents': 'read'}, 'registry': {'contents': 'read', 'packages': 'write'},
    'pypi': {'id-token': 'write'}, 'release': {'contents': 'write'},
}

# (what is replaced, by what, words of the finding)
MISTAKES = (
    ('on:\n  push:', 'on:\n  pushed:', 'pushed'),
    ('    runs-on: ubuntu-24.04\n    timeout-minutes: 10\n', '    timeout-minutes: 10\n', 'runs-on'),
    ('    needs: check\n', '    need: check\n', 'need'),
    ('packages: write', 'packages: admin', 'admin'),
    ('timeout-minutes: 10\n', 'timeout-minutes: soon\n', 'soon'),
    ('permissions: {}', 'permissions: write-all', 'write-all'),
    ('    permissions:\n      contents: read\n', '', 'check: permissions None'),
    (CHECKOUT, 'actions/checkout@v5', 'unpinned-uses'),
    ('"$GITHUB_REF_NAME" check', '"${{ github.ref_name }}" check', 'template-injection'),
    ('        with:\n          persist-credentials: false\n', '', 'artipacked'),
    ('"$GITHUB_REF_NAME" assemble', '"$GITHUB_REF_NAME" gather', 'gather'),
    ('"$GITHUB_REF_NAME" client chart', '"$GITHUB_REF_NAME" client', 'chart'),
    ('step: cuda', 'step: images', 'cuda'),
    ('    needs: [packages, images]', '    needs: [packages]', 'registry does not wait for images'),
    ('    needs: [registry, pypi]', '    needs: registry', 'release does not wait for pypi'),
    ('      id-token: write', '      id-token: write\n      contents: write', 'pypi'),
)


def run(*command, **others):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **others)


def schema_finding(path):
    tool = os.path.join(os.path.dirname(sys.executable), 'check-jsonschema')
    done = run(tool, '--builtin-schema', 'vendor.github-workflows', path)
    return done.stdout if done.returncode else ''


def audit_finding(path):
    tool = os.path.join(os.path.dirname(sys.executable), 'zizmor')
    done = run(tool, '--offline', '--no-progress', '--quiet', path)
    return done.stdout if done.returncode else ''


def linter_finding(path):
    done = run('actionlint', path) if shutil.which('actionlint') else None
    return done.stdout if done and done.returncode else ''


def own_finding(path):
    """What no tool knows of this workflow."""
    workflow = yaml.safe_load(path.read_text())
    jobs = workflow['jobs']
    found = [] if workflow['permissions'] == {} else [f'permissions {workflow["permissions"]}, expected none']
    found += [f'{name}: permissions {job.get("permissions")}, expected {PERMISSIONS.get(name)}'
             for name, job in jobs.items() if job.get('permissions') != PERMISSIONS.get(name)]
    called = re.findall(r'deploy/publish\.sh "\$GITHUB_REF_NAME" ([a-z ]+)$', path.read_text(), re.M)
    used = {step for steps in called for step in steps.split()}
    used |= {row['step'] for row in jobs['images']['strategy']['matrix']['include']}
    found += [f'the steps differ: {step}' for step in used.symmetric_difference(STEPS)]

    def before(name):
        needs = jobs[name].get('needs', [])
        needs = [needs] if isinstance(needs, str) else needs
        return set(needs).union(*map(before, needs))

    for name, others in (('registry', ('check', 'packages', 'images', 'assemble')),
                         ('pypi', ('check', 'packages', 'images', 'assemble')), ('release', ('registry', 'pypi'))):
        found += [f'{name} does not wait for {other}' for other in others if other not in before(name)]
    return '\n'.join(found)


class Workflow(unittest.TestCase):
    def test_nothing_is_found(self):
        for finding in (schema_finding, audit_finding, linter_finding, own_finding):
            with self.subTest(finding.__name__):
                self.assertEqual(finding(WORKFLOW), '')
        if not shutil.which('actionlint'):
            print('SKIPPED actionlint: not here')

    def test_mistakes_are_found(self):
        text = WORKFLOW.read_text()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / '.github/workflows/publish.yml'
            path.parent.mkdir(parents=True)
            for old, new, words in MISTAKES:
                with self.subTest(old=old, new=new):
                    self.assertIn(old, text)
                    path.write_text(text.replace(old, new, 1))
                    # The other tools need not understand a file that the schema refuses.
                    found = schema_finding(path) or audit_finding(path) + own_finding(path)
                    self.assertIn(words, found)


class Tree(unittest.TestCase):
    """The files of the repository that have its version, and deploy/publish.sh."""

    TAG = 'v0.1.0'
    CHANGES = '## 0.1.0 - 2026-01-31\n\n### Added\n\n- [Limits](../server/README.md#limits), [more](https://a.example/b).\n'

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / 'tree'
        for name in ('deploy', 'docker', 'client/python'):
            shutil.copytree(ROOT / name, self.root / name, ignore=shutil.ignore_patterns('__pycache__', '*.safetensors', '*.spm'))
        shutil.copy(ROOT / 'CMakeLists.txt', self.root)
        self.dist = self.root / 'dist'
        self.dist.mkdir()
        self.changelog = self.root / '.github/CHANGELOG.md'
        self.changelog.parent.mkdir()
        self.write(f'# Changelog\n\n## Unreleased\n\n- Later.\n\n{self.CHANGES}\n## 0.0.9 - 2025-12-31\n\n- Earlier.\n')

    def write(self, text):
        self.changelog.write_text(text)

    def program(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def publish(self, *arguments, **variables):
        path = f'{self.root}/bin:{os.environ["PATH"]}'
        environment = {**os.environ, 'PATH': path, 'DRAGOMAN_REGISTRY': 'registry.example/Owner',
                       'DRAGOMAN_REPOSITORY': 'owner/name', **variables}
        return run(self.root / 'deploy/publish.sh', *arguments, env=environment)

    def refused(self, words, *arguments, **variables):
        done = self.publish(*arguments, **variables)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn(words, done.stdout)


class Versions(Tree):
    def test_the_tag_is_the_version_of_the_repository_itself(self):
        version = re.search(r'^project\(dragoman VERSION (\S+) ', (ROOT / 'CMakeLists.txt').read_text(), re.M)[1]
        self.write(f'## {version} - 2026-01-31\n\n- A change.\n')
        done = self.publish(f'v{version}', 'check')
        self.assertEqual((done.returncode, done.stdout), (0, f'publish: check\n{version}\n'))

    def test_each_other_version_is_refused(self):
        for path, old, new in (
                ('CMakeLists.txt', 'project(dragoman VERSION 0.1.0 ', 'project(dragoman VERSION 0.1.1 '),
                ('deploy/helm/dragoman/Chart.yaml', '\nversion: 0.1.0', '\nversion: 0.1.1'),
                ('deploy/helm/dragoman/Chart.yaml', 'appVersion: "0.1.0"', 'appVersion: "0.1.1"'),
                ('deploy/kserve/servingruntime.yaml', 'dragoman:0.1.0', 'dragoman:0.1.1'),
                ('deploy/kubernetes/cpu/services.yaml', 'version: "0.1.0"', 'version: "0.1.1"'),
                ('deploy/README.md', 'dragoman_0.1.0_amd64.deb', 'dragoman_0.1.1_amd64.deb'),
                ('client/python/README.md', 'dragoman_client-0.1.0', 'dragoman_client-0.1.1')):
            with self.subTest(path=path, old=old):
                text = (self.root / path).read_text()
                self.assertIn(old, text)
                (self.root / path).write_text(text.replace(old, new))
                self.refused(': found 0.1.1, expected 0.1.0, as in the tag v0.1.0', self.TAG, 'check')
                self.refused(f'release: {path}:', self.TAG, 'check')
                (self.root / path).write_text(text)
        self.refused('CMakeLists.txt:4: found 0.1.0, expected 0.2.0, as in the tag v0.2.0', 'v0.2.0', 'check')

    def test_other_tags_are_refused(self):
        for tag in ('', '0.1.0', 'v0.1', 'v0.1.0-rc1', 'release'):
            with self.subTest(tag=tag):
                self.refused(f"found the tag '{tag}', expected v and three numbers", tag, 'check')

    def test_a_version_without_a_section_is_refused(self):
        for text, words in (
                ('## Unreleased\n\n- All.\n', "found '## Unreleased', expected the section '## 0.1.0 - YYYY-MM-DD'"),
                ('## 0.1.0\n\n- All.\n', "found '## 0.1.0', expected the section"),
                ('## 0.1.0 - 2026-01-31\n\n## 0.0.9 - 2025-12-31\n\n- Earlier.\n', "found nothing below '## 0.1.0 - 2026-01-31'"),
                ('', 'found none, expected the section')):
            with self.subTest(text=text):
                self.write(text)
                self.refused(words, self.TAG, 'check')

    def test_unknown_steps_are_refused(self):
        self.refused("unknown step 'chek', expected check, packages", self.TAG, 'chek')


class Packages(Tree):
    """The step `packages`, with stand-ins for building and testing."""

    def setUp(self):
        super().setUp()
        self.deb = f'dragoman_0.1.0_{run("dpkg", "--print-architecture").stdout.strip()}.deb'
        for path in ('deploy/install-deps.sh', 'deploy/build.sh'):
            self.program(path, '#!/bin/bash\n')
        self.program('tests/package/run.sh', f'#!/bin/bash\nmkdir -p build/release/wheel\necho tested >build/release/{self.deb}\n')
        self.program('tests/package/wheel.sh', '#!/bin/bash\necho tested >build/release/wheel/dragoman_server-0.1.0-py3.whl\n')

    def kept(self):
        return sorted(path.name for path in self.dist.iterdir())

    def test_what_was_tested_is_kept(self):
        done = self.publish(self.TAG, 'packages')
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(self.kept(), [self.deb, 'dragoman_server-0.1.0-py3.whl'])

    def test_a_skipped_test_is_a_failure(self):
        self.program('tests/package/wheel.sh', '#!/bin/bash\nexit 77\n')
        self.refused("'tests/package/wheel.sh' ended with status 77, expected 0", self.TAG, 'packages')
        self.assertEqual(self.kept(), [])


def put(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())


def sbom(version, purpose='APPLICATION'):
    return json.dumps({'packages': [{'name': 'dragoman', 'versionInfo': version, 'primaryPackagePurpose': purpose}]})


class Assembled(Tree):
    def setUp(self):
        super().setUp()
        for debian, machine in (('amd64', 'x86_64'), ('arm64', 'aarch64')):
            self.deb(debian, debian)
            self.wheel(machine)
            for name in (f'dragoman_0.1.0_{debian}', f'dragoman-fetch_0.1.0_{debian}'):
                put(self.dist / f'{name}.image.spdx.json', sbom('0.1.0', 'CONTAINER'))
        put(self.dist / 'dragoman_0.1.0-cuda_amd64.image.spdx.json', sbom('0.1.0', 'CONTAINER'))
        self.zip('dragoman_client-0.1.0-py3-none-any.whl', {'dragoman_client-0.1.0.dist-info/METADATA': 'Version: 0.1.0\n'})
        self.tar('dragoman_client-0.1.0.tar.gz', 'dragoman_client-0.1.0/PKG-INFO', 'Name: a\nVersion: 0.1.0\n')
        self.tar('dragoman-0.1.0.tgz', 'dragoman/Chart.yaml', (ROOT / 'deploy/helm/dragoman/Chart.yaml').read_text())

    def deb(self, debian, architecture, version='0.1.0'):
        tree = self.root / 'deb'
        shutil.rmtree(tree, ignore_errors=True)
        put(tree / 'DEBIAN/control', f'Package: dragoman\nVersion: {version}\nArchitecture: {architecture}\n'
            'Maintainer: nobody <nobody@example.invalid>\nDescription: stand-in\n')
        put(tree / 'usr/share/doc/dragoman/sbom.spdx.json', sbom(version))
        subprocess.run(['dpkg-deb', '--build', '--root-owner-group', tree, self.dist / f'dragoman_0.1.0_{debian}.deb'],
                       check=True, stdout=subprocess.DEVNULL)

    def zip(self, name, files):
        with zipfile.ZipFile(self.dist / name, 'w') as archive:
            for path, text in files.items():
                archive.writestr(path, text)

    def wheel(self, machine, version='0.1.0', sboms=True):
        info = 'dragoman_server-0.1.0.dist-info'
        files = {f'{info}/METADATA': f'Name: dragoman-server\nVersion: {version}\n'}
        if sboms:
            files[f'{info}/sboms/dragoman-server.spdx.json'] = sbom(version)
        self.zip(f'dragoman_server-0.1.0-py3-none-manylinux_2_35_{machine}.whl', files)

    def tar(self, name, path, text):
        with tarfile.open(self.dist / name, 'w:gz') as archive:
            member = tarfile.TarInfo(path)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))

    def test_all_of_it_has_notes_checksums_and_sboms(self):
        done = self.publish(self.TAG, 'assemble')
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual((self.dist / 'NOTES.md').read_text(),
                         '### Added\n\n- [Limits](https://github.com/owner/name/blob/v0.1.0/server/README.md#limits), '
                         '[more](https://a.example/b).\n')
        checked = run('sha256sum', '--check', '--strict', 'SHA256SUMS', cwd=self.dist)
        self.assertEqual(checked.returncode, 0, checked.stdout)
        listed = {line.split('  ')[1] for line in (self.dist / 'SHA256SUMS').read_text().splitlines()}
        self.assertEqual(listed, {path.name for path in self.dist.iterdir()} - {'NOTES.md', 'SHA256SUMS'})
        # Two packages, two wheels and five images have an SBOM.
        self.assertEqual(len([name for name in listed if name.endswith('.spdx.json')]), 9)
        again = self.publish(self.TAG, 'assemble')
        self.assertEqual((again.returncode, again.stdout), (0, done.stdout))

    def test_each_missing_artefact_is_named(self):
        for path in sorted(self.dist.iterdir()):
            with self.subTest(path.name):
                kept = path.read_bytes()
                path.unlink()
                self.refused(re.sub(r'2_35', '*', path.name), self.TAG, 'assemble')
                path.write_bytes(kept)
                self.assertFalse((self.dist / 'SHA256SUMS').exists())

    def test_wrong_artefacts_are_refused(self):
        self.deb('arm64', 'amd64')
        self.refused('dragoman_0.1.0_arm64.deb: found Architecture amd64, expected arm64', self.TAG, 'assemble')
        self.deb('arm64', 'arm64', version='0.0.9')
        self.refused('dragoman_0.1.0_arm64.deb: found Version 0.0.9, expected 0.1.0', self.TAG, 'assemble')
        self.deb('arm64', 'arm64')
        self.wheel('aarch64', version='0.0.9')
        self.refused('aarch64.whl: found Version 0.0.9, expected 0.1.0', self.TAG, 'assemble')
        self.wheel('aarch64', sboms=False)
        self.refused('aarch64.whl: found no SBOM, expected one', self.TAG, 'assemble')
        self.wheel('aarch64')
        self.tar('dragoman-0.1.0.tgz', 'dragoman/Chart.yaml', 'version: 0.1.0\nappVersion: "0.0.9"\n')
        self.refused('dragoman-0.1.0.tgz: found appVersion 0.0.9, expected 0.1.0', self.TAG, 'assemble')

    def test_other_files_are_refused(self):
        put(self.dist / 'dragoman_0.0.9_amd64.deb', '')
        self.refused('found dragoman_0.0.9_amd64.deb, which is no artefact of 0.1.0', self.TAG, 'assemble')


# Keeps images as it is told to; an image is the folder of the same kind in `images`.
DOCKER = '''#!/bin/bash
echo "$@" >>"$0.calls"
folder="${0%/*}/../images"
case "$1" in
  create) [[ $2 == *-build ]] && echo build || { [[ $2 == */dragoman-fetch:* ]] && echo fetch || echo server; } ;;
  export) tar --create --directory="$folder/$2" $(ls "$folder/$2") ;;
  save) echo "image $2" ;;
  load) zcat "$3" ;;
esac
'''


class Images(Tree):
    """The steps `images`, `cuda` and `push`, with a stand-in for docker and images that have one small program."""

    def setUp(self):
        super().setUp()
        self.architecture = run('dpkg', '--print-architecture').stdout.strip()
        self.program('bin/docker', DOCKER)
        self.program('bin/helm', '#!/bin/bash\necho "$@" >>"$0.calls"\n')
        self.program('tests/containers/image.sh', '#!/bin/bash\n')
        triplet = sysconfig.get_config_var('MULTIARCH')
        libraries = re.findall(r'(/\S+) \(0x', run('ldd', '/bin/true').stdout)
        libraries = [f'/lib/{triplet}/{os.path.basename(library)}' for library in libraries]
        self.image('fetch', {'python3-minimal': ()})
        self.image('build', {'nlohmann-json3-dev': (), 'libc6-dev': ()})
        server = self.image('server', {'libc6': libraries, 'tzdata': ()})
        for library in libraries:
            put(server / library[1:], pathlib.Path(library).read_bytes())
        for name in ('dragomand', 'dragoman'):
            put(server / 'usr/local/bin' / name, pathlib.Path('/bin/true').read_bytes())
        self.cublas = server / 'usr/local/lib/libcublasLt.so.13'
        put(self.cublas, 'stand-in')
        for path in ('models/de-en/model.safetensors', 'models/de-en/README.md',
                     'usr/local/share/dragoman/models/lid.176/lid.176.ftz',
                     'usr/local/share/dragoman/models/lid.176/NOTICE'):
            put(server / path, 'stand-in')

    def image(self, name, packages):
        """A root with dpkg's database of {package: its files}."""
        root = self.root / 'images' / name
        status = ''
        for package, files in packages.items():
            status += (f'Package: {package}\nStatus: install ok installed\nVersion: 1.2-3\nArchitecture: '
                       f'{self.architecture}\nMaintainer: nobody <nobody@example.invalid>\nDescription: stand-in\n\n')
            put(root / f'var/lib/dpkg/info/{package}.list', '/.\n' + ''.join(f'{file}\n' for file in files))
            put(root / f'usr/share/doc/{package}/copyright', 'License: Expat\n')
        put(root / 'var/lib/dpkg/status', status)
        return root

    def calls(self, program='docker'):
        return (self.root / f'bin/{program}.calls').read_text().splitlines()

    def read(self, name):
        document = json.loads((self.dist / f'{name}.image.spdx.json').read_text())
        ids = {package['SPDXID']: package['name'] for package in document['packages']}
        related = {(ids.get(relation['spdxElementId']), relation['relationshipType'], ids[relation['relatedSpdxElement']])
                   for relation in document['relationships']}
        return {package['name']: package for package in document['packages']}, related

    def test_an_image_is_tested_kept_and_has_an_sbom(self):
        # A library that no package owns is refused. The image for CPUs has none.
        kept = self.cublas.rename(self.root / 'cublas')
        self.assertEqual((done := self.publish(self.TAG, 'images')).returncode, 0, done.stdout)
        packages, related = self.read(f'dragoman_0.1.0_{self.architecture}')
        image = 'dragoman:0.1.0'
        self.assertEqual(set(packages), {image, 'dragomand', 'dragoman', 'libc6', 'tzdata', 'nlohmann-json3-dev', 'de-en', 'lid.176'})
        for name in ('dragomand', 'dragoman', 'libc6', 'tzdata', 'de-en', 'lid.176'):
            self.assertIn((image, 'CONTAINS', name), related)
        # Not in the image, but in the program.
        self.assertNotIn((image, 'CONTAINS', 'nlohmann-json3-dev'), related)
        self.assertIn(('dragomand', 'STATIC_LINK', 'nlohmann-json3-dev'), related)
        self.assertIn(('dragomand', 'DYNAMIC_LINK', 'libc6'), related)
        self.assertIn((None, 'DESCRIBES', image), related)
        digest = hashlib.sha256(pathlib.Path('/bin/true').read_bytes()).hexdigest()
        self.assertEqual(packages['dragomand']['checksums'][0]['checksumValue'], digest)
        self.assertEqual(packages['libc6']['licenseDeclared'], 'MIT')
        packages, related = self.read(f'dragoman-fetch_0.1.0_{self.architecture}')
        self.assertEqual(set(packages), {'dragoman-fetch:0.1.0', 'python3-minimal'})
        kept.rename(self.cublas)
        self.assertEqual((done := self.publish(self.TAG, 'cuda')).returncode, 0, done.stdout)
        packages, related = self.read(f'dragoman_0.1.0-cuda_{self.architecture}')
        self.assertIn(('dragoman:0.1.0-cuda', 'CONTAINS', 'libcublasLt.so.13'), related)
        self.assertEqual(sorted(path.name for path in (self.dist / 'images').iterdir()),
                         [f'dragoman-fetch_0.1.0_{self.architecture}.tar.gz', f'dragoman_0.1.0-cuda_{self.architecture}.tar.gz',
                          f'dragoman_0.1.0_{self.architecture}.tar.gz'])
        self.assertIn('build --file docker/Dockerfile --tag registry.example/owner/dragoman:0.1.0 .', self.calls())
        venv = run(ROOT / 'tests/venv.sh', 'package')
        if venv.returncode:
            self.skipTest('the schema of the SBOMs: no Python package spdx-tools')
        for path in self.dist.glob('*.spdx.json'):
            done = run(pathlib.Path(venv.stdout.strip()) / 'bin/pyspdxtools', '--infile', path)
            self.assertEqual(done.returncode, 0, f'{path.name}: {done.stdout}')

    def test_what_no_package_has_is_refused(self):
        self.cublas.rename(self.cublas.with_name('libother.so.1'))
        self.refused('libother.so.1, expected none', self.TAG, 'images')

    def test_an_image_that_fails_its_test_is_not_kept(self):
        self.program('tests/containers/image.sh', '#!/bin/bash\nexit 1\n')
        self.refused("ended with status 1, expected 0", self.TAG, 'images')
        self.assertEqual(list(self.dist.iterdir()), [])

    def test_both_architectures_are_pushed_under_one_name(self):
        for name in ('dragoman_0.1.0_amd64', 'dragoman_0.1.0_arm64', 'dragoman-fetch_0.1.0_amd64',
                     'dragoman-fetch_0.1.0_arm64', 'dragoman_0.1.0-cuda_amd64'):
            archive = self.dist / f'images/{name}.tar.gz'
            put(archive, '')
            subprocess.run(['gzip', '--force', '--suffix', '.x', archive], check=True)
            archive.with_suffix('.gz.x').rename(archive)
        self.assertEqual((done := self.publish(self.TAG, 'push')).returncode, 0, done.stdout)
        for name in ('dragoman', 'dragoman-fetch'):
            name = f'registry.example/owner/{name}:0.1.0'
            self.assertIn(f'buildx imagetools create --tag {name} {name}-amd64 {name}-arm64', self.calls())
        pushed = [call.split()[1] for call in self.calls() if call.startswith('push ')]
        self.assertEqual(pushed, [f'registry.example/owner/{name}' for name in (
            'dragoman:0.1.0-amd64', 'dragoman:0.1.0-arm64', 'dragoman-fetch:0.1.0-amd64', 'dragoman-fetch:0.1.0-arm64',
            'dragoman:0.1.0-cuda')])
        self.assertEqual(self.calls('helm'), [f'push {self.dist}/dragoman-0.1.0.tgz oci://registry.example/owner/charts'])

    def test_without_a_registry_nothing_is_built(self):
        self.refused('found no DRAGOMAN_REGISTRY', self.TAG, 'images', DRAGOMAN_REGISTRY='')
        self.assertFalse((self.root / 'bin/docker.calls').exists())


if __name__ == '__main__':
    unittest.main()
