"""Checks objects of KServe by the models that KServe generates from its CRDs and ships in its wheel. The wheel is read
and not installed: it needs half of PyPI."""
import ast
import functools
import glob
import os
import re
import zipfile

import kubernetes_validate

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'build', 'deploy-tools')
ROOTS = {('serving.kserve.io/v1alpha1', 'ServingRuntime'): 'V1alpha1ServingRuntime',
         ('serving.kserve.io/v1beta1', 'InferenceService'): 'V1beta1InferenceService'}
# Of a pod: Kubernetes' own schema has them.
POD_FIELDS = ('containers', 'initContainers', 'volumes', 'tolerations', 'affinity', 'nodeSelector', 'securityContext',
              'imagePullSecrets', 'terminationGracePeriodSeconds', 'automountServiceAccountToken')


@functools.lru_cache(None)
def models():
    """{class: {JSON name: type}} of the wheel."""
    wheel, = glob.glob(os.path.join(TOOLS, 'kserve-*.whl'))
    found = {}
    with zipfile.ZipFile(wheel) as file:
        for name in file.namelist():
            if not re.fullmatch(r'kserve/models/v1(alpha1|beta1)_\w+\.py', name):
                continue
            for node in ast.parse(file.read(name)).body:
                if isinstance(node, ast.ClassDef):
                    tables = {target.id: ast.literal_eval(one.value) for one in node.body if isinstance(one, ast.Assign)
                              for target in one.targets if target.id in ('openapi_types', 'attribute_map')}
                    found[node.name] = {json: tables['openapi_types'][attribute]
                                        for attribute, json in tables['attribute_map'].items()}
    return found


def findings(item, version):
    """What is wrong with an object, in words: a list, empty if all is well."""
    root = ROOTS.get((item.get('apiVersion'), item.get('kind')))
    if root is None:
        return [f'found {item.get("apiVersion")} {item.get("kind")}, expected one of {sorted(ROOTS)}']
    found = list(_compare(item, root, item['kind']))
    for path, spec in _pods(item):
        pod = {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'a'}, 'spec': spec}
        try:
            kubernetes_validate.validate(pod, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            found.append(f'{path}: {error.message[:300]}')
    return found


def _pods(item):
    """(where, the part that is a pod's) of an object."""
    spec = item['spec'] if item['kind'] == 'ServingRuntime' else item['spec'].get('predictor', {})
    part = {name: spec[name] for name in POD_FIELDS if name in spec}
    yield f'{item["kind"]}.spec', {'containers': [{'name': 'a', 'image': 'a'}], **part}


def _compare(value, kind, path):
    listed = re.fullmatch(r'list\[(.*)\]', kind)
    if listed:
        if not isinstance(value, list):
            yield f'{path}: found {value!r}, expected a list'
        else:
            for index, one in enumerate(value):
                yield from _compare(one, listed[1], f'{path}[{index}]')
    elif kind in models():
        if not isinstance(value, dict):
            yield f'{path}: found {value!r}, expected an object'
            return
        for name, one in value.items():
            if name in models()[kind]:
                yield from _compare(one, models()[kind][name], f'{path}.{name}')
            else:
                yield f'{path}: no field {name} in {kind}'
    elif kind in ('str', 'int', 'bool', 'float'):
        if type(value).__name__ != kind:
            yield f'{path}: found {value!r}, expected {kind}'
