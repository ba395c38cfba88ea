"""The oldest driver of each CUDA version, where documents and images name it, against kernels/cuda/device.cc."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def text(path):
    return (ROOT / path).read_text(encoding='utf-8')


def least_drivers():
    """By CUDA's major version."""
    pairs = re.findall(r'case (\d+):\s*return (\d+);', text('kernels/cuda/device.cc'))
    return {int(cuda): int(driver) for cuda, driver in pairs}


class DriverVersions(unittest.TestCase):
    def setUp(self):
        self.least = least_drivers()
        self.assertEqual(sorted(self.least), [12, 13])

    def test_the_image_asks_for_the_driver_of_its_toolkit(self):
        dockerfile = text('docker/Dockerfile.cuda')
        toolkit = re.search(r'^ARG CUDA_IMAGE=nvidia/cuda:(\d+)\.', dockerfile, re.M)
        driver = re.search(r'^ARG DRIVER=(\d+)$', dockerfile, re.M)
        self.assertEqual(int(driver[1]), self.least[int(toolkit[1])])
        self.assertIn('NVIDIA_REQUIRE_CUDA="driver>=${DRIVER}"', dockerfile)

    def test_the_documents_name_the_same_drivers(self):
        rows = re.findall(r'^\| CUDA (\d+)[^|]*\| (\d+) or newer', text('docker/README.md'), re.M)
        self.assertTrue(rows)
        for cuda, driver in rows:
            self.assertEqual(int(driver), self.least[int(cuda)], f'docker/README.md, CUDA {cuda}')
        readme = ' '.join(text('README.md').split())
        self.assertIn(f'needs NVIDIA driver {self.least[13]} or newer', readme)
        self.assertIn(f'with CUDA 12 and driver {self.least[12]} or newer', readme)


if __name__ == '__main__':
    unittest.main()
