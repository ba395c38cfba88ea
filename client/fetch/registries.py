"""The registries of models by languages, Firefox's and Argos Translate's, and models inside the wheels of PyPI."""
import html.parser
import json
import os
import re
import urllib.parse

import archive
import download
from download import Absent, Budget, Refused

MODEL_FILES = ('model', 'lex', 'vocab', 'srcvocab', 'trgvocab')
# How Firefox runs its models. They come without a configuration.
MARIAN = '''relative-paths: true
models:
  - {model}
vocabs:
  - {source}
  - {target}
{shortlist}beam-size: 1
normalize: 1.0
word-penalty: 0
max-length-factor: 2.0
gemm-precision: {precision}
'''
SHORTLIST = 'shortlist:\n  - {lex}\n  - false\n'


def field(record, name):
    found = record.get(name) if isinstance(record, dict) else None
    return found if isinstance(found, str) else ''


def newest_first(version):
    """A key for sorting: releases before previews, new ones before old ones."""
    return bool(re.search('[a-z]', version)), [-int(part[:9]) for part in re.findall(r'\d+', version)]


# --- Firefox: Remote Settings ------------------------------------------------------------------------

class FirefoxModel:
    def __init__(self, source, target, version, architecture):
        self.source, self.target, self.version, self.architecture = source, target, version, architecture
        self.files = {}  # by the type of the file: a record

    def is_complete(self):
        return 'model' in self.files and ('vocab' in self.files or {'srcvocab', 'trgvocab'} <= self.files.keys())

    def size(self):
        """Returns the bytes that are downloaded."""
        return sum(download.size_in(record['attachment'].get('size')) or 0 for record in self.files.values())


def firefox_models():
    """Returns the complete models, the best of a language pair first: the newest, then the smallest."""
    models = {}
    for collection, languages in (('translations-models-v2', ('sourceLanguage', 'targetLanguage')),
                                  ('translations-models', ('fromLang', 'toLang'))):
        url = f'{download.registry("firefox")}/buckets/main/collections/{collection}/records'
        records = download.get_json(url, dict).get('data')
        for record in records if isinstance(records, list) else []:
            key = (*(field(record, name) for name in languages), field(record, 'version'),
                   field(record, 'architecture') or '-')
            kind = field(record, 'fileType')
            if kind in MODEL_FILES and all(key) and isinstance(record.get('attachment'), dict):
                model = models.setdefault((collection, *key), FirefoxModel(*key))
                model.files[kind] = max(record, model.files.get(kind, record), key=modified)
    return sorted((model for model in models.values() if model.is_complete()),
                  key=lambda model: (model.source, model.target, newest_first(model.version), model.size()))


def modified(record):
    return record['last_modified'] if isinstance(record.get('last_modified'), int) else 0


def list_firefox(source, target):
    for model in firefox_models():
        if source in (None, model.source) and target in (None, model.target):
            yield (f'firefox:{model.source}-{model.target}', model.architecture, model.size(), model.version, 'MPL-2.0')


def fetch_firefox(match, into, limit):
    source, target = match['source'], match['target']
    found = [model for model in firefox_models() if (model.source, model.target) == (source, target)]
    if not found:
        raise Absent(f'Firefox: found no model from {source} to {target} at {download.registry("firefox")}')
    root = f'{download.registry("firefox")}/'
    capabilities = download.get_json(root, dict).get('capabilities')
    attachments = capabilities.get('attachments') if isinstance(capabilities, dict) else None
    base = download.resolve(root, field(attachments, 'base_url').rstrip('/') + '/')
    budget = Budget(limit, f'firefox:{source}-{target}')
    names = {kind: firefox_file(base, record, into, budget) for kind, record in found[0].files.items()}
    vocabulary = names.get('vocab')
    text = MARIAN.format(
        model=names['model'], source=names.get('srcvocab', vocabulary), target=names.get('trgvocab', vocabulary),
        shortlist=SHORTLIST.format(lex=names['lex']) if 'lex' in names else '',
        precision='int8shiftAlphaAll' if 'alphas' in names['model'] else 'int8shiftAll')
    write(into, 'config.yml', text)
    # The file that the daemon reads languages from. The names of the files have only two letters for a language.
    write(into, 'tokenizer_config.json', json.dumps({'source_lang': source, 'target_lang': target}))
    download.keep_only(into, {*names.values(), 'config.yml', 'tokenizer_config.json'})
    return f'version {found[0].version}, {found[0].architecture}'


def firefox_file(base, record, into, budget):
    """Returns the name of the file in the model's folder."""
    attachment = record['attachment']
    name = field(record, 'name').removesuffix('.zst').removesuffix('.gz')
    if not re.fullmatch(r'[A-Za-z0-9_][-.\w]*', name):
        raise Refused(f'Firefox: found the file name {name!r:.200}, expected letters, digits, "-", "_" and "."')
    hash_, unpacked = field(attachment, 'hash'), field(record, 'decompressedHash')
    path = os.path.join(into, name)
    if os.path.exists(path) and download.digest_matches(path, unpacked or hash_):
        budget.take(os.path.getsize(path))
        return name
    location = download.below(field(attachment, 'location'))
    # The compressed file and the file each fit into the budget.
    download.get_file(download.resolve(base, location), f'{path}.attachment', name, budget.copy(), hash_,
                      download.size_in(attachment.get('size')))
    archive.decompress(f'{path}.attachment', path, name, budget)
    if unpacked:
        download.check(path, name, unpacked)
    return name


def write(into, name, text):
    with open(os.path.join(into, name), 'w', encoding='utf-8') as file:
        file.write(text)


# --- Argos Translate ---------------------------------------------------------------------------------

def argos_packages(source, target):
    """Returns the packages of a language pair or, for None, of all, the newest of a pair first."""
    packages = [one for one in download.get_json(f'{download.registry("argos")}/index.json', list)
                if field(one, 'from_code') and field(one, 'to_code') and one.get('type', 'translate') == 'translate']
    packages.sort(key=lambda one: (one['from_code'], one['to_code'], newest_first(field(one, 'package_version'))))
    return [one for one in packages if source in (None, one['from_code']) and target in (None, one['to_code'])]


def argos_link(package):
    """Returns the first link of a package that is safe to follow."""
    links = package.get('links') if isinstance(package.get('links'), list) else []
    for link in links:
        if isinstance(link, str) and re.match('https?://', link):
            return download.resolve(f'{download.registry("argos")}/', link)
    raise Refused(f'Argos: found the links {links!r:.200}, expected one of https')


def list_argos(source, target):
    for one in argos_packages(source, target):
        size = download.size_of(argos_link(one)) if source and target else None
        yield (f'argos:{one["from_code"]}-{one["to_code"]}', 'argos', size, field(one, 'package_version') or '-', '-')


def fetch_argos(match, into, limit):
    """The index has no checksums: without #sha256= only the connection and the archive's own checksums protect it."""
    source, target = match['source'], match['target']
    found = argos_packages(source, target)
    if not found:
        raise Absent(f'Argos: found no model from {source} to {target} at {download.registry("argos")}')
    resolved = archive.fetch(argos_link(found[0]), match['sha256'], into, limit)
    return f'version {field(found[0], "package_version")}, {resolved}'


# --- PyPI --------------------------------------------------------------------------------------------

class Links(html.parser.HTMLParser):
    """The links of an index page."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        href = dict(attrs).get('href')
        if tag == 'a' and href:
            self.found.append(href)


def find_wheel(project, version):
    """Returns (file name, URL, SHA-256) of a version's wheel for every platform, else for Linux, because Windows may
    have other line ends; of several the smallest. The index answers with JSON (PEP 691) or HTML (PEP 503)."""
    normal = re.sub(r'[-_.]+', '-', project).lower()
    page = f'{download.registry("pypi")}/{normal}/'
    body, headers = download.read_page(page, {
        'Accept': 'application/vnd.pypi.simple.v1+json, text/html;q=0.1'})
    files = []
    if 'json' in headers.get('Content-Type', ''):
        listed = download.parse_json(body, dict, page).get('files')
        for one in listed if isinstance(listed, list) else []:
            hashes = one.get('hashes') if isinstance(one, dict) else None
            size = download.size_in(one.get('size')) if hashes else None
            files.append((field(one, 'filename'), field(one, 'url'), field(hashes, 'sha256'), size or 0))
    else:
        links = Links()
        links.feed(body.decode(errors='replace'))
        for link in links.found:
            plain, _, fragment = link.partition('#')
            name = urllib.parse.unquote(plain.split('?')[0].rsplit('/', 1)[-1])
            files.append((name, plain, fragment.removeprefix('sha256='), 0))
    found = []
    for name, link, sha256, size in files:
        parts = name.split('-')
        if (name.endswith('.whl') and len(parts) >= 5 and re.sub(r'[-_.]+', '-', parts[0]).lower() == normal and
                parts[1] == version and re.fullmatch('[0-9a-f]{64}', sha256)):
            kind = 0 if name.endswith('-none-any.whl') else 1 if 'linux' in parts[-1] else 2
            found.append((kind, size, name, download.resolve(page, link), sha256))
    if not found:
        raise Absent(f'PyPI: found no wheel of {project}=={version} with a SHA-256 at '
                     f'{download.without_user(page)[0]}')
    return min(found)[2:]


def fetch_pypi(match, into, limit):
    name, url, sha256 = find_wheel(match['project'], match['version'])
    return f'{name} {archive.fetch(url, sha256, into, limit, download.below(match["path"]))}'
