#!/usr/bin/env python3
"""Fails for a form of an instruction that the kernels' PTX has and no case of the ISA tests names.

    forms_test.py OBJECT... -- PROGRAM...      objects of the kernels, with their PTX as text

A form is a mnemonic with all of its qualifiers, or a special register. The cases are those that each PROGRAM lists.
"""
import pathlib
import re
import subprocess
import sys

MODULE = re.compile(rb'\.version \d+\.\d+\s+\.target (\w+)[^\0]*')
# A guard, and the mnemonic with its qualifiers; what follows is its operands.
INSTRUCTION = re.compile(r'(?:@!?\S+\s+)?([a-z][a-z0-9_]*(?:(?:\.|::)[A-Za-z0-9_]+)*)(?=\s|$)')
DECLARED = re.compile(r'\.reg\s+\.\w+\s+([^;]+)')
REGISTER = re.compile(r'%[A-Za-z_]+[A-Za-z0-9_]*(?:\.[xyzw])?')
CASE = re.compile(r'# GetParam\(\) = (\S+)$', re.MULTILINE)


def forms_of(text):
    """The forms of a module, and for each a statement that has it."""
    found = {}
    text = re.sub(r'//[^\n]*|/\*.*?\*/', '', text, flags=re.DOTALL)
    bodies = text[text.find('{'):]
    declared = set()
    for names in DECLARED.findall(bodies):
        declared |= {name.strip().split('<')[0] for name in names.split(',')}
    for statement in re.split(r'[;{}]\s|[;{}]$|:\s*\n|\n\s*\n', bodies, flags=re.MULTILINE):
        statement = ' '.join(statement.split())
        instruction = INSTRUCTION.match(statement)
        if instruction is None:
            continue
        found.setdefault(instruction.group(1), statement)
        for register in REGISTER.findall(statement):
            if re.sub(r'\d+$', '', register) not in declared and register not in declared:
                found.setdefault(register, statement)
    return found


def main():
    end = sys.argv.index('--')
    objects, programs = [pathlib.Path(name) for name in sys.argv[1:end]], sys.argv[end + 1:]
    used = {}
    modules = set()
    for path in objects:
        if not path.is_file():
            sys.exit(f'forms: no {path}; build the target ptx_programs')
        for module in MODULE.finditer(path.read_bytes()):
            arch = module.group(1).decode()
            modules.add((path.name, arch))
            for form, statement in forms_of(module.group().decode()).items():
                used.setdefault(form, f'{path.name}, {arch}: {statement[:120]}')
    if not used:
        sys.exit('forms: no PTX in the objects, expected that of the kernels')
    tested = set()
    for program in programs:
        listed = subprocess.run([program, '--gtest_list_tests'], check=True, capture_output=True, text=True).stdout
        cases = set(CASE.findall(listed))
        if not cases:
            sys.exit(f'forms: {program} lists no case of a form')
        tested |= cases
    missing = sorted(set(used) - tested)
    for form in missing:
        print(f'no case of the ISA tests names {form}\n    {used[form]}')
    print(f'{len(modules)} modules have {len(used)} forms; {len(used) - len(missing)} of them have a case')
    sys.exit(1 if missing else 0)


main()
