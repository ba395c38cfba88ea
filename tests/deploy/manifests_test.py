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
import kserve
import manifests
import pod
import promql

VALUES = sorted(glob.glob(os.path.join(manifests.HERE, 'values', '*.yaml')) +
                glob.glob(os.path.join(manifests.ROOT, 'deploy', 'kubernetes', 'values', '*.yaml')))
OPERATORS = os.path.join(manifests.ROOT, 'deploy', 'kubernetes', 'values', 'operators.yaml')
SECURED = os.path.join(manifests.HERE, 'values', 'secured.yaml')

# By file of the chart: values that make something of it.
OTHERS = {file: os.path.join(manifests.HERE, 'values', values + '.yaml') for file, values in (
    ('ingress.yaml', 'ingress'), ('gateway.yaml', 'gateway'), ('podmonitor.yaml', 'keda-zero'),
    ('scaledobject.yaml', 'keda-zero'), ('models.yaml', 'shared-cache'), ('deployment.yaml', 'shared-cache'))}

# Flags that a chart has no use for: what they do ends the process, or is settled by the chart itself.
NOT_IN_SETTINGS = {'help', 'version', 'verbose', 'check-config', 'print-program', 'config', 'exit-at-eof',
                   'jobs-dir', 'jobs-mb', 'jobs-hours'}


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


class Rendered(unittest.TestCase):
    def test_helm_finds_nothing_to_complain_about(self):
        for values in VALUES:
            with self.subTest(values=name_of(values)):
                self.assertNotIn('[WARNING]', manifests.helm('lint', '--strict', manifests.CHART, '--values', values))

    def test_two_releases_share_the_calls(self):
        """A release with a new model gets a share by the weights of the routes of the one that is there."""
        values = [os.path.join(manifests.HERE, 'values', 'gateway.yaml')]
        split = ('gateway.split.service=next-dragoman', 'gateway.split.percent=5')
        stable = manifests.render(values, sets=split)
        following = manifests.render([OPERATORS], release='next', sets=('gateway.grpc.enabled=false',))
        self.assertEqual(manifests.schema_findings(stable, manifests.VERSIONS[-1]), [])
        self.assertEqual(manifests.route_findings(stable, following), [])
        for kind in ('GRPCRoute', 'HTTPRoute'):
            route, = manifests.of_kind(stable, kind)
            self.assertEqual([(backend['name'], backend['weight'])
                              for backend in route['spec']['rules'][0]['backendRefs']],
                             [('release-dragoman', 95), ('next-dragoman', 5)])
        # Neither release's Service selects the other's pods.
        for objects, others in ((stable, following), (following, stable)):
            labels = manifests.Pod(others).labels
            for service in manifests.of_kind(objects, 'Service'):
                self.assertFalse(manifests.selects(service['spec']['selector'], labels))
        self.assertIn('a Service next-dragoman', ' '.join(manifests.route_findings(stable)))

    def test_all_values_on_all_versions(self):
        """The chart makes the same of them for the oldest and the newest version, and every version takes that."""
        self.assertGreaterEqual(len(manifests.VERSIONS), 13)
        self.assertGreaterEqual(len(VALUES), 20)
        for values in VALUES:
            since = 6 if name_of(values) == 'image-volume' else 0
            objects = manifests.render([values])
            with self.subTest(values=name_of(values)):
                if since:
                    with self.assertRaisesRegex(manifests.RenderError, 'image as a volume needs Kubernetes 1.31'):
                        manifests.render([values], manifests.VERSIONS[since - 1])
                self.assertEqual(objects, manifests.render([values], manifests.VERSIONS[since]))
                self.assertEqual(manifests.findings(objects, manifests.VERSIONS[-1], defaults, series), [])
            for version in manifests.VERSIONS[since:]:
                with self.subTest(values=name_of(values), version=version):
                    self.assertEqual(manifests.schema_findings(objects, version), [])

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
    def test_the_job_of_a_corpus_translates_it(self):
        with open(os.path.join(manifests.ROOT, 'deploy', 'kubernetes', 'corpus', 'job.yaml'), encoding='utf-8') as file:
            job = yaml.safe_load(file)
        versions = [version for version in manifests.VERSIONS if int(version.split('.')[1]) >= 29]
        self.assertTrue(versions)
        for version in versions:
            self.assertEqual(manifests.schema_findings([job], version), [])
        pod_spec = job['spec']['template']['spec']
        sidecar, = pod_spec['initContainers']
        corpus, = pod_spec['containers']
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, 'de'))
            for name in ('1.txt', '2.txt'):
                with open(os.path.join(folder, 'de', name), 'w', encoding='utf-8') as file:
                    file.write('Guten Morgen!\n')
            here = (('/models/de-en', daemon.MODEL), ('/run/dragoman', folder), ('/corpus', folder),
                    ('0.0.0.0:9464', '127.0.0.1:0'), ('exec dragoman', 'exec ' + daemon.DRAGOMAN))

            def local(text):
                for old, new in here:
                    text = text.replace(old, new)
                return text

            with daemon.Daemon(command=[daemon.DRAGOMAND, *map(local, sidecar['args'])]):
                for index in range(job['spec']['completions']):
                    subprocess.run([*corpus['command'], *map(local, corpus['args'])], check=True,
                                   stderr=subprocess.DEVNULL, env={**os.environ, 'JOB_COMPLETION_INDEX': str(index)})
            for name in ('1.txt', '2.txt'):
                with open(os.path.join(folder, 'en', name), encoding='utf-8') as file:
                    self.assertRegex(file.read(), r'^Good morning[.!]\n$')

    @needs_daemon
    def test_the_daemon_takes_the_flags(self):
        for values in VALUES:
            with self.subTest(values=name_of(values)):
                rendered = manifests.Pod(manifests.render([values]))
                # A directory of models is read, and so has to be there: the one with the bundled model.
                models = os.path.join(manifests.ROOT, 'deploy', 'models')
                with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
                    file.write(rendered.configuration or '')
                    file.flush()
                    here = {'--models-dir': models, '--config': file.name}
                    arguments = [f'{name}={here.get(name, value)}' for name, value in
                                 (argument.split('=', 1) for argument in rendered.container['args'])]
                    result = subprocess.run([daemon.DRAGOMAND, *arguments, '--check-config'], capture_output=True,
                                            text=True)
                self.assertEqual((result.returncode, result.stderr), (0, ''))
                if rendered.configuration:
                    known = {one['name']: one for one in json.loads(result.stdout)['models']}
                    for one in json.loads(rendered.configuration)['models']:
                        self.assertEqual({name: known[one['name']].get(name) for name in one}, one)

    def served(self, *sets, directory=None, chart=manifests.CHART):
        """What a daemon serves that is started as the pod's container is; `directory` is the claim a."""
        objects = manifests.render(sets=sets, chart=chart)
        with tempfile.TemporaryDirectory() as folder, \
                pod.Pod(objects, folder, claims={'a': directory}).serve() as running:
            return running.models()

    @needs_daemon
    def test_the_daemon_serves_what_the_values_name_and_nothing_of_the_image(self):
        self.assertEqual(self.served(), ['de-en'])
        with tempfile.TemporaryDirectory() as directory:
            os.symlink(daemon.MODEL, os.path.join(directory, 'opus'))
            claim = ('models.sources[0].name=store', 'models.sources[0].from=pvc://a', 'models.sources[0].serve=false')
            whole = (*claim, 'settings.models-dir=/srv/models/store')
            one = (*claim, 'models.serve[0].name=fr', 'models.serve[0].directory=/srv/models/store/opus')
            self.assertEqual(self.served(*whole, directory=directory), ['opus'])
            self.assertEqual(self.served(*one, directory=directory), ['fr'])
            with changed_chart('deployment.yaml', 'command: [dragomand]', '') as chart:
                self.assertEqual(self.served(*whole, directory=directory, chart=chart), ['de-en', 'opus'])

    def test_flags_are_written_as_dragomand_reads_them(self):
        flags = manifests.Pod(manifests.render([os.path.join(manifests.HERE, 'values', 'settings.yaml')])).flags
        self.assertEqual(flags['max-queue-tokens'], '1048576')
        self.assertEqual(flags['device-memory-fraction'], '0.5')
        self.assertEqual((flags['cpu-workers'], flags['threads-per-worker'], flags['text-threads']),
                         ('1', '2', '2'))

    def test_workers_follow_the_cpus(self):
        for cpus, workers, threads, tokenizers in ((1, 1, 1, 1), (2, 2, 1, 1), (16, 16, 1, 4), (64, 16, 4, 16),
                                                   (0.5, 1, 1, 1), ('500m', 1, 1, 1), (1.5, 2, 1, 1), ('2100m', 3, 1, 1)):
            flags = manifests.Pod(manifests.render(sets=[f'resources.cpus={cpus}'])).flags
            self.assertEqual([flags['cpu-workers'], flags['threads-per-worker'], flags['text-threads']],
                             [str(workers), str(threads), str(tokenizers)])

    def test_a_changed_source_has_another_folder_and_another_job(self):
        def made(revision):
            objects = manifests.render(sets=[
                'models.sources[0].name=a', f'models.sources[0].from=hf:owner/name@{revision}', 'models.fetch.by=job',
                'models.cache.claim=models'])
            mount, = manifests.Pod(objects).container['volumeMounts']
            job, = manifests.of_kind(objects, 'Job')
            self.assertIn(f'{mount["subPath"]}=hf:owner/name@{revision}',
                          job['spec']['template']['spec']['containers'][0]['args'])
            return mount['subPath'], job['metadata']['name']
        self.assertEqual(made('1'), made('1'))
        self.assertFalse(set(made('1')) & set(made('2')))

    def test_nobody_is_called_when_a_job_is_scaled_to_zero(self):
        """Its targets vanish on purpose."""
        def alerts(*sets):
            objects = manifests.render([os.path.join(manifests.HERE, 'values', 'keda-zero.yaml')], sets=sets)
            rules, = manifests.of_kind(objects, 'PrometheusRule')
            return {rule.get('alert') for group in rules['spec']['groups'] for rule in group['rules']}
        self.assertEqual(alerts('autoscaling.minReplicas=1') - alerts(), {'DragomanVanished'})

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
        for wrong in ('models.source=claim', 'models.sources[0].form=a', 'models.sources[0].settings.max-rowz=1',
                      'models.cache.clam=a', 'models.fetch.hubToken.key2=a', 'podSecurityContext.runAsUsr=1',
                      'containerSecurityContext.readOnly=true', 'env[0].valeu=a', 'extraVolumeMounts[0].path=/a',
                      'ingress.grpc.hosts=a', 'gateway.grpc.hosts=a', 'podMonitor.intervall=1s',
                      'serviceAccount.crate=true', 'autoscaling.keda.authentication.mode=a', 'commonLabel=a'):
            with self.subTest(wrong):
                self.assertIn(wrong.split('=')[0].rsplit('.', 1)[-1], self.refused(wrong))
        self.assertIn('tls.certificate', self.refused('tls.certificate=x').replace('tls: Additional property ', 'tls.'))

    def test_a_value_of_the_wrong_kind_is_refused(self):
        source = 'models.sources[0].name=a,models.sources[0].from='
        for wrong in ('replicas=many', 'resources.cpus=0', 'resources.cpus=0.5k', 'settings.log-level=loud',
                      'arch=sparc', 'models.fetch.by=hook', 'autoscaling.keda.authentication.modes=password',
                      *(source + wrong for wrong in (
                          'hf:name@1', 'hf://owner/name@1', 'pypi:name#a', 's3://bucket', 'ftp://host/a', 'https://host/a.tar',
                          'https://host/a.tar#sha256=12', 'pvc://Claim', 'oci://', '/models/a')),
                      source + 'pvc://a,models.sources[0].settings.max-rows=many',
                      'shutdown.marginSeconds=0', 'autoscaling.by=vpa', 'image.digest=latest',
                      'models.serve[0].name=a,models.serve[0].directory=relative'):
            with self.subTest(wrong):
                self.assertIn('values don\'t meet the specifications', self.refused(wrong))

    def test_a_hub_without_a_revision_is_refused_in_words(self):
        for end in ('', '#include=*.json'):
            said = self.refused(f'models.sources[0].name=a,models.sources[0].from=hf:owner/name{end}')
            self.assertIn(f'a has hf:owner/name{end} without a revision, expected hf:OWNER/NAME@REVISION', said)

    def test_values_that_need_another_are_refused_without_it(self):
        def source(url, *more):
            return ('models.sources[0].name=a', f'models.sources[0].from={url}', *more)
        hub = source('hf:owner/name@1')
        self.assertIn('models.serve: empty', self.refused(*source('pvc://a', 'models.sources[0].serve=false')))
        self.assertIn('found the name a twice', self.refused(*source('pvc://a'), 'models.sources[1].name=a',
                                                             'models.sources[1].from=pvc://b'))
        self.assertIn('expected them under models.serve', self.refused(
            *source('pvc://a', 'models.sources[0].serve=false', 'models.sources[0].settings.max-rows=1')))
        self.assertIn('would be kept there', self.refused(*source('pvc://a', 'models.cache.create=true')))
        self.assertIn('serviceAccount.annotations: found some', self.refused(
            'serviceAccount.create=false', 'serviceAccount.name=a', 'serviceAccount.annotations.a=b'))
        self.assertIn('expected one of them', self.refused(*(
            f'autoscaling.keda.authentication.{one}=a' for one in
            ('name', 'secretTargetRef[0].name', 'secretTargetRef[0].key', 'secretTargetRef[0].parameter'))))
        self.assertIn('only sources of oci', self.refused(*source('pvc://a', 'models.sources[0].path=/b')))
        self.assertIn('copy without path', self.refused(*source('oci://a', 'models.sources[0].copy=true')))
        self.assertIn('networkPolicy.egress: empty, expected a way to the hosts', self.refused(*hub))
        self.assertIn('models.cache: no claim', self.refused(*hub, 'models.fetch.by=job'))
        self.assertIn('models.cache.claim: empty', self.refused(*hub, 'models.fetch.offline=true'))
        self.assertIn('gateway.parentRefs: empty', self.refused('gateway.grpc.enabled=true'))
        self.assertIn('http.port is 0', self.refused('gateway.http.enabled=true', 'gateway.parentRefs[0].name=a',
                                                     'http.port=0'))
        self.assertIn('ingress.http.host: empty', self.refused('ingress.http.enabled=true'))
        self.assertIn('ingress.grpc.tlsSecret: empty', self.refused('ingress.grpc.enabled=true,ingress.grpc.host=a'))
        self.assertIn('expected one, or every series', self.refused('podMonitor.enabled=true',
                                                                    'serviceMonitor.enabled=true'))
        self.assertIn('serviceAccount.name: empty', self.refused('serviceAccount.create=false'))
        self.assertIn('to zero scales KEDA only', self.refused('autoscaling.by=hpa,autoscaling.minReplicas=0'))
        self.assertIn('keda.triggers: empty', self.refused('autoscaling.by=keda,autoscaling.minReplicas=0'))
        self.assertIn('authentication: modes, but', self.refused(
            'autoscaling.by=keda,autoscaling.keda.authentication.modes=bearer'))
        self.assertIn('tls.secret is empty', self.refused('tls.clientCertificates=true'))
        self.assertIn('tls.secret is empty', self.refused('tls.metrics=on'))
        self.assertIn('networkPolicy.egress: empty', self.refused('settings.otlp=http://collector:4317'))
        self.assertIn('networkPolicy.egress: empty', self.refused(
            'env[0].name=OTEL_EXPORTER_OTLP_ENDPOINT,env[0].value=http://collector:4317'))
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
    def test_settings_of_a_model_are_those_that_a_model_may_have(self):
        with open(os.path.join(manifests.CHART, 'values.schema.json'), encoding='utf-8') as file:
            settings = set(json.load(file)['definitions']['modelSettings']['properties'])
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
            json.dump({'models': [{'name': 'a', 'directory': daemon.MODEL, 'listen': ''}]}, file)
            file.flush()
            refused = subprocess.run([daemon.DRAGOMAND, f'--config={file.name}', '--check-config'], capture_output=True,
                                     text=True).stderr
        known = re.search("'listen': found no setting of a model, expected one of (.*)", refused)
        self.assertTrue(known, refused)
        self.assertEqual(sorted(settings), sorted(known[1].split(', ')))

    @needs_daemon
    def test_the_defaults_of_the_daemon_are_those_of_the_chart(self):
        drain = manifests.Pod(manifests.render()).flags['drain-seconds']
        self.assertEqual(drain, defaults['drain-seconds'])


class KServe(unittest.TestCase):
    """deploy/kserve, by KServe's own models; the daemon with the runtime's arguments."""
    FOLDER = os.path.join(manifests.ROOT, 'deploy', 'kserve')

    @classmethod
    def read(cls, name):
        with open(os.path.join(cls.FOLDER, name), encoding='utf-8') as file:
            return file.read()

    def test_kserve_knows_every_field(self):
        for name in sorted(os.listdir(self.FOLDER)):
            for version in (manifests.VERSIONS[0], manifests.VERSIONS[-1]):
                self.assertEqual(kserve.findings(yaml.safe_load(self.read(name)), version), [], name)

    def test_a_field_that_it_does_not_know_is_found(self):
        for name, right, wrong, expected in (
                ('servingruntime.yaml', 'multiModel: false', 'multimodel: false', 'no field multimodel'),
                ('servingruntime.yaml', 'autoSelect: true', 'autoSelect: 1', 'found 1, expected bool'),
                ('servingruntime.yaml', 'startupProbe:', 'startProbe:', "'startProbe' was unexpected"),
                ('inferenceservice.yaml', 'storageUri', 'storageURI', 'no field storageURI in V1beta1ModelSpec'),
                ('inferenceservice.yaml', 'minReplicas: 2', 'minReplicas: two', "found 'two', expected int"),
                ('inferenceservice.yaml', 'predictor:', 'predictors:', 'no field predictors')):
            with self.subTest(wrong):
                self.assertIn(right, self.read(name))
                found = kserve.findings(yaml.safe_load(self.read(name).replace(right, wrong)), manifests.VERSIONS[-1])
                self.assertIn(expected, '\n'.join(found))

    def test_the_service_names_the_runtime_and_one_of_its_formats(self):
        runtime, service = (yaml.safe_load(self.read(f'{name}.yaml')) for name in ('servingruntime', 'inferenceservice'))
        model = service['spec']['predictor']['model']
        self.assertEqual(model['runtime'], runtime['metadata']['name'])
        self.assertIn(model['modelFormat']['name'], [one['name'] for one in runtime['spec']['supportedModelFormats']])

    @needs_daemon
    def test_the_daemon_serves_what_kserve_puts_there(self):
        container, = yaml.safe_load(self.read('servingruntime.yaml'))['spec']['containers']
        grace = yaml.safe_load(self.read('inferenceservice.yaml'))['spec']['predictor']['terminationGracePeriodSeconds']
        flags = dict(argument[2:].split('=', 1) for argument in container['args'])
        self.assertGreaterEqual(grace, int(flags['lame-duck-seconds']) + int(flags['drain-seconds']) +
                                manifests.exit_grace_seconds() + 5)
        arguments = [argument.replace('{{.Name}}', 'opus').replace('/mnt/models', daemon.MODEL) for argument in
                     container['args']]
        arguments = [re.sub(r'0\.0\.0\.0:\d+$', '127.0.0.1:0', argument) for argument in arguments]
        self.assertEqual(container['command'], ['dragomand'])
        with daemon.Daemon(command=[daemon.DRAGOMAND, *arguments]) as running:
            self.assertEqual(running.models(), ['opus'])


class Dashboard(unittest.TestCase):
    @needs_daemon
    def test_a_chosen_model_quantizeds_every_series_that_has_models(self):
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

    def test_every_port_of_the_daemon_is_published_on_this_machine_only(self):
        with open(os.path.join(self.folder, 'dragomand.json'), encoding='utf-8') as file:
            settings = json.load(file)
        ports = {settings[name].rsplit(':', 1)[1] for name in ('listen', 'metrics', 'http')}
        self.assertEqual(set(self.services['dragoman']['ports']), {f'127.0.0.1:{port}:{port}' for port in ports})

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
    'port of an Ingress': ('ingress.yaml', 'name: {{ $name }}\n---', 'name: {{ $name }}s\n---', 'Ingress: no port grpcs'),
    'Service of a route': (
        'gateway.yaml', '- name: {{ include "dragoman.fullname" $ }}', '- name: dragoman', 'no port 50051 of a Service'),
    'unknown field of a route': ('gateway.yaml', 'parentRefs:', 'parents:', 'parents'),
    'unknown field of a PodMonitor': (
        'podmonitor.yaml', 'podMetricsEndpoints', 'podMetricEndpoints', 'podMetricEndpoints'),
    'unknown field of an authentication': ('scaledobject.yaml', 'secretTargetRef:\n', 'secretRef:\n', 'secretRef'),
    'a trigger without its authentication': (
        'scaledobject.yaml', 'authenticationRef:', 'authenticationRef: {name: other}\n      ref:', 'ref'),
    'labels of the Job': ('models.yaml', '}}-fetch\n', '}}\n', 'Job: Service release-dragoman'),
    'folder of the cache': (
        'deployment.yaml', 'mountPath: {{ $mountPath }}/{{ .name }}\n              subPath: {{ include',
        'mountPath: {{ $mountPath }}/cache\n              subPath: {{ include', 'is in no volume'),
    'metric of a rule': (
        '../files/dragoman.rules.yml', 'dragoman_live_workers < ', 'dragoman_workers < ', 'no metric dragoman_workers'),
    'label of a rule': ('../files/dragoman.rules.yml', 'state="busy"', 'state="used"', 'state="used"'),
    'recorded name of an alert': (
        '../files/dragoman.rules.yml', 'expr: job:dragoman_overload_refusals', 'expr: job:dragoman_refusals',
        'no metric job:dragoman_refusals'),
    'metric of an alert of files': (
        '../files/dragoman.rules.yml', 'files_last_read_successful ==', 'files_last_read_ok ==',
        'no metric dragoman_files_last_read_ok'),
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
    'root': ('../values.yaml', 'runAsNonRoot: true', 'runAsNonRoot: false', 'securityContext.runAsNonRoot'),
    'writable root': ('../values.yaml', 'readOnlyRootFilesystem: true', 'readOnlyRootFilesystem: false',
                      'dragomand: securityContext'),
}
NEED_A_DAEMON = ('metric', 'label', 'recorded', 'job', 'grace', 'fixed', 'flag')


class Mutations(unittest.TestCase):
    def mutated(self, file, old, new):
        """The findings, with one text of the chart replaced."""
        with changed_chart(file, old, new) as chart:
            findings = []
            for values in ([OPERATORS], [SECURED], [], *([other] for name, other in OTHERS.items() if name == file)):
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
