"""Models from an S3 store, through boto3."""
import base64
import hashlib
import os
import re

import download
from download import CHUNK, Bar, Budget, Failed, Refused

SUMS = 'SHA256SUMS'


def connect():
    try:
        import boto3
        import botocore
    except ImportError as error:
        raise Refused('s3:// needs boto3, which is not installed; apt-get install python3-boto3') from error
    # Ranges and objects of several parts have no checksum that boto3 could compare. Old versions ignore both variables.
    os.environ.setdefault('AWS_RESPONSE_CHECKSUM_VALIDATION', 'when_required')
    endpoint = os.environ.get('AWS_ENDPOINT_URL_S3') or os.environ.get('AWS_ENDPOINT_URL') or None
    session = boto3.session.Session()
    anonymous = {} if session.get_credentials() else {'signature_version': botocore.UNSIGNED}
    return session.client('s3', region_name=session.region_name or 'us-east-1', endpoint_url=endpoint,
                          config=botocore.config.Config(retries={'mode': 'standard'}, **anonymous))


def fetch(match, into, limit):
    """Fetches all objects below a prefix. Returns a digest of their names and ETags."""
    client = connect()
    from botocore import exceptions
    bucket, prefix = match['bucket'], match['prefix'].rstrip('/') + '/'
    what = f's3://{bucket}/{prefix}'
    try:
        names = {}
        budget = Budget(limit, what)
        for page in client.get_paginator('list_objects_v2').paginate(Bucket=bucket, Prefix=prefix):
            for one in page.get('Contents', []):
                if not one['Key'].endswith('/'):
                    names[download.below(one['Key'][len(prefix):])] = one['ETag']
                    budget.take(one['Size'])
        sums = {}
        if SUMS in names:
            sums = read_sums(client.get_object(Bucket=bucket, Key=prefix + SUMS)['Body'].read(1 << 20).decode())
            del names[SUMS]
            if missing := sorted(sums.keys() - names.keys()):
                raise Refused(f'{what}{SUMS} names {missing}, which are not there')
        for name, etag in sorted(names.items()):
            get_object(client, bucket, prefix + name, etag, os.path.join(into, name), sums.get(name))
        download.keep_only(into, set(names))
    except exceptions.ClientError as error:
        if error.response['ResponseMetadata'].get('HTTPStatusCode') in (400, 401, 403, 404):
            raise Refused(f'{what}: {download.words(error)}') from error
        raise
    state = hashlib.sha256('\n'.join(f'{name} {etag}' for name, etag in sorted(names.items())).encode())
    return state.hexdigest()


def read_sums(text):
    """Returns {file: SHA-256} of the output of sha256sum."""
    lines = [line for line in text.splitlines() if line.strip()]
    pairs = [re.fullmatch(r'([0-9a-f]{64}) [ *](?:\./)?(.+)', line) for line in lines]
    if not all(pairs):
        raise Refused(f'{SUMS}: found {lines[pairs.index(None)]!r:.200}, expected a line of sha256sum')
    return {pair[2]: pair[1] for pair in pairs}


def get_object(client, bucket, key, etag, path, sha256):
    """Fetches one object. Its checksum is from SHA256SUMS, else the store's own SHA-256, else the ETag."""
    name = f's3://{bucket}/{key}'
    head = client.head_object(Bucket=bucket, Key=key, IfMatch=etag, ChecksumMode='ENABLED')
    own = head.get('ChecksumSHA256', '')
    if not sha256 and own and '-' not in own:
        sha256 = base64.b64decode(own).hex()
    if not sha256 and head.get('ServerSideEncryption', 'AES256') != 'AES256':
        raise Refused(f'{name}: the store encrypts it with keys, so that its ETag is not a checksum; expected a file '
                      f'{SUMS} next to it')
    os.makedirs(os.path.dirname(path), exist_ok=True)
    part, size = path + '.part', head['ContentLength']
    if not os.path.exists(path):
        have = os.path.getsize(part) if os.path.exists(part) else 0
        if have < size or have == 0:
            ranged = {'Range': f'bytes={have}-'} if have else {}
            body = client.get_object(Bucket=bucket, Key=key, IfMatch=etag, **ranged)['Body']
            with open(part, 'ab') as file, Bar(key, have, size) as bar:
                budget = Budget(size - have, name)
                for chunk in body.iter_chunks(CHUNK):
                    budget.take(len(chunk))
                    file.write(chunk)
                    bar.add(len(chunk))
        os.rename(part, path)
    if sha256:
        download.check(path, name, sha256)
    elif (found := etag_of(client, bucket, key, etag, path)) != etag.strip('"'):
        os.unlink(path)
        raise Failed(f'{name}: found the checksum {found}, expected {etag}')


def etag_of(client, bucket, key, etag, path):
    """Returns the ETag that the file must have: the MD5 of an object that was uploaded as one piece; the MD5 of the
    parts' MD5s if there were several parts, all of them as large as the first, except the last."""
    if '-' not in etag:
        return download.digest(path, 'md5')
    size = client.head_object(Bucket=bucket, Key=key, PartNumber=1)['ContentLength']
    parts = []
    with open(path, 'rb') as file:
        while part := file.read(size):
            parts.append(hashlib.md5(part).digest())
    return f'{hashlib.md5(b"".join(parts)).hexdigest()}-{len(parts)}'
