// The page: what happens when.

import {ApiError, get, hasKey, setKey} from './api.js';
import * as documents from './documents.js';
import {explain, hideNotice, insist} from './notices.js';
import * as options from './options.js';
import {snippet} from './snippets.js';
import {fillTexts, number, setUiLanguage, text, uiLanguages} from './texts.js';
import * as translator from './translate.js';
import * as view from './view.js';

const $ = id => document.getElementById(id);
const source = $('source');
const TYPING_MS = 600;

let typing = 0;   // the timer after the last key
let info = null;  // what the server says of itself
let codeKind = 'curl';
let grpcPort = 0;  // 0: not known

// ------------------------------------------------------------------ what is shown

function showCount() {
  const most = options.maxCharacters();
  $('count').textContent = most && source.value
    ? text('characters', {n: number([...source.value].length), most: number(most)}) : '';
  $('clear').hidden = !source.value;
}

function showCode() {
  const body = options.request([source.value]);
  const wanted = options.alternativesWanted();
  if (wanted > 1) {
    body.decoding = {...body.decoding, numAlternatives: wanted};
    body.returnOptions = {scores: true};
  }
  $('snippet').textContent = snippet(codeKind, body, new URL('.', document.baseURI).href, hasKey(), grpcPort);
}

function showOptions() {
  const count = options.countSet();
  $('options-set').hidden = count === 0;
  $('options-set').textContent = text('optionsSet', {n: count});
  options.showModel();
  showCode();
}

async function copy(button, value, label) {
  await navigator.clipboard.writeText(value);
  $('said').textContent = text('copied');
  button.classList.add('done');
  if (label) button.textContent = text('copied');
  setTimeout(() => {
    button.classList.remove('done');
    if (label) button.textContent = text(label);
  }, 1500);
}

function showLanguage(code) {
  setUiLanguage(code);
  $('ui-language').value = document.documentElement.lang;
  fillTexts();
  $('target').dataset.empty = text('empty');
  options.nameTerms();
  if (!info) return;
  $('model').options[0].textContent = text('automatic');
  options.fillLanguages(options.languages());
  documents.setLimits(info.limits);
  showCount();
  translator.showFacts();
  translator.refreshAlternatives();
  showOptions();
}

// ------------------------------------------------------------------ the server

async function loadPairs(wish) {
  const model = $('model').value;
  const listed = await get('v1/languages' + (model ? `?model=${encodeURIComponent(model)}` : ''));
  options.setPairs(listed.pairs, info.detectsLanguages === true, wish);
}

// The address ends with #SOURCE/TARGET, so that it can be kept and passed on; it never holds a text.
function addressWish() {
  try {
    const [from, to] = location.hash.slice(1).split('/').map(decodeURIComponent);
    return from || to ? {source: from, target: to} : undefined;
  } catch {
    return undefined;
  }
}

function keepAddress() {
  const {source: from, target: to} = options.languages();
  history.replaceState(null, '', `#${encodeURIComponent(from)}/${encodeURIComponent(to)}`);
}

async function connect() {
  try {
    await insist(new AbortController().signal, async () => {
      const [about, listed] = await Promise.all([get('v1/info'), get('v1/info/models')]);
      info = about;
      if (!listed.models.some(model => model.state === 'SERVING')) throw new ApiError(503, text('loading'));
      options.setServer(info, listed.models);
      documents.setLimits(info.limits);
      await loadPairs(addressWish());
    });
    $('key-form').hidden = true;
    $('key-button').hidden = !hasKey();
    hideNotice();
    $('server').textContent = `Dragoman ${info.version}`;
    showCount();
    showOptions();
    if (source.value) translator.translate();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    explain(error, connect);
  }
}

// ------------------------------------------------------------------ the user

function translateNow() {
  clearTimeout(typing);
  translator.translate();
}

function translateSoon() {
  clearTimeout(typing);
  if (source.value && options.translatesAsTyped()) typing = setTimeout(translateNow, TYPING_MS);
}

function typed() {
  translator.stop();
  view.forget();
  view.age();
  showCount();
  showCode();
  if (source.value) translateSoon();
  else translateNow();
}

function optionsChanged() {
  showOptions();
  translateSoon();
}

function languagesChanged() {
  keepAddress();
  optionsChanged();
}

function swap() {
  const {source: from, target: to} = options.languages();
  const wish = {source: to, target: from === options.AUTO ? translator.detectedLanguage() : from};
  const translated = translator.translatedText();
  options.fillLanguages(wish);
  if (translated) {
    source.value = translated;
    typed();
  }
  languagesChanged();
}

source.addEventListener('input', typed);
source.addEventListener('keydown', event => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) translateNow();
});
$('go').addEventListener('click', () => {
  if (translator.isRunning()) translator.stop();
  else translateNow();
});
$('clear').addEventListener('click', () => {
  source.value = '';
  typed();
  source.focus();
});
$('copy').addEventListener('click', () => copy($('copy'), translator.translatedText()));
$('swap').addEventListener('click', swap);
$('source-language').addEventListener('change', () => {
  options.fillTargets();
  languagesChanged();
});
$('target-language').addEventListener('change', () => {
  options.fillTargets();
  languagesChanged();
});
$('options').addEventListener('input', event => {
  if (event.target.id !== 'model') optionsChanged();
});
$('model').addEventListener('change', () => loadPairs().then(languagesChanged, explain));
$('add-term').addEventListener('click', () => options.addTerm().focus());
$('reset').addEventListener('click', () => {
  options.reset();
  loadPairs().then(languagesChanged, explain);
});
$('tab-preview').addEventListener('click', () => translator.showTab(true));
$('tab-markup').addEventListener('click', () => translator.showTab(false));
for (const button of document.querySelectorAll('#code-tabs [data-kind]')) {
  button.addEventListener('click', () => {
    codeKind = button.dataset.kind;
    for (const other of document.querySelectorAll('#code-tabs [data-kind]')) {
      other.setAttribute('aria-pressed', other === button);
    }
    showCode();
  });
}
$('copy-code').addEventListener('click', () => copy($('copy-code'), $('snippet').textContent, 'copyCode'));
$('key-form').addEventListener('submit', event => {
  event.preventDefault();
  setKey($('key').value);
  $('key').value = '';
  hideNotice();
  connect();
});
$('key-button').addEventListener('click', () => {
  $('key-form').hidden = !$('key-form').hidden;
  if (!$('key-form').hidden) $('key').focus();
});
$('ui-language').addEventListener('change', () => {
  localStorage.setItem('language', $('ui-language').value);
  showLanguage($('ui-language').value);
});
window.addEventListener('hashchange', () => {
  options.fillLanguages(addressWish());
  optionsChanged();
});

showLanguage(localStorage.getItem('language')
  || navigator.languages.map(code => code.slice(0, 2)).find(code => uiLanguages.includes(code)));
view.forget();
get('page/ports.json').then(ports => {
  grpcPort = ports.grpc;
  showCode();
}, () => {});
connect();
