"""Servers on the loopback that models come from, as one: a Hugging Face hub, Firefox's Remote Settings, the index of
Argos Translate, an index of Python packages, and a web server with resumable downloads. The server can be told to abort
a download, to hold it, to let it have no end, or to change a byte of it."""
import argparse
import hashlib
import http.server
import json
import os
import ssl
import threading
import urllib.parse


class Faults:
    """What goes wrong with the next downloads of a file: a list for each path, one entry for each download."""

    def __init__(self):
        self.planned = {}
        self.held = threading.Event()     # set when a download is held in its middle
        self.released = threading.Event()  # set it to let held downloads end

    def next(self, path):
        left = self.planned.get(path, [])
        return left.pop(0) if left else None


class Server:
    """Serves until its context ends. `files` has what is served at each path; `redirects` the URL that a path redirects
    to; `models` what is in each repository: {'owner/name': {file: bytes}}, files of more than 1 KiB as if by Git LFS.
    Requests are in `log`: (method, path, range or None), and those with a token in `authorized`. A listing of
    `names_only` has no checksums, as some mirrors' have none."""

    def __init__(self, models=None, files=None, token=None, certificate=None, names_only=False):
        self.models = models or {}
        self.files = files or {}
        self.token = token
        self.names_only = names_only
        self.redirects = {}
        self.log = []
        self.authorized = []
        self.faults = Faults()
        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), lambda *args: _Handler(self, *args))
        self.server.daemon_threads = True
        scheme = 'http'
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
            scheme = 'https'
        self.url = f'{scheme}://127.0.0.1:{self.server.server_address[1]}'
        self.thread = threading.Thread(target=self.server.serve_forever)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.faults.released.set()
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def commit(self, model):
        return hashlib.sha1(repr(sorted(self.models[model])).encode()).hexdigest()

    def environment(self):
        """The variables that name this server as the mirror of all registries."""
        return {'HF_ENDPOINT': self.url, 'DRAGOMAN_FIREFOX_URL': f'{self.url}/v1', 'PIP_INDEX_URL': f'{self.url}/simple/',
                'ARGOS_PACKAGE_INDEX': f'{self.url}/argos/'}

    def add_json(self, path, content):
        self.files[path] = json.dumps(content).encode()

    def add_firefox(self, version_2=(), version_1=(), attachments=None):
        """The records of both collections, and {location: bytes}."""
        self.add_json('/v1/', {'capabilities': {'attachments': {'base_url': f'{self.url}/attachments/'}}})
        for collection, records in (('translations-models-v2', version_2), ('translations-models', version_1)):
            self.add_json(f'/v1/buckets/main/collections/{collection}/records', {'data': list(records)})
        for location, content in (attachments or {}).items():
            self.files[f'/attachments/{location}'] = content

    def add_argos(self, *packages):
        """Packages: (from, to, version, archive)."""
        index = []
        for source, target, version, content in packages:
            path = f'/argos/translate-{source}_{target}-{version.replace(".", "_")}.argosmodel'
            self.files[path] = content
            index.append({'package_version': version, 'argos_version': '1.9', 'from_code': source, 'to_code': target,
                          'code': f'translate-{source}_{target}', 'links': ['ipfs://Qm', self.url + path]})
        self.add_json('/argos/index.json', index)

    def add_wheels(self, project, wheels, as_html=False):
        """Wheels: {file name: bytes}."""
        listed = []
        for name, content in wheels.items():
            self.files[f'/packages/{name}'] = content
            listed.append({'filename': name, 'url': f'../../packages/{name}', 'size': len(content),
                           'hashes': {'sha256': hashlib.sha256(content).hexdigest()}})
        if as_html:
            self.files[f'/simple/{project}/'] = ('<!DOCTYPE html>' + ''.join(
                f'<a href="{one["url"]}#sha256={one["hashes"]["sha256"]}">{one["filename"]}</a>' for one in listed)).encode()
        else:
            self.add_json(f'/simple/{project}/', {'meta': {'api-version': '1.1'}, 'name': project, 'files': listed})

    def downloads(self, end):
        """[range or None] of the GETs of paths that end so."""
        return [wanted for method, path, wanted in self.log if method == 'GET' and path.endswith(end)]


def git_name(content):
    return hashlib.sha1(b'blob %d\0' % len(content) + content).hexdigest()


def tree(folder):
    """{path: bytes} of a folder's files."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(place, name), 'rb') as file:
                found[os.path.relpath(os.path.join(place, name), folder)] = file.read()
    return found


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def __init__(self, owner, *args):
        self.owner = owner
        super().__init__(*args)

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.answer(body=False)

    def do_GET(self):
        self.answer(body=True)

    def answer(self, body):
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        self.owner.log.append((self.command, path, self.headers.get('Range')))
        if 'Authorization' in self.headers:
            self.owner.authorized.append(path)
        if path in self.owner.redirects:
            return self.redirect(self.owner.redirects[path])
        if path in self.owner.files:
            content = self.owner.files[path]
            kind = 'application/vnd.pypi.simple.v1+json' if content[:1] == b'{' else 'text/html'
            return self.send_file(path, content, {'Content-Type': kind}, body)
        parts = path.strip('/').split('/')
        if parts == ['api', 'models']:
            return self.list_models()
        if parts[:2] == ['api', 'models']:
            return self.describe('/'.join(parts[2:4]), parts[5] if len(parts) > 5 else 'main')
        if len(parts) > 4 and parts[2] == 'resolve':
            return self.resolve('/'.join(parts[:2]), parts[3], '/'.join(parts[4:]), path, body)
        return self.refuse(404, 'EntryNotFound')

    def known(self, model, revision):
        """Whether the caller may see it; answers if not."""
        wanted = self.owner.token
        if model not in self.owner.models or (wanted and self.headers.get('Authorization') != f'Bearer {wanted}'):
            self.refuse(401, 'RepoNotFound')
        elif revision not in (self.owner.commit(model), 'main', 'v1'):
            self.refuse(404, 'RevisionNotFound')
        else:
            return True
        return False

    def redirect(self, url):
        self.send_response(302)
        self.send_header('Location', url)
        self.send_header('Content-Length', '0')
        self.end_headers()

    def list_models(self):
        """Two pages."""
        listed = [{'id': model, 'tags': ['marian', 'license:apache-2.0']} for model in sorted(self.owner.models)]
        half, is_second = len(listed) // 2, 'cursor' in self.path
        following = {} if is_second else {'Link': f'<{self.owner.url}/api/models?cursor=1>; rel="next"'}
        self.send_file(None, json.dumps(listed[half:] if is_second else listed[:half]).encode(), following, True)

    def describe(self, model, revision):
        if not self.known(model, revision):
            return
        siblings = []
        for name, content in self.owner.models[model].items():
            one = {'rfilename': name, 'size': len(content), 'blobId': git_name(content)}
            if len(content) > 1024:
                one['lfs'] = {'size': len(content), 'sha256': hashlib.sha256(content).hexdigest(), 'pointerSize': 130}
            siblings.append({'rfilename': name} if self.owner.names_only else one)
        text = json.dumps({'_id': '0', 'id': model, 'modelId': model, 'sha': self.owner.commit(model), 'private': False,
                           'tags': [], 'downloads': 0, 'likes': 0, 'siblings': siblings}).encode()
        self.send_file(None, text, {'Content-Type': 'application/json'}, True)

    def resolve(self, model, revision, name, path, body):
        if not self.known(model, revision):
            return
        content = self.owner.models[model].get(name)
        if content is None:
            self.refuse(404, 'EntryNotFound')
            return
        etag = hashlib.sha256(content).hexdigest() if len(content) > 1024 else git_name(content)
        self.send_file(path, content, {'ETag': f'"{etag}"', 'X-Repo-Commit': self.owner.commit(model),
                                       'X-Linked-Size': str(len(content)), 'X-Linked-Etag': f'"{etag}"'}, body)

    def refuse(self, status, code):
        self.send_response(status)
        self.send_header('X-Error-Code', code)
        self.send_header('Content-Length', '0')
        self.end_headers()

    def send_file(self, path, content, headers, body):
        begin = 0
        wanted = self.headers.get('Range', '')
        if wanted.startswith('bytes=') and wanted.endswith('-'):
            begin = int(wanted[6:-1])
        if begin and begin >= len(content):
            self.refuse(416, '')
            return
        fault = self.owner.faults.next(path) if body else None
        if fault == 'endless':
            self.send_endless(headers)
            return
        self.send_response(206 if begin else 200)
        for name, value in headers.items():
            self.send_header(name, value)
        if begin:
            self.send_header('Content-Range', f'bytes {begin}-{len(content) - 1}/{len(content)}')
        self.send_header('Content-Length', str(len(content) - begin))
        self.end_headers()
        if not body:
            return
        rest = content[begin:]
        if fault == 'change':
            rest = rest[:-1] + bytes([rest[-1] ^ 1])
        if fault in ('cut', 'hold'):
            self.wfile.write(rest[:len(rest) // 2])
            self.wfile.flush()
            if fault == 'hold':
                self.owner.faults.held.set()
                self.owner.faults.released.wait()
            self.close_connection = True
            return
        try:
            self.wfile.write(rest)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client has given up

    def send_endless(self, headers):
        self.close_connection = True
        self.send_response(200)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            while True:
                self.wfile.write(bytes(1 << 16))
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client has given up


def main():
    parser = argparse.ArgumentParser(description='Prints the URL of a hub and serves until it is killed.')
    parser.add_argument('models', nargs='+', metavar='OWNER/NAME=FOLDER')
    parser.add_argument('--token', help='what callers must have')
    options = parser.parse_args()
    models = dict(model.split('=', 1) for model in options.models)
    with Server(models={name: tree(folder) for name, folder in models.items()}, token=options.token) as server:
        print(server.url, flush=True)
        threading.Event().wait()


if __name__ == '__main__':
    main()
