#!/usr/bin/env python3
"""Reads the machine code of the kernels (cuobjdump) and holds it against what they were written to become.

    DRAGOMAN_CUOBJDUMP=... machine_code.py BUDGETS [--figures FILE] [--loads FILE] OBJECT...

BUDGETS is the JSON file of ptxas_report.py; of a kernel it may say as well

    "warps": {architecture: least}   that a multiprocessor holds at once: of the registers, shared memory
                                     and threads of the worst instantiation
    "shared": bytes                  of shared memory that its launcher asks for beside its own
    "code": {architecture: {instruction: count}}
                                     how often each instantiation has an instruction, exactly; or a list
                                     of what that may be, for instantiations that differ
    "loads": {architecture: least}   loads from global memory, of any width, that are in flight when one
                                     of them is waited for, in the mean over the waits of the worst
                                     instantiation (Kernel.waits)
    "waits": {architecture: most}    of those waits in an instantiation
    "wide loads", "wide waits"       the same of loads of 16 bytes alone, which move the bytes: an index
                                     on which all of them depend is a wait of its own, and lowers the
                                     mean of all
    "instantiations": {expression: budget}
                                     these four for the instantiations whose mangled symbol matches the
                                     regular expression: what serves most may not get worse unseen
                                     behind a worse one

In the place of each of the four may stand a reason, in words, why the kernel has no such budget. A kernel
with loads and with neither fails. A load is what fills registers from global memory: LDG, and LD, of which
the compiler does not know whether its address is of global or shared memory. Copies to shared memory
(LDGSTS, UTMALDG) fill none and are waited for where the source says so; "code" counts them. Atomics are
not counted.

Prints a line for every kernel and architecture, and for every expression of "instantiations", and one
beginning with FAIL for everything that is wrong:

  * an access to local memory (LDL, STL), without "spill" in the budget: a spill, or an array that is
    indexed by what the compiler cannot know
  * another number of instructions than "code" says, fewer warps than "warps", fewer loads in flight
    than "loads", more waits than "waits", or an expression that no instantiation matches
  * in a kernel with products of a warpgroup (HGMMA, IGMMA, QGMMA): an instruction at which lanes that went apart meet
    again (BSSY, BSYNC, WARPSYNC), between the wait for the operands (SYNCS ... TRYWAIT) and the last of
    the products; or products without such a wait before them. Then lanes may arrive apart at what all
    of a warpgroup must do together
  * a kernel whose budget says "early" (it is launched while the one before it ends) without a wait for
    that one (ACQBULK) on an architecture from 9.0 on, or with an access to memory before it, but for
    copies to shared memory (LDGSTS) where the budget says "copies"
  * a kernel with a budget that has no code for an architecture that others have code for

Exit status 1 when something is. With --figures, writes {architecture: {symbol: {"registers", "warps"}}} of
every instantiation to FILE, for the table of counted times (count/step_count.cc); with --loads, a table of
loads in flight.
"""
import functools
import json
import math
import os
import re
import subprocess
import sys

from ptxas_report import kernel_name

CODE_FOR = re.compile(r'^\s*code for sm_(\w+)', re.M)
ARCH = re.compile(r'^arch = sm_(\w+)', re.M)
FUNCTION = re.compile(r'^\s*Function : (\S+)')
INSTRUCTION = re.compile(r'^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)([^;]*)')
REGISTER = re.compile(r'\bR(\d+)(\.64)?\b')
USAGE_OF = re.compile(r'^\s*Function (\S+):')
USAGE = re.compile(r'REG:(\d+) .*SHARED:(\d+)')
SECTION = re.compile(r'^\.(\S+)$')
ATTRIBUTE = re.compile(r'^\s*Attribute:\s*EIATTR_(\w+)')
VALUE = re.compile(r'^\s*Value:\s*(0x[0-9a-f]+) (0x[0-9a-f]+) (0x[0-9a-f]+)')

MEMORY = ('LD', 'LDG', 'ST', 'STG', 'ATOM', 'ATOMG', 'RED', 'REDG', 'LDGSTS', 'UTMALDG', 'UBLKCP')
MEETING = ('BSSY', 'BSYNC', 'WARPSYNC')
PRODUCTS = ('HGMMA', 'IGMMA', 'QGMMA')  # of a warpgroup: 16 bits, int8, float8

# Of a multiprocessor: warps, blocks, shared memory in KiB (CUDA C++ Programming Guide, "Compute
# Capabilities"); all have 65,536 registers, which a warp takes by 256, and warps by four.
LIMITS = {
    '75': (32, 16, 64),
    '80': (64, 32, 164),
    '86': (48, 16, 100),
    '89': (48, 24, 100),
    '90': (64, 32, 228),
    '100': (64, 32, 228),
    '120': (48, 24, 100),
}
REGISTERS = 65536


class Kernel:
    """An instantiation on one architecture."""

    def __init__(self):
        self.instructions = []
        self.operands = []  # of each
        self.registers = self.shared = 0
        self.threads = None  # of a block at most; None: not bounded

    def count(self, name):
        return sum(1 for i in self.instructions if i.split('.')[0] == name)

    @functools.cached_property
    def waits(self):
        """Loads at each wait: one is waited for where the listing first names a register of its result, and
        by then those before it have come as well. Branches are not followed; what lies in the listing
        after the end is mostly a copy for lanes that went apart."""
        return self._waits(1)

    @functools.cached_property
    def wide_waits(self):
        """The same of loads of 16 bytes."""
        return self._waits(4)

    def _waits(self, least_registers):
        waits, pending, count = [], set(), 0
        for name, operands in zip(self.instructions, self.operands):
            registers = registers_loaded(name)
            loads = registers >= least_registers
            if not pending and not loads:
                continue
            named = set()
            for number, is_pair in REGISTER.findall(operands):
                number = int(number)
                named.add(number)
                if is_pair:
                    named.add(number + 1)
            result = ()
            if loads and (first := REGISTER.search(operands)):
                result = range(int(first[1]), int(first[1]) + registers)
                named.update(result)
            if not pending.isdisjoint(named):
                waits.append(count)
                pending, count = set(), 0
            pending.update(result)
            count += bool(result)
        return waits + [count] if count else waits


@functools.cache
def registers_loaded(instruction):
    """The registers that a load from global memory fills; 0 for another instruction."""
    name, *kinds = instruction.split('.')
    if name not in ('LDG', 'LD'):
        return 0
    return 4 if '128' in kinds else 2 if '64' in kinds else 1


def mean_in_flight(waits):
    """The mean of a kernel's waits, to a tenth; None where nothing is loaded so."""
    return math.floor(10 * sum(waits) / len(waits)) / 10 if waits else None


def number_of(architecture):
    return re.match(r'\d+', architecture)[0]


def read_code(text, kernels):
    """Adds the instructions of 'cuobjdump -sass' to kernels[symbol, architecture]."""
    architecture = kernel = None
    for line in text.splitlines():
        if found := CODE_FOR.match(line):
            architecture = found[1]
        elif found := FUNCTION.match(line):
            kernel = kernels.setdefault((found[1], architecture), Kernel())
        elif kernel is not None and (found := INSTRUCTION.match(line)):
            kernel.instructions.append(found[1])
            kernel.operands.append(found[2])


def read_usage(text, kernels):
    """Adds the figures of 'cuobjdump --dump-resource-usage'."""
    architecture = kernel = None
    for line in text.splitlines():
        if found := ARCH.match(line):
            architecture = found[1]
        elif found := USAGE_OF.match(line):
            kernel = kernels.get((found[1], architecture))
        elif kernel is not None and (found := USAGE.search(line)):
            kernel.registers, kernel.shared = int(found[1]), int(found[2])
            kernel = None


def read_bounds(text, kernels):
    """Adds the launch bounds that 'cuobjdump -elf' shows."""
    architecture = kernel = attribute = None
    for line in text.splitlines():
        if found := ARCH.match(line):
            architecture = found[1]
        elif found := SECTION.match(line):
            name = found[1]
            kernel = kernels.get((name.removeprefix('nv.info.'), architecture)) \
                if name.startswith('nv.info.') else None
        elif found := ATTRIBUTE.match(line):
            attribute = found[1]
        elif kernel is not None and attribute == 'MAX_THREADS' and (found := VALUE.match(line)):
            kernel.threads = math.prod(int(found[i], 16) for i in (1, 2, 3))


def warps(kernel, architecture, more_shared=0):
    """Warps of blocks as large as the kernel may have that a multiprocessor holds at once; 0 where a
    block does not fit, None where nothing is known of the architecture or the blocks."""
    limits = LIMITS.get(number_of(architecture))
    if limits is None or kernel.threads is None:
        return None
    most_warps, most_blocks, shared_kib = limits
    of_block = -(-kernel.threads // 32)
    of_warp = -(-kernel.registers * 32 // 256) * 256
    blocks = min(most_blocks, most_warps // of_block)
    if of_warp > 0:
        blocks = min(blocks, REGISTERS // of_warp // 4 * 4 // of_block)
    # From 8.0 on each block takes a KiB more, which is in the figure from 9.0 on.
    shared = kernel.shared + more_shared + (1024 if 80 <= int(number_of(architecture)) < 90 else 0)
    if shared > 0:
        blocks = min(blocks, shared_kib * 1024 // shared)
    return blocks * of_block


def products_apart(instructions):
    """What is wrong around the products of a warpgroup; nothing where there are none."""
    names = [i.split('.')[0] for i in instructions]
    at = [i for i, name in enumerate(names) if name in PRODUCTS]
    wrong = []
    first = None  # of products that wait for the same operands
    for place in at:
        if first is not None and not any(is_wait(i) for i in instructions[first:place]):
            begin = first
        else:
            waits = [i for i in range(place) if is_wait(instructions[i])]
            if not waits:
                wrong.append('products without a wait before them')
                break
            begin, first = waits[-1], place
        between = [name for name in names[begin:place] if name in MEETING]
        if between:
            wrong.append(f'{between[0]} between a wait and the products')
            break
    return wrong


def is_wait(instruction):
    return instruction.startswith('SYNCS') and 'TRYWAIT' in instruction


def reads_early(instructions, copies):
    """What is wrong in a kernel that may begin before the one before it has ended; '' if nothing. With
    `copies` it may bring weights to shared memory meanwhile."""
    for instruction in instructions:
        name = instruction.split('.')[0]
        if name == 'ACQBULK':
            return ''
        if name in MEMORY and not (copies and name == 'LDGSTS'):
            return f'{name} before the wait for the kernel before'
    return 'no wait for the kernel before'


def loads_in_turn(budget, kernel, architecture):
    """What is wrong with a kernel's loads in flight."""
    for kind, waits in (('', kernel.waits), ('wide ', kernel.wide_waits)):
        if not waits:
            continue
        for key, found, is_least in ((f'{kind}loads', mean_in_flight(waits), True),
                                     (f'{kind}waits', len(waits), False)):
            limits = budget.get(key, {})
            if isinstance(limits, str):  # the reason why there is none
                continue
            limit = limits.get(architecture)
            if limit is None:
                yield f'no budget of {key}; found {found}'
            elif found < limit if is_least else found > limit:
                yield f'{found} {key}{" in flight" if is_least else " for loads"}, budget {limit}'


def check(budgets, kernels):
    """What is wrong, in words."""
    wrong = [] if kernels else ['the objects have no kernel at all']
    architectures = {architecture for _, architecture in kernels}
    for (symbol, architecture), kernel in sorted(kernels.items()):
        name = kernel_name(symbol)
        budget = budgets.get(name, {})
        where = f'{name} on sm_{architecture}'
        local = kernel.count('LDL') + kernel.count('STL')
        if local and not budget.get('spill', 0):
            wrong.append(f'{where}: {local} accesses to local memory')
        wrong += [f'{where}: {what}' for what in products_apart(kernel.instructions)]
        if budget.get('early') and int(number_of(architecture)) >= 90:
            early = reads_early(kernel.instructions, budget['early'] == 'copies')
            wrong += [f'{where}: {early}'] if early else []
        for instruction, counts in budget.get('code', {}).get(architecture, {}).items():
            found = kernel.count(instruction)
            counts = counts if isinstance(counts, list) else [counts]
            if found not in counts:
                wrong.append(f'{where}: {found} {instruction}, expected {" or ".join(map(str, counts))}')
        least = budget.get('warps', {}).get(architecture)
        found = warps(kernel, architecture, budget.get('shared', 0))
        if name in budgets and least is None:
            wrong.append(f'{where}: no budget of warps; found {found}')
        elif least is not None and (found is None or found < least):
            wrong.append(f'{where}: {found} warps on a multiprocessor, budget {least}')
        wrong += [f'{where}: {what}' for what in loads_in_turn(budget, kernel, architecture)]
        for expression, own in budget.get('instantiations', {}).items():
            if re.search(expression, symbol):
                wrong += [f'{where}, {expression}: {what}'
                          for what in loads_in_turn(own, kernel, architecture)]
    groups = by_name(kernels)
    for name, budget in sorted(budgets.items()):
        for architecture in sorted(architectures & set(budget.get('warps', {}))):
            if (name, architecture) not in groups:
                wrong.append(f'{name}: no code for sm_{architecture}')
        for expression, group, architecture in instantiations(name, budget, groups):
            if not group:
                wrong.append(f'{name} on sm_{architecture}: no instantiation matches {expression}')
    return sorted(set(wrong))


def by_name(kernels):
    """{(name, architecture): {symbol: kernel}}"""
    groups = {}
    for (symbol, architecture), kernel in sorted(kernels.items()):
        groups.setdefault((kernel_name(symbol), architecture), {})[symbol] = kernel
    return groups


def instantiations(name, budget, groups):
    """(expression, its kernels, architecture) of each expression and architecture of a budget."""
    for expression in budget.get('instantiations', {}):
        for (of, architecture), group in groups.items():
            if of == name:
                yield expression, [group[s] for s in group if re.search(expression, s)], architecture


def loads_of(group):
    """(mean, waits) of all loads and of those of 16 bytes, each the worst of a group's; the mean is None where
    nothing is loaded so."""
    for all_waits in ([k.waits for k in group], [k.wide_waits for k in group]):
        means = [mean for waits in all_waits if (mean := mean_in_flight(waits)) is not None]
        yield min(means, default=None), max(map(len, all_waits), default=0)


def table(budgets, kernels):
    """A line for each kernel and architecture, the worst of its instantiations, and for each expression."""
    groups = by_name(kernels)
    for (name, architecture), of_symbol in sorted(groups.items()):
        group = list(of_symbol.values())
        budget = budgets.get(name, {})
        more = budget.get('shared', 0)
        found = [warps(kernel, architecture, more) for kernel in group]
        least = '-' if None in found else min(found)
        threads = '-' if group[0].threads is None else group[0].threads
        yield (f'{name:32} sm_{architecture:4} {max(k.registers for k in group):3} registers '
               f'{max(k.shared for k in group) + more:6} shared {threads:>4} threads {least:>2} warps '
               f'{words(loads_of(group))} {max(len(k.instructions) for k in group):6} instructions')
    for name, budget in sorted(budgets.items()):
        for expression, group, architecture in instantiations(name, budget, groups):
            yield f'{name:32} sm_{architecture:4} {words(loads_of(group))} {expression}'


def words(loads):
    return ' '.join(f'{"-" if mean is None else mean:>4} {kind}loads {waits:4} {kind}waits'
                    for kind, (mean, waits) in zip(('', 'wide '), loads))


def loads_table(budgets, kernels):
    """Loads in flight / waits of each kernel and each expression, an architecture a column."""
    groups = by_name(kernels)
    architectures = sorted({architecture for _, architecture in kernels}, key=lambda a: int(number_of(a)))
    rows = {}
    for (name, architecture), group in groups.items():
        rows.setdefault((name, ''), {})[architecture] = list(loads_of(group.values()))
    for name, budget in budgets.items():
        for expression, group, architecture in instantiations(name, budget, groups):
            rows.setdefault((name, expression), {})[architecture] = list(loads_of(group))
    for which, title in enumerate(('loads of any width', 'loads of 16 bytes')):
        yield f'{title:38}' + ''.join(f'{"sm_" + a:>10}' for a in architectures)
        for (name, expression), row in sorted(rows.items()):
            cells = [row[a][which] if a in row else (None, 0) for a in architectures]
            if any(waits for _, waits in cells):
                yield f'{"  " + expression if expression else name:38}' + ''.join(
                    f'{f"{mean}/{waits}" if waits else "-":>10}' for mean, waits in cells)
        yield ''


def figures(budgets, kernels):
    """Registers and warps of each instantiation, by architecture and symbol."""
    all_of = {}
    for (symbol, architecture), kernel in sorted(kernels.items()):
        more = budgets.get(kernel_name(symbol), {}).get('shared', 0)
        all_of.setdefault(architecture, {})[symbol] = {
            'registers': kernel.registers, 'warps': warps(kernel, architecture, more) or 0}
    return all_of


def dump(tool, option, path):
    result = subprocess.run([tool, option, path], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f'FAIL {tool} {option} {path}: {result.stderr.strip() or result.stdout.strip()}')
    return result.stdout


def main(arguments):
    tool = os.environ.get('DRAGOMAN_CUOBJDUMP')
    if len(arguments) < 2 or not tool:
        print(__doc__)
        return 2
    with open(arguments[0], encoding='utf8') as file:
        budgets = json.load(file)
    objects = arguments[1:]
    wanted = {}
    while objects and objects[0] in ('--figures', '--loads'):
        wanted[objects[0]], objects = objects[1], objects[2:]
    kernels = {}
    for path in objects:
        read_code(dump(tool, '-sass', path), kernels)
        read_usage(dump(tool, '--dump-resource-usage', path), kernels)
        read_bounds(dump(tool, '-elf', path), kernels)
    for line in table(budgets, kernels):
        print(line)
    if path := wanted.get('--figures'):
        with open(path, 'w', encoding='utf8') as file:
            json.dump(figures(budgets, kernels), file, indent=1)
    if path := wanted.get('--loads'):
        with open(path, 'w', encoding='utf8') as file:
            file.writelines(line + '\n' for line in loads_table(budgets, kernels))
    wrong = check(budgets, kernels)
    for line in wrong:
        print('FAIL', line)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
