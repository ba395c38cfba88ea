// What the page says when something is wrong, and patience with a server that is busy or gone.

import {ApiError} from './api.js';
import {text} from './texts.js';
import {element} from './view.js';

const $ = id => document.getElementById(id);
const TRIES = 5;

export const hideNotice = () => { $('alert').hidden = true; };

export function notice(isPatient, message, ...more) {
  $('alert').classList.toggle('patient', isPatient);
  $('alert').replaceChildren(element('p', '', message), ...more);
  $('alert').hidden = false;
}

export function button(label, onClick) {
  const node = element('button', 'quiet', label);
  node.type = 'button';
  node.addEventListener('click', onClick);
  return node;
}

// The page's own words for what a server says in English, by the status and the message; the server's where there are
// none.
const KNOWN = [
  [401, /found no API key/, 'keyMissing'], [401, /./, 'keyWrong'], [403, /./, 'keyDenied'], [413, /./, 'tooLarge'],
  [503, /is draining|is stopping/, 'draining'], [503, /model is being loaded/, 'loading'],
  [429, /characters per minute/, 'rateUsed'], [504, /./, 'tooSlow'],
  [400, /^target_language_code|a translation from/, 'noPair'], [400, /^name: found/, 'documentUnknown'],
];

export function words(error) {
  const known = KNOWN.find(([status, message]) => status === error.status && message.test(error.message));
  return known ? text(known[2]) : error.message;
}

// Says what is wrong; `again` asks once more, where that may help.
export function explain(error, again) {
  const more = [];
  if (error.isBusy || error.isGone) more.push(button(text('tryNow'), again));
  if (error.violations.length > 1) {
    more.push(element('ul', '', ...error.violations.map(
      violation => element('li', '', violation.field && `${violation.field}: `, violation.description))));
  }
  const message = error.violations.length > 1 ? '' : error.isGone ? text(error.isCutOff ? 'cutOff' : 'goneLast')
    : error.isBusy ? text('busyLast', {message: words(error)}) : words(error);
  notice(false, message, ...more);
  if (error.status !== 401) return;
  $('key-form').hidden = false;
  $('key').focus();
}

// Waits until the server may be asked again, in sight of the user, who may hasten it.
function patience(error, n, signal) {
  const end = performance.now() + 1000 * Math.ceil(error.retrySeconds || 2 ** n);
  return new Promise((resolve, reject) => {
    const finish = how => {
      clearInterval(timer);
      signal.removeEventListener('abort', stop);
      hideNotice();
      how();
    };
    const stop = () => finish(() => reject(new DOMException('', 'AbortError')));
    const now = button(text('tryNow'), () => finish(resolve));
    let said = 0;
    const show = () => {
      const seconds = Math.ceil((end - performance.now()) / 1000);
      if (seconds <= 0) return finish(resolve);
      if (seconds !== said) notice(true, text(error.isBusy ? 'busy' : 'gone', {seconds, n: n + 1, all: TRIES}), now);
      said = seconds;
    };
    const timer = setInterval(show, 200);
    signal.addEventListener('abort', stop);
    show();
  });
}

// Asks again while the server is busy, or gone.
export async function insist(signal, ask) {
  for (let n = 0; ; ++n) {
    try {
      return await ask();
    } catch (error) {
      const maySucceed = error instanceof ApiError && (error.isBusy || error.isGone);
      if (!maySucceed || n + 1 >= TRIES) throw error;
      await patience(error, n, signal);
    }
  }
}
