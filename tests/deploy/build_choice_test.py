"""What deploy/build.sh configures, and what the quickstart and the tests ask of it: the CUDA kernels for the GPUs of
the machine, or for every card. CMake, nvidia-smi and the rest are stand-ins that write down how they were called."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EVERY_CARD = '75;80;86;89;90a;100;120;120-virtual'  # of the preset release; Preset.test_every_card holds it to that

# Says what CMakeLists.txt says of a build without kernels, and keeps the cache as CMake would: the
# preset's values, then those of the command line.
CMAKE = f'''#!/bin/bash
[[ $1 == --build ]] && exit 0
echo "$@" >> cmake.calls
cuda=AUTO archs='{EVERY_CARD}'
for argument in "$@"; do
  case "$argument" in
    -DDRAGOMAN_CUDA=*) cuda=${{argument#*=}} ;;
    -DDRAGOMAN_CUDA_ARCHS=*) archs=${{argument#*=}} ;;
  esac
done
compiler=/bin/nvcc
if [[ $cuda == OFF || -e no_compiler ]]; then
  echo "-- No CUDA compiler, or DRAGOMAN_CUDA=OFF: only the CPU is built"
  compiler=NOTFOUND
fi
printf '%s\\n' "DRAGOMAN_CUDA:STRING=$cuda" "DRAGOMAN_CUDA_ARCHS:STRING=$archs" \\
  "CMAKE_CUDA_COMPILER:FILEPATH=$compiler" > build/release/CMakeCache.txt
'''


class Tree(unittest.TestCase):
    """A checkout that has the scripts and no sources."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for path in ('deploy/build.sh', 'deploy/quickstart.sh', 'tests/run.sh', 'CMakePresets.json'):
            (self.root / path).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / path, self.root / path)
        self.program('cmake', CMAKE)
        self.gpus('NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.', status=9)

    def program(self, name, text):
        path = self.root / 'bin' / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def gpus(self, *capabilities, status=0):
        lines = '\n'.join(capabilities)
        self.program('nvidia-smi', f"#!/bin/bash\ncat <<'EOF'\n{lines}\nEOF\nexit {status}\n")

    def run_script(self, *command, **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith('DRAGOMAN_')}
        environment |= variables
        environment['PATH'] = f'{self.root}/bin:{os.environ["PATH"]}'
        return subprocess.run([self.root / command[0], *command[1:]], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def build(self, *arguments, **variables):
        """Runs build.sh; the kernels that are configured ('' for none), and what it said."""
        result = self.run_script('deploy/build.sh', *arguments, **variables)
        self.assertEqual(result.returncode, 0, result.stdout)
        cache = dict(line.split('=', 1)
                     for line in (self.root / 'build/release/CMakeCache.txt').read_text().splitlines())
        off = cache['CMAKE_CUDA_COMPILER:FILEPATH'] == 'NOTFOUND'
        return '' if off else cache['DRAGOMAN_CUDA_ARCHS:STRING'], result.stdout

    def calls(self):
        return (self.root / 'cmake.calls').read_text().splitlines()


class Preset(Tree):
    def test_every_card(self):
        self.assertIn(f'"DRAGOMAN_CUDA_ARCHS": "{EVERY_CARD}"', (ROOT / 'CMakePresets.json').read_text())
        self.assertIn(f'ARG CUDA_ARCHS="{EVERY_CARD}"', (ROOT / 'docker/Dockerfile.cuda').read_text())

    def test_without_here_the_machine_does_not_matter(self):
        self.gpus('8.6')
        self.assertEqual(self.build('release')[0], EVERY_CARD)
        self.assertNotIn('DRAGOMAN_CUDA', self.calls()[0])

    def test_variables_override_it(self):
        self.assertEqual(self.build('release', DRAGOMAN_CUDA='ON', DRAGOMAN_CUDA_ARCHS='90a')[0], '90a')
        self.assertIn('-DDRAGOMAN_CUDA=ON', self.calls()[0])


class Here(Tree):
    def test_the_code_of_the_card(self):
        for capability, code in (('7.5', '75'), ('8.0', '80'), ('8.6', '86'), ('8.7', '86'), ('8.9', '89'),
                                 ('9.0', '90a'), ('10.0', '100'), ('10.3', '100'), ('12.0', '120'), ('12.1', '120'),
                                 ('13.0', '120-virtual')):
            with self.subTest(capability):
                shutil.rmtree(self.root / 'build', ignore_errors=True)
                self.gpus(capability)
                archs, said = self.build('--here')
                self.assertEqual(archs, code)
                self.assertIn(f'build: for the CPU and GPUs of compute capability {code}\n', said)

    def test_several_cards(self):
        self.gpus('9.0', '8.6', '9.0')
        self.assertEqual(self.build('--here')[0], '86;90a')

    def test_a_card_without_code_beside_one_with(self):
        self.gpus('6.1', '8.9')
        self.assertEqual(self.build('--here')[0], '89')

    def test_no_card(self):
        archs, said = self.build('--here')
        self.assertEqual(archs, '')
        self.assertIn('build: for the CPU alone: nvidia-smi shows no GPU\n', said)

    def test_cards_without_code(self):
        for capability in ('6.1', '7.0', '11.0'):
            with self.subTest(capability):
                shutil.rmtree(self.root / 'build', ignore_errors=True)
                self.gpus(capability)
                archs, said = self.build('--here')
                self.assertEqual(archs, '')
                self.assertIn(f'there are no kernels for GPUs of compute capability {capability}\n', said)

    def test_a_card_without_a_compiler_and_then_with_one(self):
        self.gpus('9.0')
        (self.root / 'no_compiler').touch()
        archs, said = self.build('--here')
        self.assertEqual(archs, '')
        self.assertIn("build: for the CPU alone: there is no CUDA compiler for this machine's GPU\n", said)
        (self.root / 'no_compiler').unlink()
        self.assertEqual(self.build('--here')[0], '90a')
        self.assertNotIn('-UCMAKE_CUDA_COMPILER', self.calls()[0])
        self.assertIn('-UCMAKE_CUDA_COMPILER', self.calls()[1])

    def test_a_folder_with_more_keeps_it(self):
        self.build('release')
        self.assertEqual(self.build('--here')[0], EVERY_CARD)
        self.gpus('8.6')
        self.assertEqual(self.build('--here')[0], EVERY_CARD)

    def test_a_folder_with_other_code_changes(self):
        self.gpus('8.6')
        self.build('--here')
        self.gpus('9.0')
        self.assertEqual(self.build('--here')[0], '90a')
        self.assertEqual(self.build('release')[0], EVERY_CARD)

    def test_a_folder_of_the_cpu_alone_gets_a_card_or_all(self):
        self.build('--here')
        self.gpus('8.0')
        self.assertEqual(self.build('--here')[0], '80')
        self.assertEqual(self.build('release')[0], EVERY_CARD)

    def test_unknown_arguments_are_refused(self):
        result = self.run_script('deploy/build.sh', '--her')
        self.assertEqual(result.returncode, 2)
        self.assertIn("unknown argument '--her', expected --tests or --here", result.stdout)


class WhoAsks(Tree):
    """The arguments that a script gives to build.sh."""

    def asked(self, script):
        (self.root / 'deploy/install-deps.sh').write_text('#!/bin/bash\n')
        (self.root / 'deploy/install-deps.sh').chmod(0o755)
        (self.root / 'deploy/build.sh').write_text('#!/bin/bash\necho "$@" > build.asked\nexit 1\n')
        self.assertNotEqual(self.run_script(script).returncode, 0)
        return (self.root / 'build.asked').read_text().split()

    def test_the_quickstart_builds_for_the_machine(self):
        self.assertEqual(self.asked('deploy/quickstart.sh'), ['--here', 'release'])

    def test_the_tests_build_for_every_card(self):
        self.assertEqual(self.asked('tests/run.sh'), ['--tests', 'release'])

    def test_the_images_build_for_every_card(self):
        for path, build in (('docker/Dockerfile', 'deploy/build.sh $preset'),
                            ('docker/Dockerfile.cuda', 'deploy/build.sh release')):
            text = (ROOT / path).read_text()
            self.assertIn(build, text)
            self.assertNotIn('--here', text)


if __name__ == '__main__':
    unittest.main()
