"""Completion scripts for bash, zsh and fish of a program that describes its flags."""
import re


class Value:
    """What may follow a flag, by what its help calls the value: 'FILE', 'off|on', 'auto|off|FILE', 'DIR|NAME=DIR'."""

    def __init__(self, text):
        parts = re.sub(r'[][]', '', text).split('|')
        self.is_switch = text == ''
        self.words = [part for part in parts if re.fullmatch(r'[a-z][a-z0-9_-]*', part)]
        self.files = 'FILE' in parts or 'PATH' in parts
        self.folders = 'DIR' in parts


def commands_of(program):
    """The commands; a program without any is one whose name is ''."""
    return program.get('commands') or [{'name': '', 'summary': '', 'words': [], 'flags': program['flags']}]


def takes_files(command):
    return '[FILE' in command.get('usage', '')


def names_of(flag):
    return [flag['name']] + ([flag['alias']] if flag.get('alias') else [])


def first_sentence(text):
    """Enough for a line beside a completion."""
    return re.split(r'(?<=\w)[.;](?:\s|$)|\n', text)[0][:100]


def bash_values(value):
    done = []
    if value.words:
        done.append(f"COMPREPLY=($(compgen -W '{' '.join(value.words)}' -- \"$cur\"))")
    if value.files or value.folders:
        kind = 'f' if value.files else 'd'
        done.append(f'mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -{kind} -- "$cur")')
        done.append('compopt -o filenames 2>/dev/null')
    return done


def bash(program):
    name = program['program']
    commands = commands_of(program)
    with_commands = commands[0]['name'] != ''
    out = [f'# bash completion for {name}. Made by deploy/package/cli_files.py.', f'_{name}()', '{',
           '  local cur=${COMP_WORDS[COMP_CWORD]} flag="" command="" i', '  COMPREPLY=()',
           "  # bash cuts --flag=value into three words.",
           '  if [[ $cur == = ]]; then', '    cur=', '    flag=${COMP_WORDS[COMP_CWORD - 1]}',
           '  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then', '    flag=${COMP_WORDS[COMP_CWORD - 2]}',
           '  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == --* ]]; then', '    flag=${COMP_WORDS[COMP_CWORD - 1]}', '  fi']
    if with_commands:
        names = ' '.join([command['name'] for command in commands] + ['help'])
        out += ['  for ((i = 1; i < COMP_CWORD; i++)); do', '    if [[ ${COMP_WORDS[i]} != -* ]]; then',
                '      command=${COMP_WORDS[i]}', '      break', '    fi', '  done',
                '  if [[ -z $command ]]; then',
                f"    COMPREPLY=($(compgen -W '{names} --version' -- \"$cur\"))", '    return', '  fi',
                '  if [[ $command == help ]]; then',
                f"    COMPREPLY=($(compgen -W '{names} --json' -- \"$cur\"))", '    return', '  fi']
    out.append('  case $command in')
    for command in commands:
        out += [f"    {command['name'] or '*'})", '      case $flag in']
        for flag in command['flags']:
            value = Value(flag['value'])
            if value.is_switch:
                continue
            labels = '|'.join(f'--{label}' for label in names_of(flag))
            out.append(f'        {labels})')
            out += [f'          {line}' for line in bash_values(value)]
            out += ['          return', '          ;;']
        out += ['      esac', '      if [[ $cur == -* ]]; then']
        flags = ' '.join(f'--{label}' for flag in command['flags'] for label in names_of(flag))
        out.append(f"        COMPREPLY=($(compgen -W '{flags} --help' -- \"$cur\"))")
        if command['words']:
            out += ['      else', f"        COMPREPLY=($(compgen -W '{' '.join(command['words'])}' -- \"$cur\"))"]
        elif takes_files(command):
            out += ['      else', '        mapfile -t COMPREPLY < <(compgen -f -- "$cur")',
                    '        compopt -o filenames 2>/dev/null']
        out += ['      fi', '      ;;']
    return '\n'.join([*out, '  esac', '}', f'complete -F _{name} {name}', ''])


def zsh_quoted(text):
    return re.sub(r'([\\:\[\]])', r'\\\1', text).replace("'", "'\\''")


def zsh_values(value):
    """An action of _arguments."""
    words = f"({' '.join(value.words)})" if value.words else ''
    files = '_files' if value.files else '_files -/' if value.folders else ''
    if words and files:
        return f'_alternative "words\\:word\\:{words}" "files\\:file\\:{files}"'
    return words or files or ' '


def zsh_flag(flag):
    value = Value(flag['value'])
    repeats = '*' if flag['repeats'] else ''
    help_text = zsh_quoted(first_sentence(flag['help']))
    for label in names_of(flag):
        if value.is_switch:
            yield f"    '{repeats}--{label}[{help_text}]'"
        else:
            shown = zsh_quoted(flag['value'])
            yield f"    '{repeats}--{label}=[{help_text}]:{shown}:{zsh_values(value)}'"


def zsh(program):
    name = program['program']
    commands = commands_of(program)
    out = [f'#compdef {name}', '# Made by deploy/package/cli_files.py.']
    if commands[0]['name'] == '':
        return '\n'.join([*out, '_arguments \\', ' \\\n'.join(line for flag in commands[0]['flags']
                                                                 for line in zsh_flag(flag)), ''])
    out += ['local -a commands', 'commands=(']
    out += [f"  '{command['name']}:{zsh_quoted(command['summary'])}'" for command in commands]
    out += ["  'help:print the commands, or the flags of one'", ')', 'if ((CURRENT == 2)); then',
            "  _describe -t commands command commands", "  _arguments '--version[print the version]'", '  return', 'fi',
            'local command=${words[2]}', 'shift words', '((CURRENT--))', 'case $command in']
    for command in commands:
        specs = [line for flag in command['flags'] for line in zsh_flag(flag)]
        specs.append("    '--help[print the flags]'")
        if command['words']:
            specs.append(f"    '1:action:({' '.join(command['words'])})'")
        elif takes_files(command):
            specs.append("    '*:file:_files'")
        out += [f"  {command['name']})", '    _arguments \\', ' \\\n'.join(specs), '    ;;']
    return '\n'.join([*out, '  help)', '    _describe -t commands command commands', '    ;;', 'esac', ''])


def fish_quoted(text):
    return "'" + text.replace('\\', '\\\\').replace("'", "\\'") + "'"


def fish(program):
    name = program['program']
    commands = commands_of(program)
    with_commands = commands[0]['name'] != ''
    out = [f'# fish completion for {name}. Made by deploy/package/cli_files.py.']
    if with_commands:
        out.append(f'complete -c {name} -f -n __fish_use_subcommand -l version -d {fish_quoted("print the version")}')
    for command in commands:
        condition = ''
        if with_commands:
            condition = f" -n '__fish_seen_subcommand_from {command['name']}'"
            out.append(f"complete -c {name} -f -n __fish_use_subcommand -a {command['name']} "
                       f"-d {fish_quoted(command['summary'])}")
            out.append(f"complete -c {name} -f -n '__fish_seen_subcommand_from help' -a {command['name']}")
        for flag in command['flags']:
            value = Value(flag['value'])
            what = '' if value.is_switch else ' -r -F' if value.files else ' -x'
            if value.words:
                what += f" -a {fish_quoted(' '.join(value.words))}"
            elif value.folders and not value.files:
                what += " -a '(__fish_complete_directories)'"
            for label in names_of(flag):
                out.append(f'complete -c {name}{condition} -l {label}{what} -d {fish_quoted(first_sentence(flag["help"]))}')
        if command['words']:
            out.append(f"complete -c {name} -f{condition} -a {fish_quoted(' '.join(command['words']))}")
        elif not takes_files(command):
            out.append(f'complete -c {name} -f{condition}')
    return '\n'.join([*out, ''])


def of(program):
    """{path below /usr/share: bytes}."""
    name = program['program']
    return {f'bash-completion/completions/{name}': bash(program).encode(),
            f'zsh/vendor-completions/_{name}': zsh(program).encode(),
            f'fish/vendor_completions.d/{name}.fish': fish(program).encode()}
