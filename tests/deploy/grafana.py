"""Dashboards by Grafana's own schema: the models that Grafana generates from it (grafana-foundation-sdk), each panel's
and each query's by its type. There is no Grafana in Debian or in PyPI to show one to."""
import json

from grafana_foundation_sdk.cog import encoder, plugins
from grafana_foundation_sdk.models import dashboard as models

# The models ignore what they do not know, so that it is missing from what they write.
plugins.register_default_plugins()


def unknown_fields(dashboard):
    """Where a dashboard has fields or values that Grafana does not know."""
    known = json.loads(encoder.JSONEncoder().encode(models.Dashboard.from_json(dashboard)))
    return list(_missing(dashboard, known, ''))


def _missing(found, known, path):
    if isinstance(found, dict) and isinstance(known, dict):
        for name, value in found.items():
            if name in known:
                yield from _missing(value, known[name], f'{path}.{name}' if path else name)
            else:
                yield f'{path}: no field {name}'
    elif isinstance(found, list) and isinstance(known, list) and len(found) == len(known):
        for number, pair in enumerate(zip(found, known)):
            yield from _missing(*pair, f'{path}[{number}]')
    elif found != known:
        yield f'{path}: found {found!r}, Grafana reads {known!r}'
