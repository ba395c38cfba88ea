// A request as code: curl, grpcurl, Python and JavaScript, none of which need more than the server's address.

const snake = name => name.replace(/[A-Z]/g, letter => '_' + letter.toLowerCase());

function withProtoNames(value) {
  if (Array.isArray(value)) return value.map(withProtoNames);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [snake(name), withProtoNames(inner)]));
}

// For a shell: everything but ' stands for itself between them.
const quoted = value => `'${value.replaceAll("'", `'\\''`)}'`;

const json = value => JSON.stringify(value, null, 2);

// JSON's strings and numbers are Python's as well.
function python(value, indent = '') {
  const inner = indent + '    ';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) {
    const items = value.map(item => python(item, inner));
    return items.join('').length < 70 && !items.some(item => item.includes('\n'))
      ? `[${items.join(', ')}]` : `[\n${items.map(item => inner + item).join(',\n')},\n${indent}]`;
  }
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).map(([name, item]) => `${inner}${JSON.stringify(name)}: ${python(item, inner)},\n`);
    return `{\n${entries.join('')}${indent}}`;
  }
  return JSON.stringify(value);
}

const WRITERS = {
  curl(body, base, hasKey) {
    const key = hasKey ? ` \\\n  -H "Authorization: Bearer $DRAGOMAN_API_KEY"` : '';
    return `curl ${quoted(base + 'v1/translate')} \\\n  -H 'Content-Type: application/json'${key} \\\n`
      + `  -d ${quoted(json(body))}`;
  },

  grpcurl(body, base, hasKey, port) {
    const {hostname, protocol} = new URL(base);
    const plain = protocol === 'https:' ? '' : '-plaintext ';
    const key = hasKey ? `-H "authorization: Bearer $DRAGOMAN_API_KEY" \\\n  ` : '';
    return `grpcurl ${plain}${key}-d ${quoted(json(withProtoNames(body)))} \\\n`
      + `  ${hostname}:${port || 50051} dragoman.v1.TranslationService/Translate`;
  },

  python(body, base, hasKey) {
    const key = hasKey ? `,\n    "Authorization": "Bearer " + os.environ["DRAGOMAN_API_KEY"],\n` : '';
    const headers = key ? `{\n    "Content-Type": "application/json"${key}}` : `{"Content-Type": "application/json"}`;
    return `import json\n${hasKey ? 'import os\n' : ''}import urllib.request\n\nbody = ${python(body)}\n`
      + `request = urllib.request.Request(\n    ${JSON.stringify(base + 'v1/translate')}, json.dumps(body).encode(), `
      + `${headers.replaceAll('\n', '\n    ')})\nwith urllib.request.urlopen(request) as answer:\n`
      + `    for translation in json.load(answer)["translations"]:\n        print(translation["translatedText"])`;
  },

  javascript(body, base, hasKey) {
    const key = hasKey ? `\n    Authorization: \`Bearer \${process.env.DRAGOMAN_API_KEY}\`,` : '';
    const headers = key ? `{\n    'Content-Type': 'application/json',${key}\n  }` : `{'Content-Type': 'application/json'}`;
    return `const answer = await fetch(${JSON.stringify(base + 'v1/translate')}, {\n  method: 'POST',\n`
      + `  headers: ${headers},\n  body: JSON.stringify(${json(body).replaceAll('\n', '\n  ')}),\n});\n`
      + `if (!answer.ok) throw new Error(await answer.text());\n`
      + `for (const {translatedText} of (await answer.json()).translations) console.log(translatedText);`;
  },
};

// The code of a kind ("curl", "grpcurl", "python", "javascript"). base: the server's address, with '/' at its end;
// port: that of gRPC, 0 where it is not known.
export const snippet = (kind, body, base, hasKey, port) => WRITERS[kind](body, base, hasKey, port);
