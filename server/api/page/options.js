// The choices: models, languages, options. They become the request.

import {languageName, number, text} from './texts.js';
import {element} from './view.js';

const $ = id => document.getElementById(id);

let models = [];  // those that take calls
let pairs = [];   // of the model that is chosen, or of all
let limits = {};
let detects = false;
export const AUTO = 'auto';  // the source language that the server is to detect

export function setServer(info, listed) {
  limits = info.limits;
  models = listed.filter(model => model.state === 'SERVING');
  fill($('model'), [['', text('automatic')], ...models.map(model => [model.name, model.name])]);
}

// wish: {source, target}; without one the languages stay, or are the first pair's, which is the default model's.
export function setPairs(listed, canDetect, wish) {
  const isFirst = pairs.length === 0;
  pairs = listed;
  detects = canDetect;
  const first = pairs[0];
  // Of several languages one is detected, unless the user says which; a short text in the only one is not.
  const several = new Set(pairs.map(pair => pair.sourceLanguageCode)).size > 1;
  const from = detects && several ? AUTO : first?.sourceLanguageCode;
  fillLanguages(wish || (isFirst && first && {source: from, target: first.targetLanguageCode}) || {});
}

export const maxCharacters = () => limits.maxCodePoints || 0;
export const maxItems = () => limits.maxItems || 1;

// Fills a list and keeps what is chosen in it, where it is still there; else what is wished for, else the first.
function fill(select, entries, wish) {
  const before = select.value;
  select.replaceChildren(...entries.map(([value, name]) => {
    const option = element('option', '', name);
    option.value = value;
    return option;
  }));
  const has = value => entries.some(([entry]) => entry === value);
  if (has(wish)) select.value = wish;
  else if (has(before)) select.value = before;
}

const byName = codes => [...new Set(codes)].map(code => [code, languageName(code)])
  .sort((a, b) => a[1].localeCompare(b[1]));

export function fillLanguages(wish = {}) {
  const sources = byName(pairs.map(pair => pair.sourceLanguageCode));
  if (detects) sources.unshift([AUTO, text('detect')]);
  fill($('source-language'), sources, wish.source);
  fillTargets(wish.target);
}

export function fillTargets(wish) {
  const source = $('source-language').value;
  const fitting = pairs.filter(pair => source === AUTO || pair.sourceLanguageCode === source);
  fill($('target-language'), byName(fitting.map(pair => pair.targetLanguageCode)), wish);
  const target = $('target-language').value;
  $('swap').disabled = !pairs.some(pair => pair.sourceLanguageCode === target && (source === AUTO
    || pair.targetLanguageCode === source));
}

// Names the language that was detected where "Detect language" stands; "": none.
export function showDetected(code) {
  const entry = [...$('source-language').options].find(option => option.value === AUTO);
  if (entry) entry.textContent = code ? text('detected', {language: languageName(code)}) : text('detect');
}

// The names of the languages from which there is a translation into the target.
export function sourcesOfTarget() {
  const target = $('target-language').value;
  const fitting = pairs.filter(pair => pair.targetLanguageCode === target && pair.sourceLanguageCode);
  return byName(fitting.map(pair => pair.sourceLanguageCode)).map(([, name]) => name);
}

export const languages = () => ({source: $('source-language').value, target: $('target-language').value});

// The model that the request goes to, as far as the page can tell.
function modelInUse() {
  const {source, target} = languages();
  const fits = model => model.pairs.some(pair => (source === AUTO || pair.sourceLanguageCode === source)
    && pair.targetLanguageCode === target);
  return models.find(model => model.name === $('model').value) || models.find(fits) || models[0];
}

export function showModel() {
  const model = modelInUse();
  if (!model) return;
  const facts = [model.family, model.computeType, model.device,
                 Number(model.parameters) && text('parameters', {n: number(Math.round(model.parameters / 1e5) / 10)}),
                 model.pivot.join(' → ')];
  $('model-facts').textContent = facts.filter(Boolean).join(' · ');
  $('model-notes').hidden = model.notes.length === 0;
  $('model-notes').textContent = model.notes.map(note => `${model.name}: ${note}`).join(' · ');
  $('beam').max = model.maxBeam;
  $('nbest').max = model.maxBeam;
  $('beam').placeholder = `${text('beamDefault')}: ${model.defaultBeam}`;
  const names = model.pivot.length ? [] : model.glossaries;
  fill($('glossary'), [['', text('noGlossary')], ...names.map(name => [name, name])]);
  $('glossary').disabled = names.length === 0;
}

const lines = id => $(id).value.split('\n').map(line => line.trim()).filter(Boolean);
const hasMarkup = () => $('format').value !== 'text/plain';
const whole = id => Math.max(0, Math.trunc(Number($(id).value)) || 0);

export const alternativesWanted = () => Math.max(1, whole('nbest'));
export const wantsHtml = () => $('format').value === 'text/html';
export const wantsMarkup = hasMarkup;
// A pivot has no alignment, and that of a document with markup is one paragraph's.
export const wantsAlignment = () => $('align').checked && !hasMarkup() && !modelInUse()?.pivot.length;
export const translatesAsTyped = () => $('as-typed').checked;

export function addTerm(source = '', target = '') {
  const list = $('terms');
  const input = (kind, value) => Object.assign(element('input'), {value, type: 'text', name: kind, maxLength: 1024});
  const remove = element('button', 'icon', '✕');
  remove.type = 'button';
  const item = element('li', '', input('source', source), '→', input('target', target), remove);
  remove.addEventListener('click', () => {
    item.remove();
    nameTerms();
    $('add-term').focus();
    list.dispatchEvent(new Event('input', {bubbles: true}));
  });
  list.append(item);
  nameTerms();
  return item.querySelector('input');
}

export function nameTerms() {
  [...$('terms').children].forEach((item, index) => {
    const n = index + 1;
    item.querySelector('[name=source]').ariaLabel = text('termSource', {n});
    item.querySelector('[name=target]').ariaLabel = text('termTarget', {n});
    item.querySelector('button').ariaLabel = text('removeTerm', {n});
  });
}

function terms() {
  const rows = [...$('terms').children].map(item => ({
    source: item.querySelector('[name=source]').value.trim(),
    target: item.querySelector('[name=target]').value.trim(),
    ...($('ignore-case').checked && {ignoreCase: true}),
  }));
  return rows.filter(term => term.source && term.target);
}

// The request for these texts, as REST has it; without `contents` none of it depends on the text.
export function request(contents) {
  const {source, target} = languages();
  const decoding = {};
  const alternatives = alternativesWanted();
  if (whole('beam') || alternatives > 1) {
    decoding.beamSize = Math.max(whole('beam') || modelInUse()?.defaultBeam || 1, alternatives);
  }
  if (lines('required').length) decoding.requiredPhrases = lines('required').map(phrase => ({text: phrase}));
  if (lines('forbidden').length) decoding.forbiddenPhrases = lines('forbidden');
  const body = {contents};
  if (hasMarkup()) body.mimeType = $('format').value;
  if (source) body.sourceLanguageCode = source;
  if (target) body.targetLanguageCode = target;
  if ($('model').value) body.model = $('model').value;
  if ($('glossary').value) {
    body.glossaryConfig = {glossary: $('glossary').value, ...($('ignore-case').checked && {ignoreCase: true})};
  }
  if (lines('keep').length) body.doNotTranslate = lines('keep');
  if (terms().length) body.terms = terms();
  if (Object.keys(decoding).length) body.decoding = decoding;
  return body;
}

// How many options are not as they were at first.
export function countSet() {
  const {contents, sourceLanguageCode, targetLanguageCode, decoding = {}, ...others} = request([]);
  const beam = decoding.beamSize !== undefined && whole('beam') === 0 ? 1 : 0;
  return Object.keys(others).length + Object.keys(decoding).length - beam + (alternativesWanted() > 1 ? 1 : 0);
}

export function reset() {
  for (const id of ['beam', 'required', 'forbidden', 'keep', 'model', 'glossary']) $(id).value = '';
  $('nbest').value = 1;
  $('format').value = 'text/plain';
  for (const id of ['align', 'as-typed']) $(id).checked = true;
  $('ignore-case').checked = false;
  $('terms').replaceChildren();
}
