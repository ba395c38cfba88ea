"""The pod of a rendered Deployment as processes of this machine, without containers: volumes are folders, the paths of
what is mounted become those folders in commands and arguments, init containers run one after the other."""
import os
import re
import subprocess
import sys

import daemon
import manifests

FETCH = os.path.join(manifests.ROOT, 'client', 'fetch', 'fetch.py')
# The image's own.
MODELS = ('/models/', os.path.join(manifests.ROOT, 'deploy', 'models') + '/')


class Pod:
    """One pod of `objects`, in `folder`. `claims` and `images` are folders by name and reference, `secrets` {name: {key:
    value}}. `environment` is added to that of init containers."""

    def __init__(self, objects, folder, name='pod-0', claims=None, images=None, secrets=None, environment=None):
        self.objects = objects
        self.folder = folder
        self.name = name
        self.claims = claims or {}
        self.images = images or {}
        self.secrets = secrets or {}
        self.environment = environment or {}
        self.spec = manifests.Pod(objects).spec

    def volume(self, volume):
        if 'persistentVolumeClaim' in volume:
            return self.claims[volume['persistentVolumeClaim']['claimName']]
        if 'image' in volume:
            return self.images[volume['image']['reference']]
        path = os.path.join(self.folder, volume['name'])
        os.makedirs(path, exist_ok=True)
        if 'configMap' in volume:
            config, = [one for one in manifests.of_kind(self.objects, 'ConfigMap')
                       if one['metadata']['name'] == volume['configMap']['name']]
            for name, text in config['data'].items():
                with open(os.path.join(path, name), 'w', encoding='utf-8') as file:
                    file.write(self.here(text, self.paths(manifests.Pod(self.objects).container, self.spec)))
        return path

    def paths(self, container, spec):
        """[(path in the container, path here)]."""
        volumes = {volume['name']: volume for volume in spec.get('volumes', [])}
        found = []
        for mount in container.get('volumeMounts', []):
            volume = volumes[mount['name']]
            if 'configMap' in volume:
                found.append((mount['mountPath'], os.path.join(self.folder, mount['name'])))
                continue
            place = os.path.join(self.volume(volume), mount.get('subPath', ''))
            os.makedirs(place, exist_ok=True)
            found.append((mount['mountPath'], place))
        return found + [MODELS]

    @staticmethod
    def here(text, paths):
        for inside, outside in paths:
            text = re.sub(r'(^|[=,"])' + re.escape(inside) + r'(?=$|[/,"])' if not inside.endswith('/')
                          else r'(^|[=,"])' + re.escape(inside), lambda match, to=outside: match[1] + to, text)
        return text

    def container(self, container, spec):
        """The command and the environment of a container that is not dragomand's."""
        paths = self.paths(container, spec)
        command = [self.here(argument, paths) for argument in container['command'] + container.get('args', [])]
        if command[0] == 'dragoman-fetch':
            command[:1] = [sys.executable, '-I', '-B', FETCH]
        elif command[0] == 'cp':
            # Its first path is one of the image.
            command[2] = self.images['oci:' + container['image']] + container['command'][2]
        variables = {'PATH': os.environ['PATH'], 'HOSTNAME': self.name, 'HOME': self.folder, 'NO_PROXY': '*'}
        for source in container.get('envFrom', []):
            variables.update(self.secrets[source['secretRef']['name']])
        for one in container.get('env', []):
            if 'valueFrom' in one:
                reference = one['valueFrom']['secretKeyRef']
                variables[one['name']] = self.secrets[reference['name']][reference['key']]
            else:
                variables[one['name']] = self.here(one['value'], paths)
        return command, {**variables, **self.environment}

    def start(self, container, spec=None):
        command, variables = self.container(container, spec or self.spec)
        return subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def initialise(self):
        """Runs the init containers; (status, what they said) of the first that fails, or (0, all)."""
        said = ''
        for container in self.spec.get('initContainers', []):
            with self.start(container) as process:
                said += process.communicate(timeout=120)[1]
            if process.returncode:
                return process.returncode, said
        return 0, said

    def job(self):
        """Starts the pod of the Job."""
        job, = manifests.of_kind(self.objects, 'Job')
        spec = job['spec']['template']['spec']
        return self.start(spec['containers'][0], spec)

    def serve(self):
        """A daemon.Daemon: dragomand, started as its container would start it, on free ports. Where the container has no
        command, the image's entry point counts, as in Kubernetes."""
        container = manifests.Pod(self.objects).container
        paths = self.paths(container, self.spec)
        for volume in self.spec.get('volumes', []):
            self.volume(volume)
        arguments = [re.sub(r'^(--[a-z]+=)0\.0\.0\.0:\d+$', r'\g<1>127.0.0.1:0', self.here(argument, paths))
                     for argument in container['args']]
        command = container.get('command')
        if command is None:
            with open(os.path.join(manifests.ROOT, 'docker', 'dragomand.json'), encoding='utf-8') as file:
                settings = self.here(file.read(), paths)
            path = os.path.join(self.folder, 'dragomand.json')
            with open(path, 'w', encoding='utf-8') as file:
                file.write(settings)
            command = ['dragomand', '--config', path]
        if command[0] != 'dragomand':
            raise ValueError(f'found the command {command}, expected dragomand')
        return daemon.Daemon(command=[daemon.DRAGOMAND, *command[1:], *arguments])
