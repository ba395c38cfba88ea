// A translation in pieces: sentences of both sides, their words, and which words belong together.
//
// The server counts bytes of UTF-8, strings of JavaScript have UTF-16 units: places here are the latter.

// A function from a place in bytes to one in `text`.
export function placeOfByte(text) {
  const places = [];
  for (let at = 0; at < text.length;) {
    const point = text.codePointAt(at);
    const bytes = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (let i = 0; i < bytes; ++i) places.push(at);
    at += point < 0x10000 ? 1 : 2;
  }
  places.push(text.length);
  return byte => places[Math.min(Number(byte), places.length - 1)];
}

// [{begin, end, isWord}]: all of `text`, cut where words begin and end.
function wordsOf(text) {
  if (!Intl.Segmenter) {
    return [...text.matchAll(/\s+|[^\s]+/g)].map(match => (
      {begin: match.index, end: match.index + match[0].length, isWord: /\S/.test(match[0])}));
  }
  return [...new Intl.Segmenter(undefined, {granularity: 'word'}).segment(text)].map(part => (
    {begin: part.index, end: part.index + part.segment.length, isWord: /\S/.test(part.segment)}));
}

const overlapping = (words, begin, end) =>
  words.flatMap((word, index) => (word.isWord && word.begin < end && word.end > begin ? [index] : []));

// One sentence. `source` is its place in the source text; `target` its translation.
export class Sentence {
  constructor(source, sourceText, target) {
    this.source = source;
    this.sourceText = sourceText;
    this.target = target;
    this.alternatives = [];  // [{text, score}], the translation first
    this.chosen = 0;
    this.setLinks(null);
  }

  // links: those of the wire, within this sentence; null: none are known.
  setLinks(links) {
    this.sourceWords = wordsOf(this.sourceText);
    this.targetWords = wordsOf(this.target);
    this.toSource = this.targetWords.map(() => new Set());
    this.toTarget = this.sourceWords.map(() => new Set());
    this.isLinked = links !== null;
    if (!links) return;
    const sourcePlace = placeOfByte(this.sourceText), targetPlace = placeOfByte(this.target);
    for (const link of links) {
      const from = overlapping(this.sourceWords, sourcePlace(link.sourceBegin), sourcePlace(link.sourceEnd));
      const to = overlapping(this.targetWords, targetPlace(link.targetBegin), targetPlace(link.targetEnd));
      for (const s of from) {
        for (const t of to) {
          this.toTarget[s].add(t);
          this.toSource[t].add(s);
        }
      }
    }
  }

  // Puts another hypothesis in place of the translation.
  choose(index) {
    this.chosen = index;
    this.target = this.alternatives[index].text;
    this.setLinks(index === 0 ? this.firstLinks : null);
  }
}

// A whole translation: sentences, and the texts before, between and after them.
export class Translation {
  constructor(sourceText, wire) {
    const sourcePlace = placeOfByte(sourceText), targetPlace = placeOfByte(wire.translatedText);
    this.sentences = [];
    this.gaps = [];
    let end = 0;
    for (const range of wire.sentences) {
      const source = {begin: sourcePlace(range.sourceBegin), end: sourcePlace(range.sourceEnd)};
      const begin = targetPlace(range.targetBegin);
      this.gaps.push(wire.translatedText.slice(end, begin));
      end = targetPlace(range.targetEnd);
      this.sentences.push(new Sentence(source, sourceText.slice(source.begin, source.end),
                                       wire.translatedText.slice(begin, end)));
    }
    this.gaps.push(wire.translatedText.slice(end));
  }

  get text() {
    return this.sentences.map((sentence, i) => this.gaps[i] + sentence.target).join('') + this.gaps.at(-1);
  }
}

// What a stream has brought so far: its segments, in the order of the source.
export class Draft {
  constructor(sourceText) {
    this.sourceText = sourceText;
    this.place = placeOfByte(sourceText);
    this.segments = [];
  }

  add(message) {
    this.segments[message.segment] = {
      begin: this.place(message.sourceBegin), end: this.place(message.sourceEnd),
      text: message.text, isFinal: message.final,
    };
  }

  // [{gap, text, isFinal}]: the parts to show. Where nothing has come yet, text is null.
  parts() {
    let end = 0;
    return Array.from(this.segments, (segment, index) => {
      if (!segment) return {gap: index > 0 ? ' ' : '', text: null, isFinal: false};
      const between = this.sourceText.slice(end, segment.begin);
      end = segment.end;
      const gap = /^\s*$/.test(between) ? between : ' ';
      return {gap: index === 0 || gap ? gap : ' ', text: segment.text, isFinal: segment.isFinal};
    });
  }
}
