"""The kinds of places that models come from. fetch() leaves a model's files in a folder, each compared with the checksum
that the source has of it, and takes up what an earlier call that was cut off has left there."""
import base64
import fnmatch
import hashlib
import os
import re
import shutil
import tarfile
import urllib.parse
import zipfile

CHUNK = 1 << 20
SUMS = 'SHA256SUMS'
# What Dragoman does not read (weights for other frameworks), where nothing else is asked for.
OTHER_FRAMEWORKS = ('tf_model.h5', 'flax_model.msgpack', 'rust_model.ot', '*.onnx', '*.tflite', 'onnx/*', 'openvino/*')


class Refused(Exception):
    """Trying again would not help: says what was found and what was expected."""


class Mismatch(Exception):
    """A checksum is wrong. The file has been thrown away, so that another attempt starts afresh."""


def too_large(what, limit):
    return Refused(f'{what}: found more than {limit >> 20} MiB, expected at most that (--max-mb)')


def words(error):
    """An exception in one line."""
    text = ' '.join(str(error).split())
    return text[:500] if isinstance(error, (Refused, Mismatch)) else f'{type(error).__name__}: {text[:500]}'


def digest(path, algorithm, begin=b''):
    """The hexadecimal digest of `begin` and a file's bytes."""
    state = hashlib.new(algorithm, begin)
    with open(path, 'rb') as file:
        while chunk := file.read(CHUNK):
            state.update(chunk)
    return state.hexdigest()


def git_digest(path):
    """The name that git gives a file."""
    return digest(path, 'sha1', b'blob %d\0' % os.path.getsize(path))


def expect(path, name, found, expected):
    """Throws the file away if its checksum is wrong."""
    if found != expected:
        os.unlink(path)
        raise Mismatch(f'{name}: found the checksum {found}, expected {expected}')


def keep_only(folder, names):
    """Throws away what an earlier call has left in the folder beside the named files."""
    for place, folders, files in os.walk(folder, topdown=False):
        for name in files:
            path = os.path.join(place, name)
            if os.path.relpath(path, folder) not in names:
                os.unlink(path)
        for name in folders:
            if not os.listdir(os.path.join(place, name)):
                os.rmdir(os.path.join(place, name))


def parse(url):
    """(scheme, the rest before "#", {name: [values]} behind it). Raises Refused."""
    scheme, separator, rest = url.partition('://')
    place, _, fragment = rest.partition('#')
    options = urllib.parse.parse_qs(fragment, keep_blank_values=True) if fragment else {}
    allowed = {'hf': {'include'}, 's3': set(), 'https': {'sha256'}, 'http': {'sha256'}}
    if not separator or scheme not in allowed or not place:
        raise Refused(f'found {url!r}, expected hf://, s3://, https:// or http:// and a place')
    if unknown := options.keys() - allowed[scheme]:
        raise Refused(f'found {sorted(unknown)} behind "#" of {url!r}, expected {sorted(allowed[scheme]) or "nothing"}')
    if scheme == 'hf' and not re.fullmatch(r'[^/@\s]+/[^/@\s]+@[^@\s]+', place):
        raise Refused(f'found {url!r}, expected hf://OWNER/NAME@REVISION')
    if scheme == 's3' and not re.fullmatch(r'[^/\s]+/[^\s]*[^/\s]/?', place):
        raise Refused(f'found {url!r}, expected s3://BUCKET/PREFIX')
    if scheme in ('https', 'http') and not re.fullmatch(r'[0-9a-f]{64}', ''.join(options.get('sha256', []))):
        raise Refused(f'found {url!r}, expected #sha256= and 64 hexadecimal digits at its end')
    return scheme, place, options


def fetch(url, into, limit):
    """Fetches at most `limit` bytes. Returns what the URL stood for: a commit, or the checksum of what was read. Raises Refused, Mismatch, or what the
    network or the disk raises."""
    scheme, place, options = parse(url)
    if scheme == 'hf':
        resolved = fetch_hub(place, options.get('include', []), into, limit)
    elif scheme == 's3':
        resolved = fetch_s3(place, into, limit)
    else:
        resolved = fetch_archive(f'{scheme}://{place}', options['sha256'][0], into, limit)
    if not any(names for _, _, names in os.walk(into)):
        raise Refused(f'{url}: found no file')
    return resolved


# --- Hugging Face ------------------------------------------------------------------------------------

def chosen(names, include):
    """Of a repository's files: those that match a pattern; without patterns those that Dragoman may read."""
    if include:
        return [name for name in names if any(fnmatch.fnmatchcase(name, pattern) for pattern in include)]
    safe = any(fnmatch.fnmatchcase(name, 'model*.safetensors') for name in names)
    unread = OTHER_FRAMEWORKS + (('pytorch_model*.bin*',) if safe else ())
    return [name for name in names
            if not name.startswith('.') and not any(fnmatch.fnmatchcase(name, pattern) for pattern in unread)]


def fetch_hub(place, include, into, limit):
    # Read when the library is imported. Its own store is not used, and its other protocol needs other hosts.
    os.environ.setdefault('HF_HOME', os.path.join(os.path.dirname(into), '.hub'))
    os.environ.setdefault('HF_HUB_DISABLE_XET', '1')
    os.environ.setdefault('HF_HUB_DISABLE_TELEMETRY', '1')
    os.environ.setdefault('HF_HUB_DISABLE_PROGRESS_BARS', '1')
    import huggingface_hub
    from huggingface_hub import errors

    repository, revision = place.split('@')
    hub = huggingface_hub.HfApi()
    try:
        info = hub.model_info(repository, revision=revision, files_metadata=True)
        by_name = {file.rfilename: file for file in info.siblings}
        names = chosen(sorted(by_name), include)
        if sum(by_name[name].size or 0 for name in names) > limit:
            raise too_large(f'{repository}@{revision}', limit)
        left = limit
        for name in names:
            path = huggingface_hub.hf_hub_download(repository, name, revision=info.sha, local_dir=into)
            expect_of_hub(hub_checksum(by_name[name], repository, info.sha), path, f'{repository}/{name}')
            left -= os.path.getsize(path)
            if left < 0:  # a mirror whose listing has no sizes
                raise too_large(f'{repository}@{revision}', limit)
    except (errors.RepositoryNotFoundError, errors.RevisionNotFoundError, errors.GatedRepoError,
            errors.EntryNotFoundError) as error:
        raise Refused(f'{hub.endpoint}: {words(error)}') from error
    keep_only(into, set(names))
    return info.sha


def hub_checksum(file, repository, commit):
    """The SHA-256 of a file in Git LFS, git's name of another: by the repository's listing, or, of a mirror whose listing
    has names only, by the ETag."""
    import huggingface_hub

    if file.lfs:
        return file.lfs['sha256']
    if file.blob_id:
        return file.blob_id
    url = huggingface_hub.hf_hub_url(repository, file.rfilename, revision=commit)
    return huggingface_hub.get_hf_file_metadata(url).etag or ''


def expect_of_hub(checksum, path, name):
    if re.fullmatch('[0-9a-f]{64}', checksum):
        expect(path, name, digest(path, 'sha256'), checksum)
    elif re.fullmatch('[0-9a-f]{40}', checksum):
        expect(path, name, git_digest(path), checksum)
    else:
        raise Refused(f'{name}: found the checksum {checksum!r} at the hub, expected a SHA-256 or a name of git')


# --- S3 ----------------------------------------------------------------------------------------------

def fetch_s3(place, into, limit):
    import boto3
    import botocore
    from botocore import exceptions

    bucket, _, prefix = place.partition('/')
    prefix = prefix.rstrip('/') + '/'
    session = boto3.session.Session()
    anonymous = {} if session.get_credentials() else {'signature_version': botocore.UNSIGNED}
    region = session.region_name or 'us-east-1'
    client = session.client('s3', region_name=region, config=botocore.config.Config(
        retries={'mode': 'standard'}, response_checksum_validation='when_required', **anonymous))
    try:
        names = {}
        size = 0
        for page in client.get_paginator('list_objects_v2').paginate(Bucket=bucket, Prefix=prefix):
            for one in page.get('Contents', []):
                if not one['Key'].endswith('/'):
                    names[below(one['Key'], prefix)] = one['ETag']
                    size += one['Size']
                if size > limit:
                    raise too_large(f's3://{bucket}/{prefix}', limit)
        sums = {}
        if SUMS in names:
            sums = read_sums(client.get_object(Bucket=bucket, Key=prefix + SUMS)['Body'].read(CHUNK).decode())
            del names[SUMS]
            if missing := sorted(sums.keys() - names.keys()):
                raise Refused(f's3://{bucket}/{prefix}{SUMS} names {missing}, which are not there')
        for name, etag in sorted(names.items()):
            s3_object(client, bucket, prefix + name, etag, os.path.join(into, name), sums.get(name))
        keep_only(into, set(names))
    except exceptions.ClientError as error:
        if error.response['ResponseMetadata'].get('HTTPStatusCode') in (400, 401, 403, 404):
            raise Refused(f's3://{bucket}/{prefix}: {words(error)}') from error
        raise
    state = hashlib.sha256('\n'.join(f'{name} {etag}' for name, etag in sorted(names.items())).encode())
    return state.hexdigest()


def below(key, prefix):
    name = key[len(prefix):]
    if any(part in ('', '.', '..') for part in name.split('/')):
        raise Refused(f'found the object {key!r}, expected a path below {prefix}')
    return name


def read_sums(text):
    """{file: SHA-256} of what sha256sum prints."""
    lines = [line for line in text.splitlines() if line.strip()]
    pairs = [re.fullmatch(r'([0-9a-f]{64}) [ *](?:\./)?(.+)', line) for line in lines]
    if not all(pairs):
        raise Refused(f'{SUMS}: found {lines[pairs.index(None)]!r}, expected a line of sha256sum')
    return {pair[2]: pair[1] for pair in pairs}


def s3_object(client, bucket, key, etag, path, sha256):
    """One object, with its checksum compared: of SHA256SUMS, else the store's own SHA-256, else by its ETag."""
    name = f's3://{bucket}/{key}'
    head = client.head_object(Bucket=bucket, Key=key, IfMatch=etag, ChecksumMode='ENABLED')
    own = head.get('ChecksumSHA256', '')
    if not sha256 and own and '-' not in own:
        sha256 = base64.b64decode(own).hex()
    if not sha256 and head.get('ServerSideEncryption', 'AES256') != 'AES256':
        raise Refused(f'{name}: the store encrypts it with keys, so that its ETag is not a checksum; expected a file '
                      f'{SUMS} beside it')
    os.makedirs(os.path.dirname(path), exist_ok=True)
    part = path + '.part'
    if not os.path.exists(path):
        have = os.path.getsize(part) if os.path.exists(part) else 0
        if have < head['ContentLength'] or have == 0:
            ranged = {'Range': f'bytes={have}-'} if have else {}
            body = client.get_object(Bucket=bucket, Key=key, IfMatch=etag, **ranged)['Body']
            append(part, body.iter_chunks(CHUNK))
        os.rename(part, path)
    if sha256:
        expect(path, name, digest(path, 'sha256'), sha256)
    else:
        expect(path, name, s3_etag(client, bucket, key, etag, path), etag.strip('"'))


def s3_etag(client, bucket, key, etag, path):
    """What the ETag has to be: the MD5 of a file that came in one piece, that of its parts' MD5s if it came in several,
    all of them but the last as large as the first."""
    if '-' not in etag:
        return digest(path, 'md5')
    size = client.head_object(Bucket=bucket, Key=key, PartNumber=1)['ContentLength']
    parts = []
    with open(path, 'rb') as file:
        while part := file.read(size):
            parts.append(hashlib.md5(part).digest())
    return f'{hashlib.md5(b"".join(parts)).hexdigest()}-{len(parts)}'


# --- archives ----------------------------------------------------------------------------------------

def append(path, chunks):
    with open(path, 'ab') as file:
        for chunk in chunks:
            file.write(chunk)


def bounded(chunks, left, what, limit):
    for chunk in chunks:
        left -= len(chunk)
        if left < 0:
            raise too_large(what, limit)
        yield chunk


def fetch_archive(url, sha256, into, limit):
    import httpx2

    archive = os.path.join(into, '.archive')
    keep_only(into, {'.archive'})
    have = os.path.getsize(archive) if os.path.exists(archive) else 0
    with httpx2.stream('GET', url, follow_redirects=True, timeout=60,
                       headers={'Accept-Encoding': 'identity', **({'Range': f'bytes={have}-'} if have else {})}) as answer:
        if answer.status_code in (400, 401, 403, 404, 410):
            raise Refused(f'{url}: found HTTP status {answer.status_code}, expected 200')
        if answer.status_code != 416:  # 416: all of it is there already
            answer.raise_for_status()
            if answer.status_code != 206 and have:
                os.unlink(archive)  # the server does not resume
                have = 0
            append(archive, bounded(answer.iter_raw(), limit - have, url, limit))
    expect(archive, url, digest(archive, 'sha256'), sha256)
    unpacked = os.path.join(into, '.unpacked')
    shutil.rmtree(unpacked, ignore_errors=True)
    os.mkdir(unpacked)
    unpack(archive, unpacked, url, limit)
    os.unlink(archive)
    root = unpacked
    # Most archives hold one folder that has everything.
    while len(inside := os.listdir(root)) == 1 and os.path.isdir(os.path.join(root, inside[0])):
        root = os.path.join(root, inside[0])
    for name in inside:
        os.rename(os.path.join(root, name), os.path.join(into, name))
    shutil.rmtree(unpacked)
    return f'sha256:{sha256}'


def unpack(archive, into, url, limit):
    """No file leaves the folder, whatever the archive says: Debian 12's Python has no filters for that. The members
    have `limit` bytes together."""
    left = limit
    try:
        if tarfile.is_tarfile(archive):
            with tarfile.open(archive) as file:
                for member in file:
                    if not (member.isreg() or member.isdir()) or '..' in member.name.split('/'):
                        raise Refused(f'{url}: found the member {member.name!r}, expected files and folders only')
                    left -= member.size
                    if left < 0:
                        raise too_large(url, limit)
                    member.name = member.name.lstrip('/')
                    member.mode = 0o775 if member.isdir() else 0o664
                    file.extract(member, into, set_attrs=False)
        elif zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as file:
                if sum(member.file_size for member in file.infolist()) > limit:
                    raise too_large(url, limit)
                file.extractall(into)  # no member beyond its size
        else:
            raise Refused(f'{url}: found no archive, expected tar or zip')
    except (tarfile.TarError, zipfile.BadZipFile, OSError, EOFError) as error:
        raise Refused(f'{url}: the archive cannot be unpacked: {words(error)}') from error
