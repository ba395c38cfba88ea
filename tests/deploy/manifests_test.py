#!/usr/bin/env python3
"""The chart and the plain manifests: every file of values on every version of Kubernetes that the validator knows,
against the schemas, against each other, and against a daemon that runs. Then mistakes, one at a time, each of which
has to be found."""
import contextlib
import filecmp
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import yaml

import daemon
import manifests
import promql

VALUES = sorted(glob.glob(os.path.join(manifests.HERE, 'values', '*.yaml')) +
                glob.glob(os.path.join(manifests.ROOT, 'deploy', 'kubernetes', 'values', '*.yaml')))
OPERATORS = os.path.join(manifests.ROOT, 'deploy', 'kubernetes', 'values', 'operators.yaml')
SECURED = os.path.join(manifests.HERE, 'values', 'secured.yaml')

# Flags that a chart has no use for: what they do ends the process, or is settled by the chart itself.
NOT_IN_SETTINGS = {'help', 'version', 'verbose', 'check-config', 'print-program', 'config'}


def setUpModule():
    global defaults, series
    defaults = series = None
    missing = daemon.missing()
    if missing:
        print(f'manifests_test: no {missing}: flags, grace periods and names of metrics are not checked',
              file=sys.stderr)
        return
    defaults = manifests.help_defaults(daemon.DRAGOMAND)
    with daemon.Daemon() as running:
        running.translate('Guten Morgen!')
        series = promql.scraped(running.scrape())
    # Some metrics are there with TLS only.
    with tempfile.TemporaryDirectory() as folder, daemon.Daemon(*daemon.certificate_flags(folder)) as running:
        # A rotation that went wrong, which dragomand sees within a second or two.
        with open(os.path.join(folder, 'tls.crt'), 'w', encoding='utf-8') as certificate:
            certificate.write('none')
        deadline = time.monotonic() + 60
        while not (scrape := promql.scraped(running.scrape())).get('dragoman_files_read_total'):
            if time.monotonic() > deadline:
                raise AssertionError('dragomand has not read the changed certificate within a minute')
            time.sleep(0.1)
        series = {**scrape, **series}


def needs_daemon(test):
    def wrapped(self):
        if defaults is None:
            self.skipTest(f'no {daemon.missing()}')
        test(self)
    return wrapped


def name_of(path):
    return os.path.splitext(os.path.basename(path))[0]


@contextlib.contextmanager
def changed_chart(file, old, new):
    """The folder of a copy of the chart in which one text is replaced."""
    with tempfile.TemporaryDirectory() as folder:
        chart = os.path.join(folder, 'dragoman')
        shutil.copytree(manifests.CHART, chart)
        path = os.path.join(chart, 'templates', file)
        with open(path, encoding='utf-8') as source:
            text = source.read()
        if old not in text:
            raise AssertionError(f'nothing to replace in {file}: {old}')
        with open(path, 'w', encoding='utf-8') as target:
            target.write(text.replace(old, new))
        yield chart


def container_command(container, paths, folder):
    """What runs in a container of Dragoman's image, with this machine's paths for the container's and free ports. Where
    the container has no command, the image's entry point counts, as in Kubernetes; its file goes into the folder."""
    def here(text):
        for inside, outside in paths:
            text = re.sub(r'(^|[=,"])' + re.escape(inside), lambda match, to=outside: match[1] + to, text)
        return text

    command = container.get('command')
    if command is None:
        with open(os.path.join(manifests.ROOT, 'docker', 'dragomand.json'), encoding='utf-8') as file:
            settings = here(file.read())
        path = os.path.join(folder, 'dragomand.json')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(settings)
        command = ['dragomand', '--config', path]
    arguments = [re.sub(r'^(--[a-z]+=)0\.0\.0\.0:\d+$', r'\g<1>127.0.0.1:0', here(argument))
                 for argument in container['args']]
    if command[0] != 'dragomand':
        raise ValueError(f'found the command {command[0]}, expected dragomand')
    return [daemon.DRAGOMAND, *command[1:], *arguments]


class Rendered(unittest.TestCase):
    def test_helm_finds_nothing_to_complain_about(self):
        for values in VALUES:
            with self.subTest(values=name_of(values)):
                self.assertNotIn('[WARNING]', manifests.helm('lint', '--strict', manifests.CHART, '--values', values))

    def test_all_values_on_all_versions(self):
        self.assertGreaterEqual(len(manifests.VERSIONS), 13)
        for values in VALUES:
            for version in manifests.VERSIONS:
                with self.subTest(values=name_of(values), version=version):
                    if name_of(values) == 'image-volume' and manifests.VERSIONS.index(version) < 6:
                        with self.assertRaisesRegex(manifests.RenderError, 'imageVolume needs Kubernetes 1.31'):
                            manifests.render([values], version)
                        continue
                    objects = manifests.render([values], version)
                    self.assertEqual(manifests.findings(objects, version, defaults, series), [])

    def test_the_plain_manifests_are_those_of_the_chart(self):
        folder = os.path.join(manifests.ROOT, 'deploy', 'kubernetes')
        with tempfile.TemporaryDirectory() as fresh:
            subprocess.run([sys.executable, os.path.join(folder, 'render.py'), '--into', fresh, '--helm',
                            os.path.join(manifests.TOOLS, 'helm')], check=True)
            for name in sorted(os.listdir(fresh)):
                kept, made = (os.path.join(place, name) for place in (folder, fresh))
                self.assertEqual(sorted(os.listdir(kept)), sorted(os.listdir(made)))
                _, different, unread = filecmp.cmpfiles(kept, made, os.listdir(made), shallow=False)
                self.assertEqual(different + unread, [], f'{name}: run deploy/kubernetes/render.py')

    @needs_daemon
    def test_the_daemon_takes_the_flags(self):
        for values in VALUES:
            with self.subTest(values=name_of(values)):
                arguments = manifests.Pod(manifests.render([values])).container['args']
                # A directory of models is read, and so has to be there: the one with the bundled model.
                models = os.path.join(manifests.ROOT, 'deploy', 'models')
                arguments = [f'--models-dir={models}' if a.startswith('--models-dir=') else a for a in arguments]
                result = subprocess.run([daemon.DRAGOMAND, *arguments, '--check-config'], capture_output=True,
                                        text=True)
                self.assertEqual((result.returncode, result.stderr), (0, ''))

    def served(self, *sets, directory='', chart=manifests.CHART):
        """What a daemon serves that is started as the pod's container is; `directory` is /srv/models."""
        container = manifests.Pod(manifests.render(sets=sets, chart=chart)).container
        paths = (('/srv/models', directory), ('/models/', os.path.join(manifests.ROOT, 'deploy', 'models') + '/'))
        with tempfile.TemporaryDirectory() as folder, \
                daemon.Daemon(command=container_command(container, paths, folder)) as running:
            return running.models()

    @needs_daemon
    def test_the_daemon_serves_what_the_values_name_and_nothing_of_the_image(self):
        self.assertEqual(self.served(), ['de-en'])
        with tempfile.TemporaryDirectory() as directory:
            os.symlink(daemon.MODEL, os.path.join(directory, 'opus'))
            claim = ('models.source=claim', 'models.claim.name=a')
            whole = (*claim, 'settings.models-dir=/srv/models')
            one = (*claim, 'models.serve[0].name=fr', 'models.serve[0].directory=/srv/models/opus')
            self.assertEqual(self.served(*whole, directory=directory), ['opus'])
            self.assertEqual(self.served(*one, directory=directory), ['fr'])
            with changed_chart('deployment.yaml', 'command: [dragomand]', '') as chart:
                self.assertEqual(self.served(*whole, directory=directory, chart=chart), ['de-en', 'opus'])

    def test_flags_are_written_as_dragomand_reads_them(self):
        flags = manifests.Pod(manifests.render([os.path.join(manifests.HERE, 'values', 'settings.yaml')])).flags
        self.assertEqual(flags['max-queue-tokens'], '1048576')
        self.assertEqual(flags['device-memory-fraction'], '0.5')
        self.assertEqual((flags['cpu-workers'], flags['threads-per-worker'], flags['tokenizer-threads']),
                         ('1', '2', '2'))

    def test_workers_follow_the_cpus(self):
        for cpus, workers, threads, tokenizers in ((1, 1, 1, 1), (2, 2, 1, 1), (16, 16, 1, 4), (64, 16, 4, 16)):
            flags = manifests.Pod(manifests.render(sets=[f'resources.cpus={cpus}'])).flags
            self.assertEqual([flags['cpu-workers'], flags['threads-per-worker'], flags['tokenizer-threads']],
                             [str(workers), str(threads), str(tokenizers)])

    def test_the_grace_period_grows_with_what_it_waits_for(self):
        for sets, grace in (([], 60), (['shutdown.drainSeconds=120'], 150), (['shutdown.lameDuckSeconds=20'], 75)):
            self.assertEqual(manifests.Pod(manifests.render(sets=sets)).spec['terminationGracePeriodSeconds'], grace)


class Schema(unittest.TestCase):
    def refused(self, *sets, values=()):
        with self.assertRaises(manifests.RenderError) as caught:
            manifests.render(values, sets=sets)
        return str(caught.exception)

    def test_every_object_says_which_values_it_has(self):
        with open(os.path.join(manifests.CHART, 'values.schema.json'), encoding='utf-8') as file:
            schema = json.load(file)

        def walk(node, where):
            if 'properties' in node:
                self.assertIs(node.get('additionalProperties'), False, where)
                for name, child in node['properties'].items():
                    walk(child, f'{where}.{name}')
            if 'items' in node:
                walk(node['items'], where + '[]')
        walk(schema, 'values')

    def test_a_value_that_is_not_known_is_refused(self):
        self.assertIn('replicaz', self.refused('replicaz=3'))
        self.assertIn('max-rowz', self.refused('settings.max-rowz=3'))
        self.assertIn('tls.certificate', self.refused('tls.certificate=x').replace('tls: Additional property ', 'tls.'))

    def test_a_value_of_the_wrong_kind_is_refused(self):
        for wrong in ('replicas=many', 'resources.cpus=500m', 'models.source=s3', 'settings.log-level=loud',
                      'shutdown.marginSeconds=0', 'autoscaling.by=vpa', 'image.digest=latest',
                      'models.serve[0].name=a,models.serve[0].directory=relative'):
            with self.subTest(wrong):
                self.assertIn('values don\'t meet the specifications', self.refused(wrong))

    def test_values_that_need_another_are_refused_without_it(self):
        self.assertIn('models.claim.name: empty', self.refused('models.source=claim'))
        self.assertIn('models.image.reference: empty', self.refused('models.source=initImage'))
        self.assertIn('models.serve: empty', self.refused('models.source=claim,models.claim.name=a'))
        self.assertIn('tls.secret is empty', self.refused('tls.clientCertificates=true'))
        self.assertIn('tls.secret is empty', self.refused('tls.metrics=on'))
        self.assertIn('networkPolicy.egress: empty', self.refused('settings.otlp=http://collector:4318'))
        self.assertIn('tls.clientCertificates is false', self.refused('tls.metrics=mutual,tls.secret=a'))

    @needs_daemon
    def test_settings_are_the_flags_of_dragomand(self):
        with open(os.path.join(manifests.CHART, 'values.schema.json'), encoding='utf-8') as file:
            settings = set(json.load(file)['properties']['settings']['properties'])
        self.assertEqual(sorted(settings - set(defaults)), [], 'in the schema, but not in dragomand --help all')
        with open(os.path.join(manifests.CHART, 'templates', '_helpers.tpl'), encoding='utf-8') as file:
            computed = set(re.findall(r'- --([a-z][a-z-]+)=', file.read()))
        self.assertEqual(sorted(computed - set(defaults)), [], 'in the templates, but not in dragomand --help all')
        self.assertEqual(sorted(set(defaults) - settings - computed - NOT_IN_SETTINGS), [],
                         'in dragomand --help all, but neither among settings in values.schema.json nor in the templates')

    @needs_daemon
    def test_the_defaults_of_the_daemon_are_those_of_the_chart(self):
        drain = manifests.Pod(manifests.render()).flags['drain-seconds']
        self.assertEqual(drain, defaults['drain-seconds'])


class Dashboard(unittest.TestCase):
    @needs_daemon
    def test_a_chosen_model_narrows_every_series_that_has_models(self):
        with open(os.path.join(manifests.CHART, 'files', 'dragoman.json'), encoding='utf-8') as file:
            dashboard = json.load(file)
        self.assertIn('model', [variable['name'] for variable in dashboard['templating']['list']])
        for title, query in manifests.panel_queries(dashboard):
            for metric, matchers in promql.selectors(query):
                by_model = any('model' in labels for labels in series[metric])
                self.assertEqual(('model', '=~', '$model') in matchers, by_model, f'{title}: {metric}')


class Promql(unittest.TestCase):
    def test_selectors_of_an_expression(self):
        self.assertEqual(
            promql.selectors('sum by (le) (rate(a_bucket{x="1",y=~"p|q"}[5m])) / on (job) group_left (z) b offset 5m'),
            [('a_bucket', [('x', '=', '1'), ('y', '=~', 'p|q')]), ('b', [])])

    def test_names_and_labels_that_no_series_has(self):
        series = promql.scraped('# HELP a b\na{x="1"} 0\nb 2\n')
        self.assertEqual(promql.unknown('a{x="1"} + b + up', series), [])
        self.assertEqual(promql.unknown('rate(a{x="2"}[1m])', series), ['no series a{x="2"} in a scrape'])
        self.assertEqual(promql.unknown('sum(c) or vector(0)', series), ['no metric c in a scrape'])
        self.assertEqual(promql.unknown('r:c', series, ['r:c']), [])


class Compose(unittest.TestCase):
    """docker/compose.yaml: what it mounts is there, and its three services find each other."""

    @classmethod
    def setUpClass(cls):
        cls.folder = os.path.join(manifests.ROOT, 'docker')
        cls.services = cls.read('docker', 'compose.yaml')['services']

    @staticmethod
    def read(*path):
        with open(os.path.join(manifests.ROOT, *path), encoding='utf-8') as file:
            return yaml.safe_load(file)

    def mounts(self, service):
        """{path inside: path here} of the files and folders that a service is given."""
        pairs = [volume.split(':') for volume in self.services[service]['volumes']]
        return {parts[1]: os.path.normpath(os.path.join(self.folder, parts[0]))
                for parts in pairs if parts[0].startswith('.')}

    @staticmethod
    def by_the_specification(text):
        """The schema of the compose specification, as check-jsonschema brings it: (whether it holds, what was said)."""
        with tempfile.NamedTemporaryFile('w', suffix='.yaml') as file:
            file.write(text)
            file.flush()
            done = subprocess.run([sys.executable, '-m', 'check_jsonschema', '--builtin-schema', 'vendor.compose-spec',
                                   file.name], capture_output=True, text=True)
        return done.returncode == 0, done.stdout + done.stderr

    def test_the_file_is_as_compose_specifies(self):
        with open(os.path.join(self.folder, 'compose.yaml'), encoding='utf-8') as file:
            text = file.read()
        holds, said = self.by_the_specification(text)
        self.assertTrue(holds, said)
        for right, wrong in (('read_only:', 'readonly:'), ('depends_on: [dragoman]', 'depends_on: [[dragoman]]'),
                             ('volumes:\n  prometheus:', 'volume:\n  prometheus:')):
            self.assertIn(right, text)
            holds, said = self.by_the_specification(text.replace(right, wrong))
            self.assertFalse(holds, wrong)

    def test_what_is_mounted_is_there(self):
        for service in ('prometheus', 'grafana'):
            for path in self.mounts(service).values():
                self.assertTrue(os.path.exists(path), path)
                self.assertFalse(os.path.islink(path), f'{path}: a link leads to nothing inside a container')

    def test_prometheus_finds_its_rules_and_the_daemon(self):
        config = self.read('deploy', 'prometheus', 'prometheus.yml')
        for name in config['rule_files']:
            self.assertIn('/etc/prometheus/' + name, self.mounts('prometheus'))
        target, = config['scrape_configs'][0]['static_configs'][0]['targets']
        host, port = target.split(':')
        self.assertIn(host, self.services)
        self.assertEqual(int(port), manifests.Pod(manifests.render()).ports['http-metrics'])

    def test_grafana_finds_prometheus_and_the_dashboard(self):
        source, = self.read('deploy', 'grafana', 'provisioning', 'datasources', 'prometheus.yml')['datasources']
        self.assertEqual(source['url'], 'http://prometheus:9090')
        provider, = self.read('deploy', 'grafana', 'provisioning', 'dashboards', 'dragoman.yml')['providers']
        dashboards = [path for path in self.mounts('grafana') if path.startswith(provider['options']['path'] + '/')]
        first = self.services['grafana']['environment']['GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH']
        self.assertEqual(dashboards, [first])

    def test_the_daemon_has_the_time_that_it_needs_to_end(self):
        settings = self.read('docker', 'dragomand.json')
        needed = (settings.get('lame-duck-seconds', 0) + settings.get('drain-seconds', 30) +
                  manifests.exit_grace_seconds())
        self.assertGreaterEqual(int(self.services['dragoman']['stop_grace_period'].rstrip('s')), needed + 5)


# What is planted: a file of the chart, a text in it, what it becomes, and the finding that names it.
MUTATIONS = {
    'unknown field': ('deployment.yaml', 'replicas: {{', 'replicaz: {{', "'replicaz' was unexpected"),
    'unknown field of a probe': ('deployment.yaml', 'livenessProbe:', 'livenessProb:', "'livenessProb' was unexpected"),
    'unknown field of KEDA': ('scaledobject.yaml', 'pollingInterval', 'pollInterval', "'pollInterval' was unexpected"),
    'selector of a Service': (
        'services.yaml', 'selector:\n    {{- include "dragoman.selectorLabels" . | nindent 4 }}',
        'selector:\n    app: dragoman', 'does not select the pods'),
    'selector of the budget': (
        'poddisruptionbudget.yaml', '{{- include "dragoman.selectorLabels" . | nindent 6 }}', 'app: dragoman',
        'PodDisruptionBudget: selector'),
    'selector of the policy': (
        'networkpolicy.yaml', '{{- include "dragoman.selectorLabels" . | nindent 6 }}', 'app: dragoman',
        'NetworkPolicy: selector'),
    'selector of the monitor': (
        'servicemonitor.yaml', 'component: metrics', 'component: metric', 'selects 0 Services'),
    'port of a Service': ('services.yaml', 'targetPort: grpc', 'targetPort: rpc', 'port rpc is not one of'),
    'port of the headless Service': ('services.yaml', 'port: 50051', 'port: 80', 'headless, but port 80'),
    'port of the policy': ('networkpolicy.yaml', 'port: http-metrics', 'port: metrics', 'port metrics is not one of'),
    'port that nobody listens on': ('_helpers.tpl', 'listen=0.0.0.0:50051', 'listen=0.0.0.0:50050', 'but --listen is'),
    'metric of a rule': (
        '../files/dragoman.rules.yml', 'dragoman_live_workers < ', 'dragoman_workers < ', 'no metric dragoman_workers'),
    'label of a rule': ('../files/dragoman.rules.yml', 'state="busy"', 'state="used"', 'state="used"'),
    'recorded name of an alert': (
        '../files/dragoman.rules.yml', 'expr: job:dragoman_overload_refusals', 'expr: job:dragoman_refusals',
        'no metric job:dragoman_refusals'),
    'metric of an alert of files': (
        '../files/dragoman.rules.yml', 'files_read_total{outcome="error"}[1h]', 'files_read_total{outcome="failed"}[1h]',
        'outcome="failed"'),
    'metric of the dashboard': (
        '../files/dragoman.json', 'dragoman_kv_cache_usage_ratio', 'dragoman_kv_cache_ratio',
        'dashboard, K/V pages in use: no metric'),
    'metric of KEDA': (
        'scaledobject.yaml', 'sum(dragoman_queue_tokens{', 'sum(dragoman_queued_tokens{',
        'ScaledObject queue-tokens: no metric'),
    'job of KEDA': ('_helpers.tpl', '-metrics"', '"', 'job release-dragoman, expected'),
    'grace period': ('_helpers.tpl', '.Values.shutdown.drainSeconds 15', '.Values.shutdown.drainSeconds',
                     'terminationGracePeriodSeconds: found 45, expected 55 or more'),
    'fixed grace period': (
        'deployment.yaml', '{{ include "dragoman.gracePeriodSeconds" . }}', '30',
        'terminationGracePeriodSeconds: found 30'),
    'flag': ('_helpers.tpl', '--drain-seconds', '--drain-timeout', 'no flag --drain-timeout'),
    'probe that translates': (
        'deployment.yaml',
        'httpGet:\n              path: /livez\n              port: http-metrics\n              '
        'scheme: {{ include "dragoman.metricsScheme" . | upper }}',
        'exec:\n              command: [dragoman, translate]', 'livenessProbe: expected httpGet'),
    'probes without TLS': (
        '_helpers.tpl', 'ternary "https" "http"', 'ternary "http" "http"',
        'livenessProbe: asks by HTTP, expected HTTPS'),
    'liveness by readiness': ('deployment.yaml', 'path: /livez', 'path: /readyz', 'livenessProbe: asks /readyz'),
    'replicas beside an autoscaler': ('deployment.yaml', 'eq .Values.autoscaling.by "none"', 'true', 'replicas has to'),
    'root': ('deployment.yaml', 'runAsNonRoot: true', 'runAsNonRoot: false', 'securityContext.runAsNonRoot'),
    'writable root': ('_helpers.tpl', 'readOnlyRootFilesystem: true', 'readOnlyRootFilesystem: false',
                      'dragomand: securityContext'),
}
NEED_A_DAEMON = ('metric', 'label', 'recorded', 'job', 'grace', 'fixed', 'flag')


class Mutations(unittest.TestCase):
    def mutated(self, file, old, new):
        """The findings, with one text of the chart replaced."""
        with changed_chart(file, old, new) as chart:
            findings = []
            for values in ([OPERATORS], [SECURED], []):
                objects = manifests.render(values, chart=chart)
                findings += manifests.findings(objects, manifests.VERSIONS[-1], defaults, series)
            return findings

    def test_every_mistake_is_found(self):
        for name, (file, old, new, expected) in MUTATIONS.items():
            with self.subTest(name):
                if defaults is None and name.startswith(NEED_A_DAEMON):
                    self.skipTest(f'no {daemon.missing()}')
                self.assertIn(expected, '\n'.join(self.mutated(file, old, new)))

    def test_nothing_is_found_without_one(self):
        self.assertEqual(self.mutated('deployment.yaml', 'kind: Deployment', 'kind: Deployment'), [])


if __name__ == '__main__':
    unittest.main()
