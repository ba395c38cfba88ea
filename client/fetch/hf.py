"""Models from a Hugging Face hub, and OPUS-MT's models, which are there."""
import contextlib
import fnmatch
import os
import re
import urllib.parse

import download
from download import Absent, Budget, NotFound, Refused

# Files that Dragoman does not read: weights for other frameworks.
OTHER_FRAMEWORKS = ('tf_model.h5', 'flax_model.msgpack', 'rust_model.ot', '*.onnx', '*.tflite', 'onnx/*', 'openvino/*')
OPUS = 'Helsinki-NLP'
MAX_PAGES = 20


def headers():
    token = os.environ.get('HF_TOKEN')
    return {'Authorization': f'Bearer {token}'} if token else {}


def describe(repository, revision=None):
    """Returns what the hub knows of a repository."""
    at = f'/revision/{urllib.parse.quote(revision, safe="")}' if revision else ''
    url = f'{download.registry("hub")}/api/models/{repository}{at}?blobs=true'
    info = download.get_json(url, dict, headers())
    if not isinstance(info.get('sha'), str) or not isinstance(info.get('siblings'), list):
        raise Refused(f'{url}: found no commit or no files')
    return info


def chosen(info, include=()):
    """Returns {name: entry} of the files that match a pattern; without patterns of those that Dragoman may read."""
    files = {one['rfilename']: one for one in info['siblings']
             if isinstance(one, dict) and isinstance(one.get('rfilename'), str)}

    def matches(name, patterns):
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
    if include:
        return {name: one for name, one in files.items() if matches(name, include)}
    safe = any(matches(name, ['model*.safetensors']) for name in files)
    unread = OTHER_FRAMEWORKS + (('pytorch_model*.bin*',) if safe else ())
    return {name: one for name, one in files.items() if not name.startswith('.') and not matches(name, unread)}


def fetch(match, into, limit):
    include = urllib.parse.parse_qs(match['options'] or '').get('include', [])
    return fetch_files(match['repository'], describe(match['repository'], match['revision']), include, into, limit)


def fetch_files(repository, info, include, into, limit):
    """Returns the commit."""
    files = chosen(info, include)
    Budget(limit, repository).take(sum(download.size_in(one.get('size')) or 0 for one in files.values()))
    budget = Budget(limit, repository)
    for name, one in sorted(files.items()):
        download.below(name)
        url = f'{download.registry("hub")}/{repository}/resolve/{info["sha"]}/{urllib.parse.quote(name)}'
        lfs = one.get('lfs') if isinstance(one.get('lfs'), dict) else {}
        checksum = lfs.get('sha256') or one.get('blobId')
        if not isinstance(checksum, str):  # some mirrors list names only
            with download.request(url, headers(), 'HEAD') as answer:
                checksum = answer.checksum
        download.get_file(url, os.path.join(into, name), f'{repository}/{name}', budget, checksum,
                          download.size_in(one.get('size')), headers())
    download.keep_only(into, set(files))
    return info['sha']


# --- OPUS-MT -----------------------------------------------------------------------------------------

def fetch_opus(match, into, limit):
    """Fetches the smaller of the two kinds of models."""
    pair = f'{match["source"]}-{match["target"]}'
    for name in (f'{OPUS}/opus-mt-{pair}', f'{OPUS}/opus-mt-tc-big-{pair}'):
        with contextlib.suppress(NotFound):
            info = describe(name)
            break
    else:
        raise Absent(f'OPUS-MT: found no opus-mt-{pair} and no opus-mt-tc-big-{pair} at {download.registry("hub")}')
    return f'{name}@{fetch_files(name, info, (), into, limit)}'


def list_opus(source, target):
    """Yields a row for each model: (name, kind, bytes or None, version, licence)."""
    url = f'{download.registry("hub")}/api/models?author={OPUS}&search=opus-mt&limit=1000'
    for _ in range(MAX_PAGES):
        body, answer = download.read_page(url, headers())
        for one in download.parse_json(body, list, url):
            found = re.fullmatch(OPUS + r'/(opus-mt-(tc-big-)?([A-Za-z_]+)-([A-Za-z_]+))', str(one.get('id', ''))
                                 if isinstance(one, dict) else '')
            if not found or (source and found[3] != source) or (target and found[4] != target):
                continue
            tags = one.get('tags') if isinstance(one.get('tags'), list) else []
            licence = next((str(tag)[8:] for tag in tags if str(tag).startswith('license:')), '-')
            size, version = None, '-'
            if source and target:  # a request for each model
                info = describe(f'{OPUS}/{found[1]}')
                size = sum(download.size_in(file.get('size')) or 0 for file in chosen(info).values())
                version = info['sha'][:8]
            # The name opus:FROM-TO means the smaller model.
            name = f'hf:{OPUS}/{found[1]}' if found[2] else f'opus:{found[3]}-{found[4]}'
            yield name, 'big' if found[2] else 'base', size, version, licence
        following = re.search(r'<([^>]+)>;\s*rel="next"', answer.get('Link', ''))
        if not following:
            return
        url = download.resolve(url, following[1])
        if urllib.parse.urlsplit(url)[1] != urllib.parse.urlsplit(download.registry('hub'))[1]:
            raise Refused(f'found the next page of the list at {url}, expected it at {download.registry("hub")}')
