// Both panels: the source with its mirror, which shows marks under the text, and the translation.

import {text} from './texts.js';

const $ = id => document.getElementById(id);
const source = $('source'), mirror = $('mirror'), target = $('target');

export function element(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

let shown = null;      // the Translation that both panels show
let current = null;    // {sentence, word, side}: what is pointed at
let onSelect = () => {};

export const whenSelected = callback => { onSelect = callback; };

function wordSpans(words, textOf, side, sentence) {
  return words.map((word, index) => {
    if (!word.isWord) return textOf.slice(word.begin, word.end);
    const span = element('span', 'word', textOf.slice(word.begin, word.end));
    Object.assign(span, {sentence, word: index, side});
    return span;
  });
}

// What the target shows is of another source than the one beside it, until something new is shown.
export const age = () => target.classList.add('aged');

function renew(...children) {
  target.classList.remove('aged');
  target.replaceChildren(...children);
}

// Both sides cut into sentences and words.
export function showTranslation(translation) {
  shown = translation;
  current = null;
  const targets = [], sources = [];
  let end = 0;
  translation.sentences.forEach((sentence, index) => {
    const to = element('span', 'sentence', ...wordSpans(sentence.targetWords, sentence.target, 'target', index));
    to.sentence = index;
    targets.push(translation.gaps[index], to);
    sources.push(source.value.slice(end, sentence.source.begin),
                 element('span', 'sentence', ...wordSpans(sentence.sourceWords, sentence.sourceText, 'source', index)));
    end = sentence.source.end;
  });
  renew(...targets, translation.gaps.at(-1));
  mirror.replaceChildren(...sources, source.value.slice(end) + '\n');
}

// The translation as plain text, such as HTML's source.
export function showPlain(value) {
  forget();
  renew(value);
}

export function showDraft(draft) {
  forget();
  renew(...draft.parts().flatMap(part => [
    part.gap,
    element('span', part.text === null ? 'waiting' : part.isFinal ? '' : 'partial', part.text || ''),
  ]));
}

// What is shown belongs to another text by now. The mirror goes on to hold the source's text, so that the panel is as
// high as that.
export function forget() {
  shown = null;
  current = null;
  mirror.replaceChildren(source.value + '\n');
  for (const node of [source, mirror, target]) node.classList.toggle('long', source.value.length > 1500);
}

const spansOf = (side, sentence) =>
  (side === 'source' ? mirror : target).querySelectorAll('.sentence')[sentence];

function mark(place) {
  for (const node of document.querySelectorAll('.on, .partner')) node.classList.remove('on', 'partner');
  current = place;
  if (!place || !shown) return;
  for (const side of ['source', 'target']) spansOf(side, place.sentence).classList.add('on');
  const sentence = shown.sentences[place.sentence];
  if (place.word === undefined || !sentence.isLinked) return;
  const other = place.side === 'source' ? 'target' : 'source';
  const partners = place.side === 'source' ? sentence.toTarget[place.word] : sentence.toSource[place.word];
  const find = (side, word) =>
    [...spansOf(side, place.sentence).children].find(span => span.word === word);
  find(place.side, place.word).classList.add('on');
  for (const word of partners) find(other, word).classList.add('partner');
}

function say(place) {
  const sentence = shown.sentences[place.sentence];
  if (!sentence.isLinked) return;
  const word = sentence.targetWords[place.word];
  const partners = [...sentence.toSource[place.word]].map(
    index => sentence.sourceText.slice(sentence.sourceWords[index].begin, sentence.sourceWords[index].end));
  $('said').textContent = text(partners.length ? 'linked' : 'unlinked', {
    word: sentence.target.slice(word.begin, word.end), partners: partners.join(', ')});
}

// The word of the mirror under a point: it lies below the field, which takes the pointer.
function wordAt(x, y) {
  for (const span of mirror.querySelectorAll('.word')) {
    for (const box of span.getClientRects()) {
      if (x >= box.left && x < box.right && y >= box.top && y < box.bottom) return span;
    }
  }
  return null;
}

function wordAtCaret() {
  if (!shown) return null;
  const at = source.selectionStart;
  const sentence = shown.sentences.findIndex(s => at >= s.source.begin && at <= s.source.end);
  if (sentence < 0) return null;
  const {source: place, sourceWords} = shown.sentences[sentence];
  const word = sourceWords.findIndex(w => w.isWord && at >= place.begin + w.begin && at <= place.begin + w.end);
  return {sentence, side: 'source', word: word < 0 ? undefined : word};
}

const placeOf = span => ({sentence: span.sentence, word: span.word, side: span.side});

function step(by) {
  const words = [...target.querySelectorAll('.word')];
  if (!words.length) return;
  const now = current && current.side === 'target'
    ? words.findIndex(span => span.sentence === current.sentence && span.word === current.word) : by > 0 ? -1 : words.length;
  const next = words[Math.max(0, Math.min(words.length - 1, now + by))];
  mark(placeOf(next));
  say(current);
}

target.addEventListener('pointermove', event => {
  const span = event.target.closest('.word, .sentence');
  if (shown) mark(span ? placeOf(span) : null);
});
source.addEventListener('pointermove', event => {
  if (!shown) return;
  const span = wordAt(event.clientX, event.clientY);
  mark(span ? placeOf(span) : null);
});
for (const node of [source, target]) node.addEventListener('pointerleave', () => shown && mark(null));
source.addEventListener('keyup', event => {
  if (event.key.startsWith('Arrow') || event.key === 'Home' || event.key === 'End') mark(wordAtCaret());
});
source.addEventListener('blur', () => shown && mark(null));
target.addEventListener('click', event => {
  const span = event.target.closest('.word, .sentence');
  if (shown && span) {
    mark(placeOf(span));
    onSelect(span.sentence);
  }
});
target.addEventListener('keydown', event => {
  if (!shown || event.ctrlKey || event.metaKey || event.altKey) return;
  const steps = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1};
  if (steps[event.key]) step(steps[event.key]);
  else if (event.key === 'Enter' && current) onSelect(current.sentence);
  else if (event.key === 'Escape') mark(null);
  else return;
  event.preventDefault();
});
target.addEventListener('blur', () => shown && mark(null));
