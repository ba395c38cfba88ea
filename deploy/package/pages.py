"""The manual pages of dragoman and dragomand, in the macros of man(7)."""
import gzip
import re

CLIENT_ENVIRONMENT = (
    ('DRAGOMAN_SERVER', 'The server of every command but admin, where --server is not given.'),
    ('DRAGOMAN_ADMIN', "The daemon's address for admin, where --server is not given."),
    ('DRAGOMAN_API_KEY', 'The API key, where --api-key-file is not given.'),
    ('DRAGOMAN_MODELS', 'The models folder of fetch, where --into is not given.'),
)
CLIENT_STATUS = (('0', 'All went well.'), ('1', 'Something failed; standard error says what.'),
                 ('2', 'The command line is wrong.'))
SERVER_STATUS = (('0', 'The daemon was told to end, and has answered what it had accepted.'),
                 ('1', 'It could not start, or no worker was left.'), ('2', 'The settings are wrong.'))
SIGNALS = (
    ('SIGTERM, SIGINT', 'The daemon says that it is not ready, goes on taking calls for --lame-duck-seconds, refuses new '
     'ones then, and gives those in flight --drain-seconds to finish. A second signal ends it at once.'),
    ('SIGHUP', 'Models of which a load would find other files are loaded anew, beside the old ones, while calls go on; '
     'glossaries, TLS certificates and API keys are read again. The file of --config and the flags are not.'),
)
SERVER_FILES = (
    ('/etc/dragoman/dragomand.json', "The settings of the package's service."),
    ('/usr/share/dragoman/models/de-en', 'The German-English model that comes with it.'),
    ('/usr/share/dragoman/models/lid.176', 'The classifier of languages.'),
)


def escaped(text):
    """Text of a line, which begins no request."""
    text = text.replace('\\', '\\e').replace('-', '\\-').replace('~', '\\(ti').replace('^', '\\(ha').replace('`', '\\(ga')
    text = text.replace("'", '\\(aq') if text.startswith(("'", '.')) else text
    return '\\&' + text if text.startswith('.') else text


def quoted(text):
    """An argument of a macro."""
    return '"' + escaped(text).replace('"', '\\(dq') + '"'


def paragraphs(text):
    """Prose; lines that are indented stay lines."""
    out = []
    for paragraph in text.split('\n\n'):
        if out:
            out.append('.PP')
        if re.search(r'^ ', paragraph, re.M):
            out.append('.nf')
            out += [escaped(line.strip()) for line in paragraph.split('\n') if line.strip()]
            out.append('.fi')
        else:
            out.append(escaped(' '.join(paragraph.split())))
    return out


def flags(listed):
    for flag in listed:
        names = [f"--{flag['name']}"] + ([f"--{flag['alias']}"] if flag.get('alias') else [])
        value = f" \\fI{escaped(flag['value'])}\\fR" if flag['value'] else ''
        yield '.TP'
        yield ', '.join(f'\\fB{escaped(name)}\\fR{value}' for name in names)
        text = flag['help'][0].upper() + flag['help'][1:]
        by_default = f" Default: {flag['default']}." if flag.get('default') else ''
        again = ' May be given several times.' if flag['repeats'] and 'repeated' not in text else ''
        yield escaped(text.rstrip('.') + '.' + again + by_default)


def table(rows):
    for name, text in rows:
        yield '.TP'
        yield f'\\fB{escaped(name)}\\fR'
        yield escaped(text)


def page(name, section, date, version, summary, synopsis, parts, see_also):
    out = [f'.\\" Made by deploy/package/cli_files.py.',
           f'.TH {quoted(name.upper())} {section} {date} {quoted("dragoman " + version)} "Dragoman"', '.SH NAME',
           f'{escaped(name)} \\- {escaped(summary)}', '.SH SYNOPSIS']
    for number, line in enumerate(synopsis):
        if number:
            out.append('.br')
        program, _, rest = line.partition(' ')
        out.append(f'\\fB{escaped(program)}\\fR {escaped(rest)}')
    for title, lines in parts:
        lines = list(lines)
        if lines:
            out += [f'.SH {title}', *lines]
    also = [f'.BR {escaped(other)} ({number})' for other, number in see_also]
    out += ['.SH "SEE ALSO"', *(f'{line},' if line != also[-1] else line for line in also)]
    return '\n'.join([*out, ''])


def client_pages(client, date):
    commands = client['commands']
    pages = [('dragoman-' + command['name'], 1) for command in commands]
    lines = []
    for command in commands:
        lines += ['.TP', f"\\fBdragoman {escaped(command['usage'])}\\fR",
                  escaped(command['summary'][0].upper() + command['summary'][1:] + '.')]
    yield 'dragoman', page(
        'dragoman', 1, date, client['version'], client['about'], ['dragoman COMMAND [flags]', 'dragoman help [COMMAND]',
                                                                  'dragoman --version'],
        [('COMMANDS', lines), ('ENVIRONMENT', table(CLIENT_ENVIRONMENT)), ('"EXIT STATUS"', table(CLIENT_STATUS))],
        [*pages, ('dragomand', 8)])
    for command in commands:
        yield f"dragoman-{command['name']}", page(
            f"dragoman-{command['name']}", 1, date, client['version'], command['summary'],
            [f"dragoman {command['usage']}"],
            [('DESCRIPTION', paragraphs(command['about'])), ('OPTIONS', flags(command['flags'])),
             ('ENVIRONMENT', table(CLIENT_ENVIRONMENT)), ('"EXIT STATUS"', table(CLIENT_STATUS))],
            [('dragoman', 1), ('dragomand', 8)])


def server_page(server, date):
    keys = []
    for name, listed in server['objects'].items():
        keys += ['.SS', f'The object {escaped(name)}']
        for key in listed:
            keys += ['.TP', f"\\fB{escaped(key['name'])}\\fR \\fI{escaped(key['value'])}\\fR",
                     escaped(f"{key['help'][0].upper()}{key['help'][1:].rstrip('.')}. Default: {key['default']}.")]
    about = ('Serves encoder-decoder translation models over gRPC, and with --http over HTTP. One decoding batch that never '
             'stops has the sentences of all requests. A flag that needs a value takes the next word or what follows an '
             'equals sign.')
    file = ('The file of --config is a JSON object whose keys are the names of the flags, without dashes; those that may be '
            'repeated have lists. Its key "models" is a list of objects with name, directory and settings of their own. '
            'Two objects have settings that are no flags.')
    return page('dragomand', 8, date, server['version'], server['about'], [server['usage']],
                [('DESCRIPTION', paragraphs(about)), ('OPTIONS', flags(server['flags'])),
                 ('"CONFIGURATION FILE"', [*paragraphs(file), *keys]), ('SIGNALS', table(SIGNALS)),
                 ('FILES', table(SERVER_FILES)), ('"EXIT STATUS"', table(SERVER_STATUS))], [('dragoman', 1)])


def of(client, server, date):
    """{path below /usr/share: bytes}, compressed as Debian has them."""
    texts = {f'man/man1/{name}.1.gz': text for name, text in client_pages(client, date)}
    texts['man/man8/dragomand.8.gz'] = server_page(server, date)
    return {path: gzip.compress(text.encode(), 9, mtime=0) for path, text in texts.items()}
