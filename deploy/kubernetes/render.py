#!/usr/bin/env python3
"""Renders the chart for those without Helm: values/NAME.yaml becomes the folder NAME, one file for each
template of the chart, and a kustomization.yaml.

    deploy/kubernetes/render.py [--helm HELM] [--into FOLDER]

Run it after every change of the chart; tests/deploy compares."""
import argparse
import os
import re
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
CHART = os.path.join(HERE, '..', 'helm', 'dragoman')
NAMESPACE = 'dragoman'
# The oldest that the chart is for: nothing in the manifests may need a newer one.
KUBERNETES = '1.25'
HEADER = '# From the chart in deploy/helm/dragoman, by deploy/kubernetes/render.py: change it there.\n'


def rendered(helm, values):
    """The files that the chart makes of a file of values: {name: text}."""
    text = subprocess.run(
        [helm, 'template', 'dragoman', CHART, '--namespace', NAMESPACE, '--kube-version', KUBERNETES, '--values', values],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    files = {}
    for document in re.split(r'^---\n', text, flags=re.MULTILINE):
        source = re.match(r'# Source: dragoman/templates/(\S+)\n', document)
        if source:
            files.setdefault(source[1], []).append(document[source.end():].strip('\n') + '\n')
    files = {name: HEADER + '---\n'.join(documents) for name, documents in files.items()}
    listed = ''.join(f'  - {name}\n' for name in sorted(files))
    files['kustomization.yaml'] = (
        HEADER + 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n'
        f'namespace: {NAMESPACE}\nresources:\n{listed}')
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--helm', default='helm')
    parser.add_argument('--into', default=HERE)
    arguments = parser.parse_args()
    for file in sorted(os.listdir(os.path.join(HERE, 'values'))):
        folder = os.path.join(arguments.into, os.path.splitext(file)[0])
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for name, text in rendered(arguments.helm, os.path.join(HERE, 'values', file)).items():
            with open(os.path.join(folder, name), 'w', encoding='utf-8') as out:
                out.write(text)


if __name__ == '__main__':
    main()
