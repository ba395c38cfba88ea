"""The schemas of kinds that are not Kubernetes' own, made strict: a field that a CRD does not have is an error, as the
API server would drop it. They are those of cloudcoil's models, which are generated from the projects' own CRDs.

Nobody in Debian or PyPI has the Gateway API's: schemas/ has the part of it that the chart uses."""
import functools
import importlib
import json
import os

MODULES = {
    'keda.v1alpha1': ('keda.sh/v1alpha1', ('ScaledObject', 'TriggerAuthentication', 'ClusterTriggerAuthentication')),
    'prometheus_operator.v1': ('monitoring.coreos.com/v1', ('ServiceMonitor', 'PodMonitor', 'PrometheusRule')),
}


def strict(node):
    """No object takes fields that it does not list, and no field is null."""
    if isinstance(node, list):
        return [strict(one) for one in node]
    if not isinstance(node, dict):
        return node
    if [one.get('type') for one in node.get('anyOf', [])][1:] == ['null']:
        return strict(node['anyOf'][0])
    made = {name: strict(value) for name, value in node.items()
            if name not in ('default', 'title', 'description') or not isinstance(value, (str, type(None)))}
    if 'properties' in node:
        made['additionalProperties'] = False
    return made


@functools.lru_cache(None)
def schemas():
    """{kind: schema}."""
    found = {}
    for module, (version, kinds) in MODULES.items():
        models = importlib.import_module('cloudcoil.models.' + module)
        for kind in kinds:
            schema = strict(getattr(models, kind).model_json_schema(by_alias=True))
            schema['properties'].update(apiVersion={'const': version}, kind={'const': kind}, metadata={'type': 'object'})
            schema['properties'].pop('status', None)
            found[kind] = schema
    return found
