"""A dragomand with the bundled model and its client, as processes on free ports."""
import json
import os
import re
import subprocess
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DRAGOMAND = os.environ.get('DRAGOMAND', os.path.join(ROOT, 'build', 'release', 'server', 'dragomand'))
DRAGOMAN = os.environ.get('DRAGOMAN', os.path.join(ROOT, 'build', 'release', 'client', 'dragoman'))
MODEL = os.path.join(ROOT, 'deploy', 'models', 'de-en')
TEXTS = os.path.join(ROOT, 'tests', 'data', 'german.txt')


def missing():
    """The binary that is not there, or None."""
    return next((binary for binary in (DRAGOMAND, DRAGOMAN) if not os.access(binary, os.X_OK)), None)


def fetch(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()


def certificate_flags(folder, name='DNS:localhost'):
    """Flags of a daemon with a certificate that is made in the folder, for a name or an address."""
    certificate, key = (os.path.join(folder, name) for name in ('tls.crt', 'tls.key'))
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
                    '-days', '30', '-subj', '/CN=localhost', '-addext', f'subjectAltName={name}', '-out', certificate,
                    '-keyout', key], check=True, stderr=subprocess.DEVNULL)
    return [f'--tls-cert={certificate}', f'--tls-key={key}']


class Daemon:
    """Ready when constructed. Use as a context: it ends with it."""

    def __init__(self, *flags, command=None):
        self.process = subprocess.Popen(
            command or [DRAGOMAND, f'--model=de-en={MODEL}', '--listen=127.0.0.1:0', '--metrics=127.0.0.1:0', '--http=off',
                        '--device=cpu', *flags], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        listening = re.search(r'grpc=(\S+) metrics=(\S+)', line)
        if not listening:
            raise RuntimeError(f'dragomand did not start: {line!r}')
        self.grpc, self.http = listening.groups()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=60)
        self.process.stdout.close()

    def scrape(self):
        return fetch(f'http://{self.http}/metrics')

    def models(self):
        """Names, the default first."""
        answer = subprocess.run([DRAGOMAN, 'models', '--server', self.grpc, '--json'], check=True, capture_output=True,
                                text=True, timeout=60).stdout
        return [model['name'] for model in json.loads(answer)]

    def translate(self, text, *flags):
        """Waits for the translation of one text."""
        return subprocess.run([DRAGOMAN, 'translate', '--server', self.grpc, *flags], input=text + '\n',
                              check=True, capture_output=True, text=True, timeout=60).stdout

    def load(self, *flags):
        """A client that sends the texts over and over, in the background, until it is ended."""
        return subprocess.Popen(
            [DRAGOMAN, 'load', '--server', self.grpc, '--input', TEXTS, '--duration', '600', *flags],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
