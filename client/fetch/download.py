"""Downloads over HTTP: resumed, bounded in size, with few redirects and a checksum. Answers are data: nothing of them
is executed, and none is read before its size is limited."""
import base64
import hashlib
import http.client
import json
import os
import re
import shutil
import socket
import ssl
import string
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

CHUNK = 1 << 18
MAX_JSON = 64 << 20
MAX_REDIRECTS = 5
SECONDS = 60  # without a byte from the server
# Public registries, each with the variables that name a mirror of it.
REGISTRIES = {
    'firefox': ('https://firefox.settings.services.mozilla.com/v1', ('DRAGOMAN_FIREFOX_URL',)),
    'argos': ('https://raw.githubusercontent.com/argosopentech/argospm-index/main', ('ARGOS_PACKAGE_INDEX',)),
    'hub': ('https://huggingface.co', ('HF_ENDPOINT',)),
    'pypi': ('https://pypi.org/simple', ('PIP_INDEX_URL', 'UV_DEFAULT_INDEX', 'UV_INDEX_URL')),
}


class Refused(Exception):
    """Another attempt would not help. The message says what was found and what was expected."""


class NotFound(Refused):
    """The server says that there is no such page, or not for this client."""


class Absent(Refused):
    """The registry does not have the model."""


class Failed(Exception):
    """The network failed, or a checksum is wrong. Another attempt may help."""


def registry(name):
    """Returns the URL of a registry or of its mirror, without a slash at the end."""
    public, variables = REGISTRIES[name]
    return next(filter(None, map(os.environ.get, variables)), public).rstrip('/')


def words(error):
    """Returns an exception as one line."""
    text = ' '.join(str(error).split())[:500]
    return text if isinstance(error, (Refused, Failed)) else f'{type(error).__name__}: {text}'


def printable(text):
    """Returns the text without control characters, because a registry must not control the terminal."""
    return ''.join(one if one.isprintable() else '?' for one in text)


def log(text):
    print(f'dragoman fetch: {printable(text)}', file=sys.stderr, flush=True)


def size_in(value):
    """Returns a size that a registry states, in bytes, or None if it is not a plausible number."""
    return value if isinstance(value, int) and 0 <= value < 1 << 50 else None


def megabytes(size):
    return f'{size / 1e6:.1f} MB'


class Bar:
    """Shows the progress of a download on a terminal, and nothing elsewhere."""

    def __init__(self, name, done, total):
        self.name, self.done, self.total = name, done, total
        self.shown = 0 if sys.stderr.isatty() else float('inf')  # monotonic seconds

    def add(self, size):
        self.done += size
        now = time.monotonic()
        if now - self.shown < 0.1:
            return
        self.shown = now
        line = megabytes(self.done)
        if self.total:
            filled = min(20, 20 * self.done // self.total)
            line += f' of {megabytes(self.total)} [{"#" * filled}{"-" * (20 - filled)}]'
        line = f'{line} {printable(self.name)}'[:shutil.get_terminal_size().columns - 1]
        print(f'\r\033[K{line}', end='', file=sys.stderr, flush=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.shown not in (0, float('inf')):
            print('\r\033[K', end='', file=sys.stderr, flush=True)


class Budget:
    """The bytes that a model may still have."""

    def __init__(self, limit, what):
        self.limit, self.left, self.what = limit, limit, what

    def copy(self):
        made = Budget(self.limit, self.what)
        made.left = self.left
        return made

    def take(self, size):
        self.left -= size
        if self.left < 0:
            raise Refused(f'{self.what}: found more than {self.limit >> 20} MiB, expected at most that (--max-mb)')


def digest(path, algorithm, begin=b''):
    """Returns the hexadecimal digest of `begin` and the file's bytes."""
    state = hashlib.new(algorithm, begin)
    with open(path, 'rb') as file:
        while chunk := file.read(CHUNK):
            state.update(chunk)
    return state.hexdigest()


def check(path, name, checksum):
    """Compares a file with a SHA-256 or, if `checksum` has 40 digits, with git's name of a file. Removes a file that
    differs."""
    if re.fullmatch('[0-9a-f]{64}', checksum):
        found = digest(path, 'sha256')
    elif re.fullmatch('[0-9a-f]{40}', checksum):
        found = digest(path, 'sha1', b'blob %d\0' % os.path.getsize(path))
    else:
        raise Refused(f'{name}: found the checksum {checksum[:80]!r}, expected a SHA-256 or a git hash')
    if found != checksum:
        os.unlink(path)
        raise Failed(f'{name}: found the checksum {found}, expected {checksum}')


def below(name):
    """Returns `name`. Refuses a name that is not a path below a folder."""
    if (not isinstance(name, str) or not 0 < len(name) < 1000 or any(ord(one) < 32 or one == '\\' for one in name) or
            any(part in ('', '.', '..') for part in name.split('/'))):
        raise Refused(f'found the file name {name!r:.200}, expected a path below the model\'s folder')
    return name


def keep_only(folder, names):
    """Removes all files except the named ones, and empty folders."""
    for place, folders, files in os.walk(folder, topdown=False):
        for name in files:
            path = os.path.join(place, name)
            if os.path.relpath(path, folder) not in names:
                os.unlink(path)
        for name in folders:
            if not os.listdir(os.path.join(place, name)):
                os.rmdir(os.path.join(place, name))


# --- requests ----------------------------------------------------------------------------------------

def opener():
    """Speaks HTTP and HTTPS only, through the proxies of the environment. Follows no redirect by itself."""
    made = urllib.request.OpenerDirector()
    for handler in (urllib.request.ProxyHandler, urllib.request.HTTPHandler, urllib.request.HTTPSHandler,
                    urllib.request.HTTPDefaultErrorHandler, urllib.request.HTTPErrorProcessor):
        made.add_handler(handler())
    return made


def without_user(url):
    """Returns the URL without user and password, and the value of the header Authorization or None."""
    parts = urllib.parse.urlsplit(url)
    user, separator, host = parts.netloc.rpartition('@')
    credentials = base64.b64encode(urllib.parse.unquote(user).encode()).decode()
    return parts._replace(netloc=host, fragment='').geturl(), f'Basic {credentials}' if separator else None


def resolve(base, url):
    """Returns the URL that a page at `base` means. Refuses to leave HTTPS."""
    try:
        joined = urllib.parse.quote(urllib.parse.urljoin(base, url), safe=string.punctuation)
        scheme = urllib.parse.urlsplit(joined).scheme
    except ValueError as error:
        raise Refused(f'found the URL {url!r:.200}: {error}') from error
    if scheme not in ('http', 'https') or (scheme == 'http' and base.startswith('https:')):
        raise Refused(f'found the URL {without_user(joined)[0]!r:.200} at {without_user(base)[0]}, expected https')
    return joined


def request(url, headers=None, method='GET'):
    """Returns the answer to a request. Its `checksum` is the ETag of the first answer, in which a hub states the
    checksum before it redirects. Only the first host gets the header Authorization."""
    url, authorization = without_user(resolve(url, url))
    headers = {'User-Agent': 'dragoman-fetch', 'Accept-Encoding': 'identity', **(headers or {})}
    if authorization:
        headers['Authorization'] = authorization
    checksum = None
    for _ in range(MAX_REDIRECTS + 1):
        try:
            answer = opener().open(urllib.request.Request(url, headers=headers, method=method), timeout=SECONDS)
        except urllib.error.HTTPError as error:
            answer = error
        except (urllib.error.URLError, http.client.HTTPException, OSError, ValueError) as error:
            reason = getattr(error, 'reason', error)
            kind = Refused if isinstance(reason, (ssl.SSLCertVerificationError, ValueError)) else Failed
            raise kind(f'{url}: {reason}') from error
        if checksum is None:
            checksum = answer.headers.get('X-Linked-Etag') or answer.headers.get('ETag') or ''
        target = answer.headers.get('Location')
        if answer.status not in (301, 302, 303, 307, 308) or not target:
            answer.checksum = checksum.removeprefix('W/').strip('"')
            return accepted(answer, url)
        answer.close()
        before, (url, _) = url, without_user(resolve(url, target))
        if urllib.parse.urlsplit(before)[:2] != urllib.parse.urlsplit(url)[:2]:
            headers.pop('Authorization', None)
    raise Refused(f'{url}: found more than {MAX_REDIRECTS} redirects')


def accepted(answer, url):
    status = answer.status
    if status in (200, 206, 416):
        return answer
    code = answer.headers.get('X-Error-Code')
    answer.close()
    found = f'{url}: found HTTP status {status}{f" ({code:.80})" if code else ""}, expected 200'
    if status in (401, 404, 410):
        raise NotFound(found)
    raise Refused(found) if 400 <= status < 500 and status not in (408, 425, 429) else Failed(found)


def read_page(url, headers=None):
    """Returns the bytes of a page and its headers."""
    with request(url, headers) as answer:
        try:
            body = answer.read(MAX_JSON + 1)
        except (http.client.HTTPException, OSError) as error:
            raise Failed(f'{url}: the answer broke off: {error!r}') from error
        if len(body) > MAX_JSON:
            raise Refused(f'{url}: found more than {MAX_JSON >> 20} MiB, expected a list of models')
        length = answer.headers.get('Content-Length', '')
        if length.isdecimal() and len(body) < int(length):
            raise Failed(f'{url}: the answer broke off after {len(body)} of {length} bytes')
        return body, answer.headers


def parse_json(body, kind, url):
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Refused(f'{url}: found no JSON: {words(error)}') from error
    if not isinstance(found, kind):
        raise Refused(f'{url}: found a {type(found).__name__}, expected a {kind.__name__}')
    return found


def get_json(url, kind, headers=None):
    """Returns the JSON at a URL, which must be a `kind`: dict or list."""
    return parse_json(read_page(url, headers)[0], kind, url)


def size_of(url):
    """Returns the size of a file in bytes, or None if the server does not state it."""
    with request(url, method='HEAD') as answer:
        length = answer.headers.get('Content-Length', '')
        return int(length) if length.isdecimal() else None


def get_file(url, path, name, budget, checksum=None, size=None, headers=None):
    """Downloads a file to `path`. Continues PATH.part, which an earlier call has left. None
    as `checksum` or `size` (bytes) means that the registry does not state it. Raises Refused or Failed."""
    if os.path.exists(path) and checksum is not None and digest_matches(path, checksum):
        budget.take(os.path.getsize(path))
        return
    part = f'{path}.part'
    os.makedirs(os.path.dirname(path), exist_ok=True)
    have = os.path.getsize(part) if os.path.exists(part) else 0
    if have == 0 or have != size:
        have = append(url, part, name, have, budget, size, headers or {})
    else:
        budget.take(have)
    if size is not None and have != size:
        os.unlink(part)
        raise Failed(f'{name}: found {have} bytes, expected {size}')
    os.rename(part, path)
    if checksum is not None:
        check(path, name, checksum)


def digest_matches(path, checksum):
    try:
        check(path, path, checksum)
        return True
    except Failed:
        return False


def append(url, part, name, have, budget, size, headers):
    """Appends the rest of a file to `part`. Returns the file's size in bytes."""
    if have:
        headers = {**headers, 'Range': f'bytes={have}-'}
    with request(url, headers) as answer:
        if answer.status == 416 and have:  # the file is complete
            budget.take(have)
            return have
        if answer.headers.get('Content-Encoding', 'identity') != 'identity':
            raise Refused(f'{name}: found Content-Encoding {answer.headers["Content-Encoding"]:.80}, expected none')
        resumed = answer.status == 206 and answer.headers.get('Content-Range', '').startswith(f'bytes {have}-')
        have = have if resumed else 0
        length = answer.headers.get('Content-Length', '')
        expected = have + int(length) if length.isdecimal() else None
        budget.take(have)
        with open(part, 'ab' if resumed else 'wb') as file, Bar(name, have, size or expected) as bar:
            try:
                while chunk := answer.read1(CHUNK):
                    have += len(chunk)
                    budget.take(len(chunk))
                    file.write(chunk)
                    bar.add(len(chunk))
            except (http.client.HTTPException, ConnectionError, socket.timeout, ssl.SSLError) as error:
                raise Failed(f'{name}: the download broke off after {have} bytes: {error!r}') from error
    if expected is not None and have < expected:
        raise Failed(f'{name}: the download broke off after {have} of {expected} bytes')
    return have
