// A text's way to the server and back: the stream, then what is known of each sentence.

import {ApiError, post, stream} from './api.js';
import {showAlternatives} from './alternatives.js';
import {Draft, Translation} from './alignment.js';
import {explain, hideNotice, insist, notice} from './notices.js';
import * as options from './options.js';
import {languageName, number, text} from './texts.js';
import * as view from './view.js';

const $ = id => document.getElementById(id);
const source = $('source');

let running = null;  // the AbortController of the request that runs
let result = null;   // {wire, seconds, translation, which is null for HTML}
let selected = 0;    // the sentence whose alternatives are listed

export const isRunning = () => running !== null;
export const translatedText = () => result?.translation?.text ?? result?.wire.translatedText ?? '';
export const detectedLanguage = () => result?.wire.detectedLanguageCode || '';

function setBusy(isBusy) {
  $('progress').hidden = !isBusy;
  $('target').setAttribute('aria-busy', isBusy);
  $('go').dataset.text = isBusy ? 'stop' : 'translate';
  $('go').textContent = text($('go').dataset.text);
}

export function stop() {
  running?.abort();
  running = null;
  setBusy(false);
}

function clearResult() {
  result = null;
  selected = 0;
  $('facts').textContent = '';
  options.showDetected('');
  view.age();
  for (const id of ['copy', 'alternatives', 'tabs', 'preview']) $(id).hidden = true;
  hideNotice();
  $('target').hidden = false;
}

// The item's translation, as its stream brings it.
async function translateText(value, signal) {
  const body = options.request([value]);
  body.returnOptions = {scores: true, ...(!options.wantsMarkup() && {partials: true})};
  const draft = new Draft(value);
  let whole = null;
  let frame = 0;  // many segments come between two frames, and each drawing makes all of the draft
  try {
    await stream('v1/translate:stream', body, signal, (name, message) => {
      if (signal.aborted) return;
      if (name === 'segment') {
        draft.add(message);
        frame ||= requestAnimationFrame(() => {
          frame = 0;
          if (!signal.aborted) view.showDraft(draft);
        });
      } else if (name === 'translation') {
        if (message.translation.error) throw new ApiError(400, message.translation.error.message);
        whole = message.translation;
      }
    });
  } finally {
    cancelAnimationFrame(frame);
  }
  return whole;
}

// Sentence by sentence: the words that belong together, and the alternatives. `detected`: the text's language.
async function addDetails(translation, detected, signal) {
  const wanted = options.alternativesWanted();
  const body = options.request(translation.sentences.slice(0, options.maxItems()).map(one => one.sourceText));
  if (detected) body.sourceLanguageCode = detected;
  body.segmentation = {split: 'NONE'};
  body.returnOptions = {scores: true, ...(options.wantsAlignment() && {alignment: true})};
  if (wanted > 1) body.decoding = {...body.decoding, numAlternatives: wanted};
  const answer = await post('v1/translate', body, signal);
  answer.translations.forEach((wire, index) => {
    const one = translation.sentences[index];
    if (wire.error) return;
    one.alternatives = [{text: wire.translatedText, score: wire.score}, ...wire.alternatives];
    // By itself a sentence may come out otherwise, if it was a part of a longer segment.
    one.firstLinks = wire.translatedText === one.target && wire.alignment ? wire.alignment.links : null;
    one.setLinks(one.firstLinks);
  });
}

async function showDetails(signal) {
  const {wire, translation} = result;
  const wantsMore = options.alternativesWanted() > 1;
  // A text that was in the target's language came back as it was.
  if (!wire.model || !translation.sentences.length || !(wantsMore || options.wantsAlignment())) return;
  const ask = () => addDetails(translation, wire.detectedLanguageCode, signal);
  try {
    // Alignment alone is not worth an error beside a translation that is there.
    await (wantsMore ? insist(signal, ask) : ask());
  } catch (error) {
    if (wantsMore || !(error instanceof ApiError)) throw error;
  }
  if (signal.aborted) return;
  view.showTranslation(translation);
  refreshAlternatives();
}

// Whether a language was to be detected in the text and none was found. What has no letters is in any language.
const isUnknown = (wire, value) => options.languages().source === options.AUTO && !wire.detectedLanguageCode
  && /\p{L}/u.test(options.wantsHtml() ? value.replace(/<[^>]*>/g, '') : value);

export async function translate() {
  stop();
  const value = source.value;
  clearResult();
  if (!value.trim()) return view.showPlain('');
  const most = options.maxCharacters(), length = [...value].length;
  if (most && length > most) return notice(false, text('tooLong', {n: number(length), most: number(most)}));

  const controller = new AbortController();
  const {signal} = controller;
  running = controller;
  setBusy(true);
  const started = performance.now();
  try {
    const wire = await insist(signal, () => translateText(value, signal).catch(error => {
      view.age();  // what came of it before it broke off
      throw error;
    }));
    if (isUnknown(wire, value)) {
      view.showPlain('');
      return notice(false, text('unknown', {target: languageName(options.languages().target),
                                            languages: options.sourcesOfTarget().join(', ')}));
    }
    const plain = !options.wantsMarkup();
    result = {wire, seconds: (performance.now() - started) / 1000, translation: plain ? new Translation(value, wire) : null};
    showFacts();
    $('said').textContent = text('ready');
    if (options.wantsHtml()) return showHtml(wire.translatedText);
    if (!plain) return view.showPlain(wire.translatedText);
    view.showTranslation(result.translation);
    await showDetails(signal);
  } catch (error) {
    if (error.name === 'AbortError') return;
    if (!(error instanceof ApiError)) throw error;
    if (!result) view.showPlain('');
    explain(error, translate);
  } finally {
    if (running === controller) {
      running = null;
      setBusy(false);
    }
  }
}

// ------------------------------------------------------------------ the result

export function showFacts() {
  if (!result) return;
  const {wire, seconds} = result;
  const count = wire.sentences.length;
  const facts = [
    wire.model, wire.detectedLanguageCode && !wire.model && text('inTarget'),
    wire.model && text(count === 1 ? 'sentence' : 'sentences', {n: number(count)}), `${number(Number(seconds.toFixed(2)))} s`,
    wire.finishReason === 'CONSTRAINTS_UNMET' && text('unmet'), wire.finishReason === 'LENGTH' && text('atLimit'),
  ];
  $('facts').textContent = facts.filter(Boolean).join(' · ');
  options.showDetected(wire.detectedLanguageCode);
  $('copy').hidden = false;
}

export function refreshAlternatives() {
  showAlternatives(result?.translation, selected, (sentence, rank) => {
    sentence.choose(rank);
    view.showTranslation(result.translation);
    refreshAlternatives();
  });
}

view.whenSelected(index => {
  selected = index;
  refreshAlternatives();
});

// ------------------------------------------------------------------ HTML

const trusted = window.trustedTypes?.createPolicy('preview', {createHTML: html => html});

// No script runs in the frame and nothing is loaded by it: it is a sandbox, with a policy of its own.
function showHtml(html) {
  view.showPlain(html);
  const page = '<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'
    + '<meta name="color-scheme" content="light dark"><body>' + html;
  $('preview').srcdoc = trusted ? trusted.createHTML(page) : page;
  $('tabs').hidden = false;
  showTab(true);
}

export function showTab(isPreview) {
  $('preview').hidden = !isPreview;
  $('target').hidden = isPreview;
  $('tab-preview').setAttribute('aria-pressed', isPreview);
  $('tab-markup').setAttribute('aria-pressed', !isPreview);
}
