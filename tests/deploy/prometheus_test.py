#!/usr/bin/env python3
"""Rules, scrape configurations and the dashboard in a real Prometheus: promtool's checks, its tests of every alert, and
a daemon that is loaded, overloaded and left alone again.

For the last one the shipped files are used as they are but for their times, which are shorter here."""
import json
import os
import re
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.parse

import yaml

import daemon
import grafana
import manifests
import promql

PROMETHEUS = os.path.join(manifests.ROOT, 'deploy', 'prometheus')
RULES = os.path.join(PROMETHEUS, 'dragoman.rules.yml')
DASHBOARD = os.path.join(manifests.ROOT, 'deploy', 'grafana', 'dragoman.json')

# Of the rules and of the scrape configuration: to a second's beat.
SHORTER = (('[5m]', '[10s]'), ('[1m]', '[5s]'), ('for: 2m', 'for: 3s'), ('for: 5m', 'for: 10s'),
           ('_interval: 15s', '_interval: 1s'))


def shorter(text):
    for long, short in SHORTER:
        text = text.replace(long, short)
    return text


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def promtool(*arguments):
    result = subprocess.run([os.path.join(manifests.TOOLS, 'promtool'), *arguments], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)
    return result.returncode, result.stdout


class Files(unittest.TestCase):
    def test_every_alert_has_a_test_and_passes_it(self):
        tests = os.path.join(manifests.HERE, 'rules_test.yml')
        status, output = promtool('test', 'rules', tests)
        self.assertEqual(status, 0, output)
        alerts = {rule['alert'] for group in yaml.safe_load(read(RULES))['groups']
                  for rule in group['rules'] if 'alert' in rule}
        fired = {case['alertname'] for one in yaml.safe_load(read(tests))['tests']
                 for case in one.get('alert_rule_test', []) if case['exp_alerts']}
        self.assertEqual(alerts, fired)

    def test_a_wrong_expression_fails_them(self):
        for old, new, alert in (
                ('ratio_rate5m > 0.01', 'ratio_rate5m > 0.5', 'DragomanRefusesCalls'),
                ('(present_over_time(dragoman_ready[3d]) or up{job=~".*dragoman.*"})', 'up{job=~".*dragoman.*"}',
                 'DragomanDown'),
                ('unless on (namespace, job) up', 'unless on (namespace) up', 'DragomanVanished'),
                ('dragoman_files_last_read_successful == 0', 'dragoman_files_last_read_successful == 1',
                 'DragomanFilesNotRead')):
            with self.subTest(alert), tempfile.TemporaryDirectory() as folder:
                for source, right, wrong in ((RULES, old, new), (os.path.join(manifests.HERE, 'rules_test.yml'),
                                                                 '../../deploy/prometheus/', '')):
                    text = read(source)
                    self.assertIn(right, text)
                    with open(os.path.join(folder, os.path.basename(source)), 'w', encoding='utf-8') as file:
                        file.write(text.replace(right, wrong))
                status, output = promtool('test', 'rules', os.path.join(folder, 'rules_test.yml'))
                self.assertNotEqual(status, 0)
                self.assertIn(alert, output)

    def test_scrape_configurations(self):
        self.assertEqual(promtool('check', 'config', os.path.join(PROMETHEUS, 'prometheus.yml'))[0], 0)
        # Debian builds Prometheus without the discovery of Kubernetes: all but that.
        config = yaml.safe_load(read(os.path.join(PROMETHEUS, 'kubernetes.yml')))
        discovery = config['scrape_configs'][0].pop('kubernetes_sd_configs')
        self.assertEqual([one['role'] for one in discovery], ['endpoints'])
        with tempfile.TemporaryDirectory() as folder:
            config['rule_files'] = []
            path = os.path.join(folder, 'prometheus.yml')
            with open(path, 'w', encoding='utf-8') as file:
                yaml.safe_dump(config, file)
            status, output = promtool('check', 'config', path)
        self.assertEqual(status, 0, output)

    def test_the_scrape_without_the_operator_finds_the_services(self):
        discovery = yaml.safe_load(read(os.path.join(PROMETHEUS, 'kubernetes.yml')))['scrape_configs'][0]
        selector = dict(part.split('=') for part in
                        discovery['kubernetes_sd_configs'][0]['selectors'][0]['label'].split(','))
        port = next(rule['regex'] for rule in discovery['relabel_configs'] if rule.get('action') == 'keep')
        chosen = [service for service in manifests.of_kind(manifests.render(), 'Service')
                  if manifests.selects(selector, service['metadata']['labels'])]
        self.assertEqual([port], [one['name'] for service in chosen for one in service['spec']['ports']])

    def test_the_adapter_serves_what_the_autoscaler_asks_for(self):
        rules = yaml.safe_load(read(os.path.join(PROMETHEUS, 'adapter.yml')))['rules']
        served = {metric for rule in rules for metric, _ in promql.selectors(rule['seriesQuery'])}
        scaler = manifests.of_kind(manifests.render(sets=['autoscaling.by=hpa']), 'HorizontalPodAutoscaler')
        self.assertEqual(served, {name for _, name in manifests.expressions(scaler)})

    def test_the_dashboard_is_one(self):
        dashboard = json.loads(read(DASHBOARD))
        ids = [panel['id'] for panel in dashboard['panels']]
        self.assertEqual(len(ids), len(set(ids)))
        taken = set()
        for panel in dashboard['panels']:
            place = panel['gridPos']
            cells = {(x, y) for x in range(place['x'], place['x'] + place['w'])
                     for y in range(place['y'], place['y'] + place['h'])}
            self.assertLessEqual(place['x'] + place['w'], 24, panel['title'])
            self.assertFalse(cells & taken, f'{panel["title"]} overlaps')
            taken |= cells
        variables = {one['name'] for one in dashboard['templating']['list']}
        used = set(re.findall(r'\$(?:\{)?([a-z]+)', read(DASHBOARD)))
        self.assertEqual(used - variables, set())

    def test_grafana_knows_all_of_the_dashboard(self):
        self.assertEqual(grafana.unknown_fields(json.loads(read(DASHBOARD))), [])

    def test_a_field_that_grafana_does_not_know_is_found(self):
        for right, wrong in (('gridPos', 'gridpos'), ('reduceOptions', 'reduceOption'), ('fillOpacity', 'opacity'),
                             ('legendFormat', 'legend'), ('includeAll', 'all')):
            with self.subTest(wrong):
                planted = json.loads(read(DASHBOARD).replace(f'"{right}"', f'"{wrong}"'))
                self.assertIn(f'no field {wrong}', '\n'.join(grafana.unknown_fields(planted)))


class Prometheus:
    """Scrapes one daemon as the chart's ServiceMonitor would label it. Ends with its context."""

    def __init__(self, target):
        self.folder = tempfile.TemporaryDirectory()
        config = yaml.safe_load(shorter(read(os.path.join(PROMETHEUS, 'prometheus.yml'))))
        scrape, = config['scrape_configs']
        scrape['job_name'] = 'release-dragoman-metrics'
        scrape['static_configs'] = [{'targets': [target], 'labels': {'namespace': manifests.NAMESPACE, 'pod': 'one'}}]
        for name, text in (('prometheus.yml', yaml.safe_dump(config)), ('dragoman.rules.yml', shorter(read(RULES)))):
            with open(os.path.join(self.folder.name, name), 'w', encoding='utf-8') as file:
                file.write(text)
        # Prometheus does not say which port it took for 0. No other test uses this address.
        host = f'127.1.{os.getpid() >> 8 & 255}.{os.getpid() & 255}'
        with socket.socket() as free:
            free.bind((host, 0))
            self.url = f'http://{host}:{free.getsockname()[1]}'
        self.log = open(os.path.join(self.folder.name, 'log'), 'w+', encoding='utf-8')
        self.process = subprocess.Popen(
            [os.path.join(manifests.TOOLS, 'prometheus'), '--config.file=' + self.folder.name + '/prometheus.yml',
             '--storage.tsdb.path=' + self.folder.name + '/data', '--web.listen-address=' + self.url[len('http://'):],
             '--log.level=warn'], stdout=self.log, stderr=self.log)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=60)
        self.log.close()
        self.folder.cleanup()

    def ask(self, path, **parameters):
        return json.loads(daemon.fetch(f'{self.url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}'))['data']

    def values(self, query):
        """The newest values of a query's series; those that are not a number are left out."""
        values = [float(one['value'][1]) for one in self.ask('query', query=query)['result']]
        return [value for value in values if value == value]

    def firing(self):
        return {alert['labels']['alertname'] for alert in self.ask('alerts')['alerts'] if alert['state'] == 'firing'}

    def wait_for(self, what, condition, seconds=90):
        """Asks until the condition holds; what it raises while Prometheus starts counts as no."""
        deadline = time.monotonic() + seconds
        while True:
            if self.process.poll() is not None:
                self.log.seek(0)
                raise AssertionError(f'Prometheus ended: {self.log.read()[-2000:]}')
            try:
                if condition():
                    return
            except (urllib.error.URLError, TimeoutError):  # the latter while an answer is read
                pass
            if time.monotonic() > deadline:
                raise AssertionError(f'not within {seconds} s: {what}; firing: {self.firing()}')
            time.sleep(0.2)


@unittest.skipIf(daemon.missing(), f'no {daemon.missing()}')
class Live(unittest.TestCase):
    """A daemon whose queue is small, so that few clients overload it; two of them never do: no text has more than six
    segments."""

    def load(self, running, *flags):
        process = running.load(*flags)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def answers_probes(self, running):
        """As often as the chart's probes ask in minutes, each time before they would give up."""
        container = manifests.Pod(manifests.render()).container
        asks = {'livenessProbe': lambda: daemon.fetch(f'http://{running.http}/livez'),
                'startupProbe': lambda: daemon.fetch(f'http://{running.http}/readyz'),
                'readinessProbe': lambda: subprocess.run([daemon.DRAGOMAN, 'health', '--server', running.grpc],
                                                         check=True, stdout=subprocess.DEVNULL)}
        for name, ask in asks.items():
            for _ in range(20):
                begin = time.monotonic()
                ask()
                self.assertLess(time.monotonic() - begin, container[name]['timeoutSeconds'], name)

    def test_a_loaded_daemon_is_seen_and_an_overload_alert_fires_and_clears(self):
        with daemon.Daemon('--max-queue-segments=32', '--max-rows=16', '--cpu-workers=1') as running, \
                Prometheus(running.http) as prometheus:
            self.load(running, '--concurrency', '1')
            self.load(running, '--concurrency', '1', '--stream')

            queries = [(title, re.sub(r'\$__rate_interval', '10s', re.sub(r'\$(namespace|job|instance|model)', '.*', query)))
                       for title, query in manifests.panel_queries(json.loads(read(DASHBOARD)))]
            queries += manifests.expressions(manifests.of_kind(manifests.render(sets=['autoscaling.by=keda']),
                                                               'ScaledObject'))
            queries += [(rule['record'], rule['record']) for group in yaml.safe_load(read(RULES))['groups']
                        for rule in group['rules'] if 'record' in rule]
            self.assertGreater(len(queries), 40)
            for title, query in queries:
                prometheus.wait_for(f'a value of "{title}": {query}', lambda q=query: prometheus.values(q))
            prometheus.wait_for('a moment without any alert', lambda: not prometheus.firing())
            self.assertEqual(prometheus.values('ALERTS{alertname="DragomanRefusesCalls"}'), [])

            full = self.load(running, '--concurrency', '100')
            prometheus.wait_for('the overload alert', lambda: 'DragomanRefusesCalls' in prometheus.firing())
            prometheus.wait_for('the share that is refused', lambda: any(
                share > 0.01 for share in prometheus.values('job:dragoman_overload_refusals:ratio_rate5m')))
            self.answers_probes(running)
            full.kill()
            full.wait()
            prometheus.wait_for('an end of the overload alert', lambda: not prometheus.firing())

            running.process.terminate()
            running.process.wait(timeout=60)
            prometheus.wait_for('the alert that the daemon is down', lambda: 'DragomanDown' in prometheus.firing())


if __name__ == '__main__':
    unittest.main()
