"""Unpacks archives and compressed files. An archive is hostile until it is unpacked: the sizes, the number and the
names of its members are checked, and no member is read into memory as one piece."""
import bz2
import gzip
import lzma
import os
import shutil
import stat
import subprocess
import tarfile
import zipfile
import zlib

import download
from download import CHUNK, Budget, Refused

MAX_MEMBERS = 10_000
MAX_HEADER = 64 << 20  # the most that tarfile or zipfile may read at once
GZIP = b'\x1f\x8b'
ZSTD = b'\x28\xb5\x2f\xfd'
OPENERS = {GZIP: gzip.open, b'BZh': bz2.open, b'\xfd7zXZ\0': lzma.open}
BROKEN = (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError,
          NotImplementedError, ValueError)


class Bounded:
    """A file whose reads are bounded, because tarfile and zipfile read headers of any size into memory."""

    def __init__(self, file):
        self.file = file
        self.seek, self.tell, self.seekable, self.close = file.seek, file.tell, file.seekable, file.close

    def read(self, size=-1):
        if size > MAX_HEADER:
            raise Refused(f'found a header of {size} bytes in the archive, expected at most {MAX_HEADER}')
        return self.file.read(MAX_HEADER if size is None or size < 0 else size)


def first_bytes(path):
    with open(path, 'rb') as file:
        return file.read(8)


def copy(source, path, budget):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'xb') as file:
        while chunk := source.read(CHUNK):
            budget.take(len(chunk))
            file.write(chunk)


# --- compressed files --------------------------------------------------------------------------------

def open_zstd(path, name):
    """Returns a readable stream, which is a context, of a file compressed by zstd."""
    try:
        from compression import zstd  # since Python 3.14
        return zstd.open(path)
    except ImportError:
        pass
    try:
        import zstandard
        return zstandard.open(path)
    except ImportError:
        pass
    program = shutil.which('zstd')
    if not program:
        raise Refused(f'{name}: is compressed by zstd, which is not installed; apt-get install zstd')
    return ZstdProgram(program, path)


class ZstdProgram:
    """The output of `zstd --decompress`."""

    def __init__(self, program, path):
        with open(path, 'rb') as file:
            self.process = subprocess.Popen([program, '--decompress', '--stdout', '--quiet'], stdin=file,
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def read(self, size):
        chunk = self.process.stdout.read(size)
        if not chunk and self.process.wait() != 0:
            raise OSError('zstd cannot decompress it')
        return chunk

    def __exit__(self, *_):
        self.process.kill()
        self.process.stdout.close()
        self.process.wait()


def decompress(path, to, name, budget):
    """Moves a file to `to`; decompresses it on the way if it is compressed by gzip or zstd."""
    begin = first_bytes(path)
    if not begin.startswith((GZIP, ZSTD)):
        budget.take(os.path.getsize(path))
        os.replace(path, to)
        return
    if os.path.exists(to):
        os.unlink(to)
    try:
        with open_zstd(path, name) if begin.startswith(ZSTD) else gzip.open(path) as source:
            copy(source, to, budget)
    except Refused:
        raise
    except Exception as error:  # zstandard has errors of its own
        raise Refused(f'{name}: cannot be decompressed: {download.words(error)}') from error
    os.unlink(path)


# --- archives ----------------------------------------------------------------------------------------

def fetch(url, sha256, into, limit, folder=''):
    """Downloads an archive and unpacks it into `into`, or only its members below `folder`. Returns its SHA-256."""
    archive = os.path.join(into, '.archive')
    download.keep_only(into, {'.archive', '.archive.part'})
    name, _ = download.without_user(url)
    download.get_file(url, archive, name.rsplit('/', 1)[-1] or name, Budget(limit, name), sha256)
    sha256 = sha256 or download.digest(archive, 'sha256')
    unpacked = os.path.join(into, '.unpacked')
    os.mkdir(unpacked)
    unpack(archive, unpacked, name, Budget(limit, name), f'{folder}/' if folder else '')
    os.unlink(archive)
    root = unpacked
    # Most archives contain one folder that contains everything.
    while len(inside := os.listdir(root)) == 1 and os.path.isdir(os.path.join(root, inside[0])):
        root = os.path.join(root, inside[0])
    for one in inside:
        os.rename(os.path.join(root, one), os.path.join(into, one))
    shutil.rmtree(unpacked)
    return f'sha256:{sha256}'


def unpack(archive, into, what, budget, prefix=''):
    """Writes the members whose names begin with `prefix`. Raises Refused."""
    found = 0
    try:
        for name, is_file, size, source in members(archive, what):
            found += 1
            if found > MAX_MEMBERS:
                raise Refused(f'{what}: found more than {MAX_MEMBERS} members')
            if not name.startswith(prefix) or name in (prefix, '.'):
                continue
            if is_file is None:
                raise Refused(f'{what}: found the member {name!r:.200}, expected files and folders only')
            path = os.path.join(into, download.below(name[len(prefix):].removesuffix('/')))
            if not is_file:
                os.makedirs(path, exist_ok=True)
                continue
            if size > budget.left:
                budget.take(size)
            with source() as file:
                copy(file, path, budget)
    except BROKEN as error:
        raise Refused(f'{what}: the archive cannot be unpacked: {download.words(error)}') from error


def members(archive, what):
    """Yields (name, is_file, size in bytes, function that opens it). `is_file` is None for neither file nor folder."""
    begin = first_bytes(archive)
    with open(archive, 'rb') as plain:
        if begin.startswith(b'PK'):
            with zipfile.ZipFile(Bounded(plain)) as file:
                for one in file.infolist():
                    if one.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                        raise Refused(f'{what}: found the compression {one.compress_type}, expected stored or deflated')
                    kind = stat.S_IFMT(one.external_attr >> 16)
                    is_file = None if kind not in (0, stat.S_IFREG, stat.S_IFDIR) else not one.is_dir()
                    yield one.filename, is_file, one.file_size, lambda one=one: file.open(one)
            return
        opening = next((opens for magic, opens in OPENERS.items() if begin.startswith(magic)), None)
        with opening(plain) if opening else plain as source:
            try:
                file = tarfile.open(fileobj=Bounded(source), mode='r:')
            except tarfile.ReadError as error:
                raise Refused(f'{what}: found no archive, expected tar or zip') from error
            for one in file:
                is_file = None if not (one.isreg() or one.isdir()) else one.isreg()
                yield one.name.removeprefix('./'), is_file, one.size, lambda one=one: file.extractfile(one)
