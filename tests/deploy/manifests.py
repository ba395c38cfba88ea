"""The chart rendered, and what has to hold in the objects that it makes.

Helm says whether the templates can be rendered, a schema whether Kubernetes takes an object. What neither sees is
whether the objects fit each other and the daemon: that is checked here. Every check returns findings in words."""
import functools
import json
import os
import re
import subprocess

import jsonschema
import kubernetes_validate
import kubernetes_validate.utils
import yaml

import crds
import promql

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CHART = os.path.join(ROOT, 'deploy', 'helm', 'dragoman')
TOOLS = os.path.join(ROOT, 'build', 'deploy-tools')
NAMESPACE = 'translation'
# Each is there twice, for the strict schemas too.
VERSIONS = list(dict.fromkeys(kubernetes_validate.utils.major_minor(version)
                              for version in kubernetes_validate.utils.all_versions()))

# The validator reads its schemas, megabytes of them, for each object again.
kubernetes_validate.utils.schema_contents = functools.lru_cache(None)(kubernetes_validate.utils.schema_contents)


class RenderError(Exception):
    """Helm's own words."""


def helm(*arguments):
    result = subprocess.run([os.path.join(TOOLS, 'helm'), *arguments], capture_output=True, text=True)
    if result.returncode:
        raise RenderError(result.stderr)
    return result.stdout


def render(values=(), version=VERSIONS[-1], chart=CHART, sets=(), release='release'):
    """The objects that the chart makes of files of values and `name=value`s."""
    arguments = [argument for file in values for argument in ('--values', file)]
    arguments += [argument for one in sets for argument in ('--set', one)]
    text = helm('template', release, chart, '--namespace', NAMESPACE, '--kube-version', version, *arguments)
    return [document for document in yaml.safe_load_all(text) if document]


def help_defaults(dragomand):
    """{flag: default} as `dragomand --help json` prints them."""
    text = subprocess.run([dragomand, '--help', 'json'], check=True, capture_output=True, text=True).stdout
    return {flag['name']: flag['default'] for flag in json.loads(text)['flags']}


def exit_grace_seconds():
    """How long after the drain's limit a daemon that hangs ends itself."""
    with open(os.path.join(ROOT, 'server', 'process', 'daemon.cc'), encoding='utf-8') as file:
        return int(re.search(r'kExitGrace\{(\d+)\}', file.read())[1])


# --- schemas ---------------------------------------------------------------------------------------

@functools.lru_cache(None)
def crd_schema(kind):
    """Of a kind that is not Kubernetes' own; None of one that is."""
    path = os.path.join(HERE, 'schemas', kind.lower() + '.json')
    if os.path.exists(path):
        with open(path, encoding='utf-8') as file:
            return json.load(file)
    return crds.schemas().get(kind)


@functools.lru_cache(None)
def validated(text, version):
    """Most objects are the same for many values: each is validated once."""
    item = json.loads(text)
    name = f'{item.get("kind")}/{item.get("metadata", {}).get("name")}'
    schema = crd_schema(item['kind'])
    try:
        if schema:
            jsonschema.Draft7Validator(schema).validate(item)
        else:
            kubernetes_validate.validate(item, version, strict=True)
    except jsonschema.ValidationError as error:
        return f'{name}: {".".join(map(str, error.path))}: {error.message[:300]}'
    except kubernetes_validate.SchemaNotFoundError as error:
        return f'{name}: {error.message}'
    return None


def schema_findings(objects, version):
    found = (validated(json.dumps(item, sort_keys=True), version) for item in objects)
    return [finding for finding in found if finding]


# --- how objects fit each other ---------------------------------------------------------------------

def of_kind(objects, kind):
    return [item for item in objects if item['kind'] == kind]


def selects(selector, labels):
    return bool(selector) and all(labels.get(name) == value for name, value in selector.items())


class Pod:
    """The one Deployment's pod, with what other objects refer to. The container is dragomand's, its models those of its
    flags or of its configuration file."""

    def __init__(self, objects):
        self.deployment, = of_kind(objects, 'Deployment')
        self.template = self.deployment['spec']['template']
        self.labels = self.template['metadata']['labels']
        self.spec = self.template['spec']
        self.container, = [one for one in self.spec['containers'] if one['name'] == 'dragomand']
        self.ports = {port['name']: port['containerPort'] for port in self.container['ports']}
        pairs = [argument[2:].split('=', 1) for argument in self.container['args']]
        self.flags = dict(pairs)
        self.models = [value for name, value in pairs if name == 'model']
        self.configuration = self.mounted_text(objects, self.flags['config']) if 'config' in self.flags else None
        if self.configuration:
            self.models += [f'{one["name"]}={one["directory"]}' for one in json.loads(self.configuration)['models']]

    def mounted_text(self, objects, path):
        """What a file of a mounted ConfigMap holds."""
        mount, = [one for one in self.container['volumeMounts'] if path.startswith(one['mountPath'] + '/')]
        volume, = [one for one in self.spec['volumes'] if one['name'] == mount['name']]
        config, = [one for one in of_kind(objects, 'ConfigMap')
                   if one['metadata']['name'] == volume['configMap']['name']]
        return config['data'][path[len(mount['mountPath']) + 1:]]


def selector_findings(objects):
    pod = Pod(objects)
    labels, findings = pod.labels, []

    def expect(name, selector):
        if not selects(selector, labels):
            findings.append(f'{name}: selector {selector} does not select the pods, whose labels are {labels}')

    expect('Deployment', pod.deployment['spec']['selector']['matchLabels'])
    for service in of_kind(objects, 'Service'):
        expect(f'Service {service["metadata"]["name"]}', service['spec']['selector'])
    for budget in of_kind(objects, 'PodDisruptionBudget'):
        expect('PodDisruptionBudget', budget['spec']['selector']['matchLabels'])
    for policy in of_kind(objects, 'NetworkPolicy'):
        expect('NetworkPolicy', policy['spec']['podSelector']['matchLabels'])
    for spread in pod.spec['topologySpreadConstraints']:
        expect('topologySpreadConstraints', spread['labelSelector']['matchLabels'])
    for monitor in of_kind(objects, 'ServiceMonitor'):
        selector = monitor['spec']['selector']['matchLabels']
        chosen = [service for service in of_kind(objects, 'Service')
                  if selects(selector, service['metadata']['labels'])]
        if len(chosen) != 1:
            findings.append(f'ServiceMonitor: selector {selector} selects {len(chosen)} Services, expected 1')
        for endpoint in monitor['spec']['endpoints']:
            if (endpoint['scheme'] == 'https') != (pod.flags.get('metrics-tls', 'off') != 'off'):
                findings.append(f'ServiceMonitor: scheme {endpoint["scheme"]}, but --metrics-tls is '
                                f'{pod.flags.get("metrics-tls", "off")}')
            for service in chosen:
                if endpoint['port'] not in [port['name'] for port in service['spec']['ports']]:
                    findings.append(f'ServiceMonitor: no port {endpoint["port"]} in {service["metadata"]["name"]}')
    for monitor in of_kind(objects, 'PodMonitor'):
        expect('PodMonitor', monitor['spec']['selector']['matchLabels'])
        for endpoint in monitor['spec']['podMetricsEndpoints']:
            if endpoint['port'] not in pod.ports:
                findings.append(f'PodMonitor: no port {endpoint["port"]}, found {sorted(pod.ports)}')
    # Pods of other objects get no calls and are held by no policy.
    for job in of_kind(objects, 'Job'):
        others = job['spec']['template']['metadata']['labels']
        for item in of_kind(objects, 'Service'):
            if selects(item['spec']['selector'], others):
                findings.append(f'Job: Service {item["metadata"]["name"]} selects its pods, whose labels are {others}')
    accounts = [account['metadata']['name'] for account in of_kind(objects, 'ServiceAccount')]
    if accounts and pod.spec['serviceAccountName'] not in accounts:
        findings.append(f'Deployment: no ServiceAccount {pod.spec["serviceAccountName"]}, found {accounts}')
    return findings


def route_findings(objects, others=()):
    """What stands in front names Services and ports that are there, in the release or in `others`."""
    services = {service['metadata']['name']: service['spec']['ports']
                for service in of_kind([*objects, *others], 'Service')}
    targets = []
    for ingress in of_kind(objects, 'Ingress'):
        targets += [('Ingress', path['backend']['service']['name'], path['backend']['service']['port']['name'])
                    for rule in ingress['spec']['rules'] for path in rule['http']['paths']]
    for kind in ('GRPCRoute', 'HTTPRoute'):
        targets += [(kind, backend['name'], backend['port']) for route in of_kind(objects, kind)
                    for rule in route['spec']['rules'] for backend in rule['backendRefs']]
    return [f'{kind}: no port {port} of a Service {service}, found {services}' for kind, service, port in targets
            if not any(port in (one['name'], one['port']) for one in services.get(service, []))]


def port_findings(objects):
    pod, findings = Pod(objects), []

    def expect(where, port):
        if port not in pod.ports and port not in pod.ports.values():
            findings.append(f'{where}: port {port} is not one of the container\'s, {pod.ports}')

    for name, flag in (('grpc', 'listen'), ('http-metrics', 'metrics'), ('http', 'http')):
        if flag not in pod.flags and name not in pod.ports:
            continue
        listened = int(pod.flags[flag].rsplit(':', 1)[1])
        if pod.ports.get(name) != listened:
            findings.append(f'Deployment: port {name} is {pod.ports.get(name)}, but --{flag} is {pod.flags[flag]}')
    for service in of_kind(objects, 'Service'):
        name = service['metadata']['name']
        for port in service['spec']['ports']:
            expect(f'Service {name}', port['targetPort'])
            if service['spec'].get('clusterIP') == 'None' and port['port'] != pod.ports.get(port['targetPort']):
                findings.append(f'Service {name}: headless, but port {port["port"]} is not the pods\' own')
    for policy in of_kind(objects, 'NetworkPolicy'):
        for rule in policy['spec']['ingress']:
            for port in rule['ports']:
                expect('NetworkPolicy', port['port'])
    headless = [service for service in of_kind(objects, 'Service') if service['spec'].get('clusterIP') == 'None']
    if len(headless) != 1:
        findings.append(f'Services: {len(headless)} headless ones, expected 1')
    return findings


def probe_findings(objects):
    """No probe costs a translation or a process, and each asks what it is for."""
    pod, findings = Pod(objects), []
    secured = any(flag in pod.flags for flag in ('tls-cert', 'api-keys'))
    for name, path in (('startupProbe', '/readyz'), ('readinessProbe', '/readyz'), ('livenessProbe', '/livez')):
        probe = pod.container[name]
        if 'httpGet' in probe:
            found = probe['httpGet']['path']
            if found != path:
                findings.append(f'{name}: asks {found}, expected {path}')
            scheme = 'HTTP' if pod.flags.get('metrics-tls', 'off') == 'off' else 'HTTPS'
            if probe['httpGet'].get('scheme', 'HTTP') != scheme:
                findings.append(f'{name}: asks by {probe["httpGet"].get("scheme")}, expected {scheme}')
            port = probe['httpGet']['port']
            if pod.ports.get(port, port) != pod.ports['http-metrics']:
                findings.append(f'{name}: asks port {port}, expected http-metrics')
        elif 'grpc' in probe and name == 'readinessProbe':
            if secured:
                findings.append(f'{name}: gRPC, but the kubelet has no TLS and no key')
            if probe['grpc']['port'] != pod.ports['grpc']:
                findings.append(f'{name}: asks port {probe["grpc"]["port"]}, expected {pod.ports["grpc"]}')
        else:
            findings.append(f'{name}: expected httpGet {path}, found {probe}')
    return findings


def lifetime_findings(objects, defaults):
    """`defaults` as help_defaults gives them."""
    pod, findings = Pod(objects), []
    unknown = sorted(set(pod.flags) - set(defaults))
    findings += [f'Deployment: dragomand has no flag --{flag}' for flag in unknown]

    def seconds(flag):
        return int(pod.flags.get(flag) or defaults.get(flag) or 0)

    needed = seconds('lame-duck-seconds') + seconds('drain-seconds') + exit_grace_seconds()
    grace = pod.spec['terminationGracePeriodSeconds']
    if grace < needed + 5:
        findings.append(f'terminationGracePeriodSeconds: found {grace}, expected {needed + 5} or more: '
                        f'lame duck {seconds("lame-duck-seconds")} + drain {seconds("drain-seconds")} + '
                        f'{exit_grace_seconds()} after which dragomand ends itself + 5')
    if seconds('lame-duck-seconds') < 1:
        findings.append('--lame-duck-seconds: 0 loses the calls that balancers still send')
    return findings


def scaling_findings(objects):
    pod, findings = Pod(objects), []
    scalers = of_kind(objects, 'HorizontalPodAutoscaler') + of_kind(objects, 'ScaledObject')
    if len(scalers) > 1:
        findings.append('two autoscalers for one Deployment')
    for scaler in scalers:
        if scaler['spec']['scaleTargetRef']['name'] != pod.deployment['metadata']['name']:
            findings.append(f'{scaler["kind"]}: scales {scaler["spec"]["scaleTargetRef"]["name"]}, which is not there')
    if bool(scalers) == ('replicas' in pod.deployment['spec']):
        findings.append('Deployment: replicas has to be there without an autoscaler, and only then')
    for scaler in of_kind(objects, 'ScaledObject'):
        for trigger in scaler['spec']['triggers']:
            # The only one that fallback works with.
            if trigger.get('metricType') != 'AverageValue':
                findings.append(f'ScaledObject {trigger.get("name")}: metricType {trigger.get("metricType")}')
            own = trigger.get('authenticationRef', {'kind': 'none'})
            made = [one['metadata']['name'] for one in of_kind(objects, 'TriggerAuthentication')]
            if made and own.get('name') not in made:
                findings.append(f'ScaledObject {trigger["name"]}: authenticationRef {own}, expected {made}')
    rolling = pod.deployment['spec']['strategy']['rollingUpdate']
    if rolling['maxSurge'] == 0 and 'device' in pod.flags and pod.flags['device'] == 'cpu':
        findings.append('Deployment: maxSurge 0, but a pod without a GPU can always have a second one beside it')
    return findings


def security_findings(objects):
    """Of the chart's own containers; those that the values add are the operator's."""
    pod, findings = Pod(objects), []
    expected = {'runAsNonRoot': True, 'seccompProfile': {'type': 'RuntimeDefault'},
                'fsGroupChangePolicy': 'OnRootMismatch'}
    specs = [pod.spec] + [job['spec']['template']['spec'] for job in of_kind(objects, 'Job')]
    for spec in specs:
        context = spec['securityContext']
        for name, value in expected.items():
            if context.get(name) != value:
                findings.append(f'securityContext.{name}: found {context.get(name)}, expected {value}')
        # All of one, or all of OpenShift's choice.
        ids = [context.get(name) for name in ('runAsUser', 'runAsGroup', 'fsGroup')]
        if ids not in ([65532] * 3, [None] * 3):
            findings.append(f'securityContext: users and groups {ids}')
        for name in ('automountServiceAccountToken', 'enableServiceLinks'):
            if spec.get(name) is not False:
                findings.append(f'{name}: expected false')
    for container in (one for spec in specs for one in spec['containers'] + spec.get('initContainers', [])
                      if re.fullmatch('dragomand|models|fetch|copy-[0-9]+', one['name'])):
        if container['securityContext'] != {'allowPrivilegeEscalation': False, 'readOnlyRootFilesystem': True,
                                            'capabilities': {'drop': ['ALL']}}:
            findings.append(f'{container["name"]}: securityContext {container["securityContext"]}')
    limits, requests = (pod.container['resources'][name] for name in ('limits', 'requests'))
    if limits.get('memory') != requests.get('memory'):
        findings.append(f'memory: request {requests.get("memory")}, limit {limits.get("memory")}, expected the same')
    if 'cpu' in limits and limits['cpu'] != requests['cpu']:
        findings.append(f'cpu: request {requests["cpu"]}, limit {limits["cpu"]}, expected the same or no limit')
    if '--device=' not in ' '.join(pod.container['args']):
        findings.append('--device: expected one')
    gpus = sum(count for name, count in limits.items() if name.startswith('nvidia.com/'))
    asked = pod.flags['device'].count('cuda:')
    if gpus != asked:
        findings.append(f'--device={pod.flags["device"]}, but {gpus} GPUs are requested')
    return findings


def volume_findings(objects):
    pod, findings = Pod(objects), []
    volumes = {volume['name'] for volume in pod.spec.get('volumes', [])}
    mounts = pod.container.get('volumeMounts', [])
    beside = pod.spec.get('initContainers', []) + pod.spec['containers']
    for mount in [mount for container in beside for mount in container.get('volumeMounts', [])]:
        if mount['name'] not in volumes:
            findings.append(f'volumeMounts: no volume {mount["name"]}, found {sorted(volumes)}')
    for job in of_kind(objects, 'Job'):
        spec = job['spec']['template']['spec']
        missing = ({mount['name'] for container in spec['containers'] for mount in container['volumeMounts']} -
                   {volume['name'] for volume in spec['volumes']})
        if missing:
            findings.append(f'Job: no volumes {sorted(missing)}')
    for mount in mounts:
        if not mount.get('readOnly') and mount['mountPath'] != '/scratch':
            findings.append(f'volumeMounts: {mount["name"]} is not read-only')
    for claim in of_kind(objects, 'PersistentVolumeClaim'):
        used = [volume['persistentVolumeClaim']['claimName'] for volume in pod.spec['volumes']
                if 'persistentVolumeClaim' in volume]
        if claim['metadata']['name'] not in used:
            findings.append(f'PersistentVolumeClaim {claim["metadata"]["name"]} is not used, found {used}')
    # Of files that a container's name for them leads to, one each.
    if len({mount['mountPath'] for mount in mounts}) != len(mounts):
        findings.append(f'volumeMounts: {mounts}, expected each path once')
    # /models and /etc/dragoman/dragomand.json are the image's own.
    paths = [model.split('=', 1)[1] for model in pod.models]
    paths += [value for name, value in pod.flags.items() if name != 'model' and value.startswith('/')]
    places = [mount['mountPath'] + '/' for mount in mounts] + ['/models/']
    for path in paths:
        if not any((path + '/').startswith(place) for place in places):
            findings.append(f'Deployment: {path} is in no volume and not in the image; mounted: {places}')
    return findings


# --- metrics -----------------------------------------------------------------------------------------

def panel_queries(dashboard):
    """[(panel, expression)] of a dashboard's JSON."""
    return [(panel['title'], target['expr']) for panel in dashboard['panels'] for target in panel.get('targets', [])]


# Of a ScaledObject; others come from the values and ask for what dragomand does not have.
OWN_TRIGGERS = ('queue-tokens', 'occupancy', 'oldest-age')


def expressions(objects):
    """Every expression in the objects: [(where, expression)]."""
    found = []
    for rule in of_kind(objects, 'PrometheusRule'):
        found += [(one.get('alert') or one['record'], one['expr'])
                  for group in rule['spec']['groups'] for one in group['rules']]
    for scaled in of_kind(objects, 'ScaledObject'):
        found += [(f'ScaledObject {trigger["name"]}', trigger['metadata']['query'])
                  for trigger in scaled['spec']['triggers'] if trigger['name'] in OWN_TRIGGERS]
    for scaler in of_kind(objects, 'HorizontalPodAutoscaler'):
        found += [('HorizontalPodAutoscaler', metric['pods']['metric']['name']) for metric in scaler['spec']['metrics']]
    for config in of_kind(objects, 'ConfigMap'):
        for text in (text for name, text in config['data'].items() if name == 'dragoman.json'):
            found += [(f'dashboard, {title}', expression) for title, expression in panel_queries(json.loads(text))]
    return found


def metric_findings(objects, series):
    """`series` as promql.scraped gives them."""
    recorded = {one['record'] for rule in of_kind(objects, 'PrometheusRule')
                for group in rule['spec']['groups'] for one in group['rules'] if 'record' in one}
    findings = [f'{where}: {finding}' for where, expression in expressions(objects)
                for finding in promql.unknown(expression, series, recorded)]
    # The job is the name of the Service that is scraped, or the name of the PodMonitor with its namespace.
    services = {service['metadata']['name'] for service in of_kind(objects, 'Service')
                if 'http-metrics' in [port['name'] for port in service['spec']['ports']]}
    monitors = {f'{NAMESPACE}/{monitor["metadata"]["name"]}' for monitor in of_kind(objects, 'PodMonitor')}
    services = monitors or services
    for where, expression in expressions(of_kind(objects, 'ScaledObject')):
        for metric, matchers in promql.selectors(expression):
            target = {label: value for label, _, value in matchers}
            if target.get('namespace') != NAMESPACE or target.get('job') not in services:
                findings.append(f'{where}: {metric} of namespace {target.get("namespace")}, job {target.get("job")}, '
                                f'expected {NAMESPACE} and one of {sorted(services)}')
    return findings


def findings(objects, version, defaults, series):
    """All of the above. `defaults` and `series` may be None where there is no daemon to ask."""
    found = schema_findings(objects, version)
    if found:
        return found  # the others count on the form
    for check in (selector_findings, route_findings, port_findings, probe_findings, scaling_findings, security_findings,
                  volume_findings):
        found += check(objects)
    if defaults is not None:
        found += lifetime_findings(objects, defaults)
    if series is not None:
        found += metric_findings(objects, series)
    return found
