// Documents: they are uploaded as jobs, followed, downloaded, and shown side by side.

import {ApiError, download, get, post, put, remove} from './api.js';
import {button, words} from './notices.js';
import * as options from './options.js';
import {languageName, number, text} from './texts.js';
import {element} from './view.js';

const $ = id => document.getElementById(id);
const PIECE = 1 << 20;  // the bytes of one upload
const TRIES = 8;
const LINES = 3000;     // that are shown side by side
const TEXTS = /\.(txt|md|markdown|html?|srt|vtt|po|pot|xlf|xliff|json|ya?ml|properties|csv|tsv)$/i;

let mostBytes = 0;

// Documents are offered if the server takes jobs.
export function setLimits(limits) {
  mostBytes = Number(limits.maxJobBytes || 0);
  $('documents').hidden = mostBytes === 0;
  $('document-limit').textContent = text('documentLimit', {n: number(Math.floor(mostBytes / PIECE))});
}

const wait = (milliseconds, signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    reject(new DOMException('', 'AbortError'));
  }, {once: true});
});

// Asks again while the server is busy, or gone.
async function patiently(row, ask) {
  for (let n = 0; ; ++n) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ApiError && (error.isBusy || error.isGone)) || n + 1 === TRIES) throw error;
      const seconds = error.retrySeconds || Math.min(2 ** n, 15);
      row.say(text(error.isBusy ? 'busy' : 'gone', {seconds, n: n + 1, all: TRIES}));
      await wait(1000 * seconds, row.signal);
    }
  }
}

// A document of the list.
class Row {
  constructor(file) {
    this.file = file;
    this.controller = new AbortController();
    this.signal = this.controller.signal;
    this.request = options.request([]);
    delete this.request.contents;
    delete this.request.mimeType;
    const {source, target} = options.languages();
    const pair = source === options.AUTO ? languageName(target) : `${languageName(source)} → ${languageName(target)}`;
    this.bar = element('progress');
    this.bar.setAttribute('aria-label', file.name);
    this.state = element('span', 'faint');
    this.buttons = element('span', 'buttons');
    this.node = element('li', '', element('span', 'name', file.name), element('span', 'faint', pair), this.buttons,
                        this.bar, this.state);
    this.offer(this.remover());
    $('document-list').append(this.node);
  }

  say(message) { this.state.textContent = message; }

  offer(...nodes) { this.buttons.replaceChildren(...nodes); }

  show(done, all) {
    this.bar.max = Math.max(all, 1);
    this.bar.value = done;
  }

  remover() {
    const node = button('✕', () => this.remove());
    node.classList.add('icon');
    node.ariaLabel = text('removeDocument', {name: this.file.name});
    return node;
  }

  remove() {
    this.controller.abort();
    // Without an answer, the server deletes it when its time is over.
    if (this.job) remove(`v1/jobs/${this.job.id}`).catch(() => {});
    this.node.remove();
    $('choose').focus();
  }

  async upload() {
    const {name, size} = this.file;
    this.job = await patiently(this, () => post('v1/jobs', {name, size, request: this.request}, this.signal));
    for (let at = 0; at < size; at += PIECE) {
      this.say(text('uploading'));
      this.show(at, 2 * size);
      await patiently(this, () => put(`v1/jobs/${this.job.id}?offset=${at}`, this.file.slice(at, at + PIECE), this.signal));
    }
  }

  async follow() {
    for (let pause = 250; ; pause = Math.min(1.3 * pause, 2000)) {
      this.job = await patiently(this, () => get(`v1/jobs/${this.job.id}`, this.signal));
      const {state, texts = 0, translated = 0, failedTexts = 0, error} = this.job;
      if (state === 'FAILED') throw new ApiError(400, error.message);
      if (state === 'DONE') return Number(failedTexts);
      const isRunning = state === 'RUNNING' && Number(texts) > 0;
      this.say(isRunning ? text('textsDone', {n: number(Number(translated)), all: number(Number(texts))}) : text('waiting'));
      if (isRunning) this.show(Number(translated), Number(texts));
      else this.bar.removeAttribute('value');
      await wait(pause, this.signal);
    }
  }

  async run() {
    this.node.classList.remove('failed');
    this.bar.hidden = false;
    this.offer(this.remover());
    try {
      if (this.file.size > mostBytes) throw new ApiError(413, '');
      await this.upload();
      const left = await this.follow();
      this.say(left ? text('textsLeft', {n: number(left)}) : text('documentDone'));
      $('said').textContent = `${this.file.name}: ${text('documentDone')}`;
      const nodes = [button(text('download'), () => this.try(() => this.save()))];
      if (TEXTS.test(this.file.name)) nodes.push(button(text('compare'), () => this.try(() => this.compare())));
      this.offer(...nodes, this.remover());
      nodes[0].className = 'primary';
    } catch (error) {
      this.fail(error, () => this.run());
    }
    this.bar.hidden = true;
  }

  fail(error, again) {
    if (error.name === 'AbortError') return;
    if (!(error instanceof ApiError)) throw error;
    this.node.classList.add('failed');
    const message = error.status === 413 ? text('documentTooLarge') : error.isGone ? text('goneLast') : words(error);
    this.say(message);
    $('said').textContent = `${this.file.name}: ${message}`;
    if (again && (error.isBusy || error.isGone)) this.offer(button(text('tryNow'), again), this.remover());
  }

  async try(action) {
    try {
      await action();
    } catch (error) {
      this.fail(error);
    }
  }

  result() { return download(`v1/jobs/${this.job.id}/result`, this.signal); }

  async save() {
    const link = element('a');
    link.href = URL.createObjectURL(await this.result());
    // report.docx becomes report.en.docx
    link.download = this.file.name.replace(/(\.[^.]*)?$/, ending => `.${this.request.targetLanguageCode || 'out'}${ending}`);
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  async compare() {
    const [before, after] = await Promise.all([this.file.text(), this.result().then(blob => blob.text())]);
    $('compare-title').textContent = text('compareTitle', {name: this.file.name});
    const rows = sides(before, after);
    $('compare-rows').replaceChildren(...rows.slice(0, LINES).map(([source, target]) => element(
      'tr', source === target ? 'same' : '', element('td', '', source), element('td', '', target))));
    $('compare-more').hidden = rows.length <= LINES;
    $('compare-more').textContent = text('compareMore', {n: number(LINES), all: number(rows.length)});
    $('compare').showModal();
  }
}

// Pairs the lines of both texts, or their paragraphs if a translation has other lines.
function sides(before, after) {
  for (const separator of [/\r?\n/, /(?:\r?\n){2,}/]) {
    const [sources, targets] = [before.split(separator), after.split(separator)];
    if (sources.length === targets.length) return sources.map((source, i) => [source, targets[i]]);
  }
  return [[before, after]];
}

function add(files) {
  for (const file of files) new Row(file).run();
  $('files').value = '';
}

const hasFiles = event => mostBytes > 0 && [...event.dataTransfer.types].includes('Files');

$('choose').addEventListener('click', () => $('files').click());
$('files').addEventListener('change', () => add($('files').files));
for (const name of ['dragover', 'dragleave', 'drop']) {
  document.addEventListener(name, event => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    $('documents').classList.toggle('dropping', name === 'dragover');
    if (name === 'drop') add(event.dataTransfer.files);
  });
}
$('compare-close').addEventListener('click', () => $('compare').close());
