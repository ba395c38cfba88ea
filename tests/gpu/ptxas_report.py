#!/usr/bin/env python3
"""Reads what ptxas said of the kernels (OBJECT.ptxas, beside every CUDA object) against their budgets.

    ptxas_report.py BUDGETS REPORT...

BUDGETS is a JSON object: kernel -> {"registers": {architecture: most}, "spill": bytes, "stack": bytes},
spill and stack 0 where they are not named. A kernel has the name it has in its file; what holds, holds
for all its instantiations. A register budget is the figure of the worst one, rounded up to the 8
that registers are given out by.

Prints a line for every kernel and architecture, and one beginning with FAIL for everything that is
wrong: more registers, spills or stack than the budget; a message C75xx (products that are serialised,
setmaxnreg that is ignored); a kernel with a budget that was not compiled for an architecture that the
build has. Kernels without a budget are listed. Exit status 1 when something failed.
"""
import json
import re
import sys

ENTRY = re.compile(r"Compiling entry function '(\w+)' for 'sm_(\w+)'")
BYTES = re.compile(r'(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads')
USED = re.compile(r'Used (\d+) registers')
CUMULATIVE = re.compile(r'(\d+) bytes cumulative stack size')
MESSAGE = re.compile(r'\((C75\d\d)\)\s*(.*)')
SYMBOL = re.compile(r"'(_Z\w+)'|\b(_Z\w+)")


def kernel_name(symbol):
    """The name of a mangled function without namespaces, template arguments and parameters."""
    match = re.match(r'_ZN?K?', symbol)
    at = match.end() if match else 0
    name = symbol
    while (length := re.match(r'\d+', symbol[at:])) is not None:
        start = at + length.end()
        at = start + int(length.group())
        name = symbol[start:at]
    return name


class Figures:
    """The worst of a kernel's instantiations on one architecture."""

    def __init__(self):
        self.instances = self.registers = self.spill = self.stack = 0


def read(lines, kernels, messages):
    """Adds a report's figures to kernels[name, architecture], its C75xx messages to `messages`."""
    now = None
    for line in lines:
        if entry := ENTRY.search(line):
            now = kernels.setdefault((kernel_name(entry[1]), entry[2]), Figures())
            now.instances += 1
        elif message := MESSAGE.search(line):
            symbol = SYMBOL.search(message[2])
            messages.append((message[1], kernel_name(symbol[1] or symbol[2]) if symbol else '?',
                             message[2]))
        elif now is not None:
            if found := BYTES.search(line):
                now.stack = max(now.stack, int(found[1]))
                now.spill = max(now.spill, int(found[2]), int(found[3]))
            if found := USED.search(line):
                now.registers = max(now.registers, int(found[1]))
            if found := CUMULATIVE.search(line):
                now.stack = max(now.stack, int(found[1]))


def check(budgets, kernels, messages):
    """What is wrong, in words."""
    wrong = [f'{kernel}: {code} {text}' for code, kernel, text in messages]
    architectures = {architecture for _, architecture in kernels}
    if not kernels:
        wrong.append('the reports name no kernel at all')
    for name, budget in sorted(budgets.items()):
        for architecture, most in sorted(budget['registers'].items()):
            figures = kernels.get((name, architecture))
            if figures is None:
                if architecture in architectures:
                    wrong.append(f'{name}: not compiled for sm_{architecture}')
                continue
            for what, found, limit in (('registers', figures.registers, most),
                                       ('bytes of spills', figures.spill, budget.get('spill', 0)),
                                       ('bytes of stack', figures.stack, budget.get('stack', 0))):
                if found > limit:
                    wrong.append(f'{name} on sm_{architecture}: {found} {what}, budget {limit}')
    for name, architecture in sorted(kernels):
        if name in budgets and architecture not in budgets[name]['registers']:
            wrong.append(f'{name}: no budget for sm_{architecture}')
    return wrong


def main(arguments):
    if len(arguments) < 2:
        print(__doc__)
        return 2
    with open(arguments[0], encoding='utf8') as file:
        budgets = json.load(file)
    kernels, messages, wrong = {}, [], []
    for report in arguments[1:]:
        try:
            with open(report, encoding='utf8') as file:
                read(file, kernels, messages)
        except FileNotFoundError:
            wrong.append(f'{report}: not there; is everything built?')
    for (name, architecture), f in sorted(kernels.items()):
        note = '' if name in budgets else '   no budget'
        print(f'{name:32} sm_{architecture:4} {f.registers:3} registers {f.spill:4} spill '
              f'{f.stack:4} stack   {f.instances} instances{note}')
    wrong += check(budgets, kernels, messages)
    for line in wrong:
        print('FAIL', line)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
