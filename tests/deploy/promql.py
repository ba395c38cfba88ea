"""Which series a PromQL expression reads, and which a scrape holds: enough of both languages to compare them."""
import re

TOKEN = re.compile(r'''\s*(?:(?P<string>"(?:[^"\\]|\\.)*")|(?P<word>[a-zA-Z_:][a-zA-Z0-9_:]*)
                       |(?P<number>[0-9.]+[a-z]*)|(?P<other>=~|!~|!=|==|<=|>=|.))''', re.VERBOSE | re.DOTALL)
OPERATORS = {'and', 'or', 'unless', 'bool', 'offset'}
# Followed by names of labels in parentheses.
GROUPINGS = {'by', 'without', 'on', 'ignoring', 'group_left', 'group_right'}
# Labels that Prometheus adds to what it scrapes, or that histograms and rules have by themselves.
TARGET_LABELS = {'namespace', 'job', 'instance', 'pod', 'service', 'le'}


def selectors(expression):
    """Of an expression: [(metric, [(label, operator, value)])], in order."""
    tokens = [(kind, match[kind]) for match in TOKEN.finditer(expression) for kind in [match.lastgroup] if kind]
    found = []
    index = 0

    def skip(opening, closing):
        nonlocal index
        depth = 0
        while index < len(tokens):
            depth += (tokens[index][1] == opening) - (tokens[index][1] == closing)
            index += 1
            if depth == 0:
                return

    while index < len(tokens):
        kind, text = tokens[index]
        following = tokens[index + 1][1] if index + 1 < len(tokens) else ''
        if text == '[':
            skip('[', ']')
            continue
        index += 1
        if kind != 'word' or text in OPERATORS:
            continue
        if text in GROUPINGS:
            if following == '(':
                skip('(', ')')
            continue
        if following == '(' or following in GROUPINGS:
            continue  # a function, or an aggregation whose grouping comes first
        matchers = []
        if following == '{':
            index += 1
            while tokens[index][1] != '}':
                label, operator, value = (token for _, token in tokens[index:index + 3])
                matchers.append((label, operator, value[1:-1]))
                index += 3
                if tokens[index][1] == ',':
                    index += 1
            index += 1
        found.append((text, matchers))
    return found


def scraped(text):
    """Of a scrape: {metric: [labels of each of its series]}."""
    series = {}
    for line in text.splitlines():
        match = re.match(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? [^ ]+$', line)
        if match and not line.startswith('#'):
            labels = dict(re.findall(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"', match[2] or ''))
            series.setdefault(match[1], []).append(labels)
    return series


def matches(labels, matchers):
    """Whether a scraped series can be meant. That something is not so ("!=") always can, and so can a variable of the
    dashboard, if the series has its label."""
    for label, operator, value in matchers:
        if label in TARGET_LABELS or operator in ('!=', '!~'):
            continue
        if value.startswith('$'):
            if label not in labels:
                return False
            continue
        if not re.fullmatch(value if operator == '=~' else re.escape(value), labels.get(label, '')):
            return False
    return True


def unknown(expression, series, recorded=()):
    """What of an expression no series answers to, in words: a list, empty if all is well. `recorded` are the names
    that rules make; what labels those have is not looked at."""
    findings = []
    for metric, matchers in selectors(expression):
        if metric in recorded or metric == 'up':
            continue
        if metric not in series:
            findings.append(f'no metric {metric} in a scrape')
        elif not any(matches(labels, matchers) for labels in series[metric]):
            wanted = ','.join(f'{label}{operator}"{value}"' for label, operator, value in matchers)
            findings.append(f'no series {metric}{{{wanted}}} in a scrape')
    return findings
