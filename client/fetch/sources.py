"""The kinds of sources of models: how they are written, and the functions that fetch and list them."""
import os
import re

import archive
import download
import hf
import registries
import s3
from download import Absent, Refused

LANGUAGE = '[A-Za-z]{2,8}(?:[-_](?:[A-Z][a-z]{3}|[A-Z]{2}))?'
PAIR = f'(?P<name>(?P<source>{LANGUAGE})-(?P<target>{LANGUAGE}))'
SHA256 = '#sha256=(?P<sha256>[0-9a-f]{64})'
ARCHIVE_ENDINGS = r'(\.tar)?(\.(gz|bz2|xz|zip|tgz|tar|argosmodel))?$'


def fetch_archive(match, into, limit):
    return archive.fetch(match[0], match['sha256'], into, limit)


# By kind: the form in words, a regular expression, and the function that fetches. Its arguments are the match of the
# expression, the folder and the most bytes. It returns the version that it fetched.
KINDS = {
    'firefox': ('firefox:FROM-TO', f'firefox:{PAIR}', registries.fetch_firefox),
    'argos': ('argos:FROM-TO[#sha256=HEX]', f'argos:{PAIR}({SHA256})?', registries.fetch_argos),
    'opus': ('opus:FROM-TO', f'opus:{PAIR}', hf.fetch_opus),
    'hf': ('hf:OWNER/NAME[@REVISION][#include=PATTERN&...]',
           r'hf:(?P<repository>\w[-.\w]*/(?P<name>\w[-.\w]*))(@(?P<revision>[^@#\s]+))?'
           r'(#(?P<options>include=[^&\s]+(&include=[^&\s]+)*))?', hf.fetch),
    'pypi': ('pypi:PROJECT==VERSION#FOLDER',
             r'pypi:(?P<project>\w[-.\w]*)==(?P<version>\w[.+!\w]*)#(?P<path>([^\s#]*/)?(?P<name>[^\s#/]+))/?',
             registries.fetch_pypi),
    's3': ('s3://BUCKET/PREFIX', r's3://(?P<bucket>[^/\s]+)/(?P<prefix>([^\s]*/)?(?P<name>[^/\s]+))/?', s3.fetch),
    'https': ('https://HOST/FILE#sha256=HEX', rf'https?://[^/\s#]+/([^\s#]*/)?(?P<name>[^/\s#?]+)(\?[^\s#]*)?{SHA256}',
              fetch_archive),
}
# A language pair alone means the first of these registries that has a model for it. The registries with
# smaller models come first.
BY_LANGUAGES = ('firefox', 'argos', 'opus')
LISTS = {'firefox': registries.list_firefox, 'argos': registries.list_argos, 'opus': hf.list_opus}


def parse(text):
    """Returns [(source, match, function)] of the sources that `text` may mean. Raises Refused."""
    if re.fullmatch(PAIR, text):
        return [parse(f'{kind}:{text}')[0] for kind in BY_LANGUAGES]
    kind = re.sub('^http$', 'https', text.partition(':')[0])
    if kind not in KINDS:
        forms = ', '.join(form for form, _, _ in KINDS.values())
        raise Refused(f'found {text!r:.300}, expected FROM-TO, {forms}')
    form, expression, function = KINDS[kind]
    match = re.fullmatch(expression, text, re.ASCII)
    if not match:
        raise Refused(f'found {text!r:.300}, expected {form}')
    return [(text, match, function)]


def name_of(text):
    """Returns the name that a source gives its model."""
    return re.sub(ARCHIVE_ENDINGS, '', parse(text)[0][1]['name'])


def meanings(text):
    """Returns all sources that `text` may mean."""
    return [source for source, _, _ in parse(text)]


def fetch(text, into, limit):
    """Fetches a model of at most `limit` bytes. Returns (the source, what it stood for: a commit, version or checksum).
    Raises Refused, Failed, or what boto3 or the disk raises."""
    wanted = parse(text)
    for source, match, function in wanted:
        try:
            resolved = function(match, into, limit)
        except Absent as error:
            if len(wanted) == 1:
                raise
            download.log(str(error))
            continue
        if not any(names for _, _, names in os.walk(into)):
            raise Refused(f'{source}: found no file')
        return source, resolved
    raise Absent(f'{text}: found no model from these languages in the registries {", ".join(BY_LANGUAGES)}')


def print_list(source, target):
    """Prints the models of all registries. Returns whether all registries answered."""
    rows = [('NAME', 'KIND', 'SIZE', 'VERSION', 'LICENCE')]
    is_complete = True
    for kind, function in LISTS.items():
        try:
            for name, model, size, version, licence in function(source, target):
                rows.append((name, model, download.megabytes(size) if size else '-', version, licence))
        except (Refused, download.Failed) as error:
            download.log(f'{kind}: {error}')
            is_complete = False
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print('  '.join(download.printable(cell).ljust(width) for cell, width in zip(row, widths)).rstrip())
    return is_complete
