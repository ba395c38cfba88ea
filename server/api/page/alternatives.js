// The list of a sentence's alternatives, with their scores and what is different in them.

import {text} from './texts.js';
import {element} from './view.js';

const $ = id => document.getElementById(id);

// Which words of `other` are not in the longest common subsequence with `first`.
function differing(first, other) {
  const a = first.split(' '), b = other.split(' ');
  const length = Array.from({length: a.length + 1}, () => new Array(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; --i) {
    for (let j = b.length - 1; j >= 0; --j) {
      length[i][j] = a[i] === b[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    }
  }
  const differs = [];
  for (let i = 0, j = 0; j < b.length;) {
    if (i < a.length && a[i] === b[j]) {
      differs.push(false);
      ++i;
      ++j;
    } else if (i < a.length && length[i + 1][j] >= length[i][j + 1]) {
      ++i;
    } else {
      differs.push(true);
      ++j;
    }
  }
  return b.map((word, index) => ({word, differs: differs[index]}));
}

function words(first, other) {
  if (first.length + other.length > 4000) return [other];
  return differing(first, other).flatMap(({word, differs}, index) => [
    index ? ' ' : '', differs ? element('em', '', word) : word]);
}

// `choose` is called when one is chosen.
export function showAlternatives(translation, index, choose) {
  const sentence = translation?.sentences[index];
  const all = sentence?.alternatives || [];
  $('alternatives').hidden = all.length < 2;
  if (all.length < 2) return;
  const count = translation.sentences.length;
  $('alternatives-title').textContent =
    count > 1 ? text('alternativesOf', {n: index + 1, all: count}) : text('alternatives');
  $('alternative-list').replaceChildren(...all.map((alternative, rank) => {
    const score = element('span', 'score',
                          alternative.score === undefined ? '' : alternative.score.toFixed(3).replace('-', '−'));
    score.title = text('score');
    const button = element('button', '', element('span', '', ...words(all[0].text, alternative.text)), score);
    button.type = 'button';
    button.setAttribute('aria-pressed', sentence.chosen === rank);
    button.addEventListener('click', () => {
      choose(sentence, rank);
      $('alternative-list').querySelectorAll('button')[rank].focus();
    });
    return element('li', '', button);
  }));
}
