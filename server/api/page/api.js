// The server's REST: requests, answers, errors, files, and streams of server-sent events.

let key = sessionStorage.getItem('key') || '';

export const hasKey = () => key !== '';

export function setKey(value) {
  key = value.trim();
  if (key) sessionStorage.setItem('key', key); else sessionStorage.removeItem('key');
}

// What the server says is wrong; status 0: it did not answer, or broke off.
export class ApiError extends Error {
  constructor(status, message, violations = [], retrySeconds = null) {
    super(message);
    this.status = status;
    this.violations = violations;  // [{field, description}]
    this.retrySeconds = retrySeconds;
  }

  get isBusy() { return this.status === 429 || this.status === 503; }
  get isCutOff() { return this.status === 0 && this.message !== ''; }
  get isGone() { return this.status === 0 || this.status === 502 || this.status === 504; }
}

function errorOf(status, error, retryAfter) {
  const violations = (error.details || []).flatMap(detail => detail.fieldViolations || []);
  const seconds = Number(retryAfter);
  return new ApiError(status, error.message || `HTTP ${status}`, violations, seconds > 0 ? seconds : null);
}

async function send(path, body, signal, method = body ? 'POST' : 'GET') {
  const headers = {};
  const isFile = body instanceof Blob;
  if (body) headers['Content-Type'] = isFile ? 'application/octet-stream' : 'application/json';
  if (key) headers.Authorization = `Bearer ${key}`;
  const request = {headers, signal, method, cache: 'no-store', credentials: 'same-origin'};
  if (body) request.body = isFile ? body : JSON.stringify(body);
  let answer;
  try {
    answer = await fetch(path, request);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError(0, '');
  }
  if (answer.ok) return answer;
  let error = {};
  try {
    error = (await answer.json()).error || {};
  } catch {
    // A proxy's page, say: the status is all there is.
  }
  throw errorOf(answer.status, error, answer.headers.get('Retry-After'));
}

export async function get(path, signal) {
  return (await send(path, null, signal)).json();
}

export async function post(path, body, signal) {
  return (await send(path, body, signal)).json();
}

export async function put(path, file, signal) {
  return (await send(path, file, signal, 'PUT')).json();
}

export async function download(path, signal) {
  return (await send(path, null, signal)).blob();
}

export async function remove(path) {
  await send(path, null, undefined, 'DELETE');
}

// The events in a stream's text, as far as it has come: [events, rest].
function parseEvents(text) {
  const parts = text.split('\n\n');
  const rest = parts.pop();
  const events = parts.map(part => {
    const event = {name: 'message', data: ''};
    for (const line of part.split('\n')) {
      if (line.startsWith('event: ')) event.name = line.slice(7);
      if (line.startsWith('data: ')) event.data += line.slice(6);
    }
    return event;
  });
  return [events, rest];
}

// Calls onMessage(name, message) for each event until the last. Throws an ApiError if the stream ends without it.
export async function stream(path, body, signal, onMessage) {
  const answer = await send(path, body, signal);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = '';
  try {
    for (;;) {
      const {done, value} = await reader.read();
      if (done) break;
      let events;
      [events, pending] = parseEvents(pending + value);
      for (const event of events) {
        const message = JSON.parse(event.data);
        if (event.name === 'end') return;
        if (event.name === 'error') throw errorOf(message.error.code, message.error, null);
        onMessage(event.name, message);
      }
    }
  } catch (error) {
    if (error instanceof ApiError || error.name === 'AbortError') throw error;
  }
  if (signal.aborted) throw new DOMException('', 'AbortError');
  throw new ApiError(0, 'cut off');
}
