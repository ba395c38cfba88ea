// The page's texts in English and German, and the names of languages.

const TEXTS = {
  en: {
    uiLanguage: 'Language of this page', key: 'API key', keyLabel: 'This server needs an API key',
    keyUse: 'Use', keyHelp: 'It is kept until this tab is closed, and sent to this server only.',
    translator: 'Translator', from: 'From', to: 'To', swap: 'Swap languages', anyLanguage: 'As the model has it',
    detect: 'Detect language', detected: '{language} (detected)', inTarget: 'The text is in this language already.',
    unknown: 'None of the languages from which there is a translation into {target} was recognised in this text. '
      + 'Choose one: {languages}.',
    sourceText: 'Text to translate', targetText: 'Translation', placeholder: 'Type or paste a text',
    empty: 'The translation appears here', clear: 'Clear the text', copy: 'Copy the translation', copied: 'Copied',
    translate: 'Translate', translateKeys: 'Ctrl+Enter', stop: 'Stop', preview: 'Preview', markup: 'Source',
    previewTitle: 'Translation as a web page', characters: '{n} of {most} characters',
    alternatives: 'Alternatives', alternativesOf: 'Alternatives for sentence {n} of {all}',
    score: 'Score: log-probability, normalised by length', options: 'Options', optionsSet: '{n} set',
    search: 'Search', model: 'Model', automatic: 'By the languages', beam: 'Beam', beamDefault: 'default',
    nbest: 'Alternatives', nbestHelp: 'A wider beam considers more hypotheses. Alternatives are listed for each sentence; '
      + 'select a sentence of the translation to see its own.',
    view: 'Text and view', format: 'Format', plainText: 'Plain text', align: 'Show which words belong together',
    alignHelp: 'Point at a word, on either side, or go through the translation with the arrow keys.',
    asTyped: 'Translate while typing', phrases: 'Phrases', required: 'The translation contains',
    forbidden: 'The translation does not contain', keep: 'Do not translate', onePerLine: 'One on each line',
    terms: 'Terms', glossary: 'Glossary of the server', noGlossary: 'None', ownTerms: 'Own terms', addTerm: 'Add a term',
    termSource: 'Term {n}, source', termTarget: 'Term {n}, translation', removeTerm: 'Remove term {n}',
    ignoreCase: 'Ignore case', reset: 'Reset all options', asCode: 'This request as code', copyCode: 'Copy',
    codeHelp: 'A key is not part of the code: it is read from the variable DRAGOMAN_API_KEY.',
    api: 'API description', ready: 'Translation ready', sentences: '{n} sentences', sentence: '1 sentence',
    parameters: '{n} M parameters', unmet: 'Not every required phrase fitted.', atLimit: 'The output was cut at its '
      + 'longest length.', linked: '{word}: {partners}', unlinked: '{word}: no word of the source',
    busy: 'The server is busy. Next try in {seconds} s ({n} of {all}).',
    gone: 'The server does not answer. Next try in {seconds} s ({n} of {all}).', tryNow: 'Try now',
    busyLast: 'The server is busy: {message}', goneLast: 'The server does not answer.', cutOff: 'The answer broke off.',
    tooLong: 'The text has {n} characters; the server takes {most}.',
    loading: 'The server is loading its model.', keyMissing: 'The server needs an API key.',
    keyWrong: 'The server does not know this API key.', keyDenied: 'This API key may not use the model.',
    tooLarge: 'The text is too large for this server.', draining: 'The server is about to end.',
    rateUsed: 'The characters of this API key are used up for this minute.', tooSlow: 'The time for the answer has passed.',
    noPair: 'There is no translation between these languages.',
    documents: 'Documents', dropHere: 'Drop documents anywhere on this page, or', choose: 'choose files',
    documentFormats: 'Word, PowerPoint, Excel, OpenDocument, EPUB, HTML, Markdown, subtitles, PO, XLIFF, JSON, YAML, '
      + 'properties, CSV and text.', documentLimit: 'At most {n} MiB each.', uploading: 'Uploading', waiting: 'Waiting',
    textsDone: '{n} of {all} texts', documentDone: 'Translated', download: 'Download', compare: 'Compare',
    textsLeft: 'Translated, apart from {n} texts, which stay as they were.', removeDocument: 'Remove {name}',
    documentTooLarge: 'The document is too large for this server.',
    documentUnknown: 'This kind of file cannot be translated.', compareTitle: '{name}: source and translation',
    compareMore: 'The first {n} of {all} lines.', close: 'Close', sourceSide: 'Source', targetSide: 'Translation',
  },
  de: {
    uiLanguage: 'Sprache dieser Seite', key: 'API-Schlüssel', keyLabel: 'Dieser Server verlangt einen API-Schlüssel',
    keyUse: 'Verwenden', keyHelp: 'Er bleibt, bis dieser Tab geschlossen wird, und geht nur an diesen Server.',
    translator: 'Übersetzer', from: 'Aus', to: 'Nach', swap: 'Sprachen tauschen', anyLanguage: 'Wie das Modell',
    detect: 'Sprache erkennen', detected: '{language} (erkannt)', inTarget: 'Der Text ist schon in dieser Sprache.',
    unknown: 'In diesem Text wurde keine der Sprachen erkannt, aus denen es eine Übersetzung nach {target} gibt. '
      + 'Wählen Sie eine: {languages}.',
    sourceText: 'Text zum Übersetzen', targetText: 'Übersetzung', placeholder: 'Text eingeben oder einfügen',
    empty: 'Hier erscheint die Übersetzung', clear: 'Text löschen', copy: 'Übersetzung kopieren', copied: 'Kopiert',
    translate: 'Übersetzen', translateKeys: 'Strg+Eingabe', stop: 'Anhalten', preview: 'Vorschau', markup: 'Quelltext',
    previewTitle: 'Übersetzung als Webseite', characters: '{n} von {most} Zeichen',
    alternatives: 'Alternativen', alternativesOf: 'Alternativen für Satz {n} von {all}',
    score: 'Bewertung: Log-Wahrscheinlichkeit, auf die Länge bezogen', options: 'Optionen', optionsSet: '{n} gesetzt',
    search: 'Suche', model: 'Modell', automatic: 'Nach den Sprachen', beam: 'Beam', beamDefault: 'Vorgabe',
    nbest: 'Alternativen', nbestHelp: 'Ein breiterer Beam prüft mehr Hypothesen. Alternativen gibt es für jeden Satz; '
      + 'wählen Sie einen Satz der Übersetzung, um seine zu sehen.',
    view: 'Text und Ansicht', format: 'Format', plainText: 'Einfacher Text', align: 'Zeigen, welche Wörter zusammengehören',
    alignHelp: 'Zeigen Sie auf ein Wort, links oder rechts, oder gehen Sie mit den Pfeiltasten durch die Übersetzung.',
    asTyped: 'Beim Tippen übersetzen', phrases: 'Ausdrücke', required: 'Die Übersetzung enthält',
    forbidden: 'Die Übersetzung enthält nicht', keep: 'Nicht übersetzen', onePerLine: 'Je Zeile einer',
    terms: 'Begriffe', glossary: 'Glossar des Servers', noGlossary: 'Keines', ownTerms: 'Eigene Begriffe',
    addTerm: 'Begriff hinzufügen', termSource: 'Begriff {n}, Ausgangssprache', termTarget: 'Begriff {n}, Übersetzung',
    removeTerm: 'Begriff {n} entfernen', ignoreCase: 'Groß- und Kleinschreibung nicht beachten',
    reset: 'Alle Optionen zurücksetzen', asCode: 'Diese Anfrage als Code', copyCode: 'Kopieren',
    codeHelp: 'Ein Schlüssel ist nicht Teil des Codes: er kommt aus der Variablen DRAGOMAN_API_KEY.',
    api: 'Beschreibung der API', ready: 'Übersetzung fertig', sentences: '{n} Sätze', sentence: '1 Satz',
    parameters: '{n} Mio. Parameter', unmet: 'Nicht jeder verlangte Ausdruck passte.', atLimit: 'Die Ausgabe wurde an '
      + 'ihrer größten Länge abgeschnitten.', linked: '{word}: {partners}', unlinked: '{word}: kein Wort des Ausgangstexts',
    busy: 'Der Server ist ausgelastet. Nächster Versuch in {seconds} s ({n} von {all}).',
    gone: 'Der Server antwortet nicht. Nächster Versuch in {seconds} s ({n} von {all}).', tryNow: 'Jetzt versuchen',
    busyLast: 'Der Server ist ausgelastet: {message}', goneLast: 'Der Server antwortet nicht.',
    cutOff: 'Die Antwort brach ab.', tooLong: 'Der Text hat {n} Zeichen; der Server nimmt {most}.',
    loading: 'Der Server lädt sein Modell.', keyMissing: 'Der Server verlangt einen API-Schlüssel.',
    keyWrong: 'Der Server kennt diesen API-Schlüssel nicht.', keyDenied: 'Dieser API-Schlüssel gilt nicht für das Modell.',
    tooLarge: 'Der Text ist zu groß für diesen Server.', draining: 'Der Server wird gerade beendet.',
    rateUsed: 'Die Zeichen dieses API-Schlüssels sind für diese Minute verbraucht.',
    tooSlow: 'Die Zeit für die Antwort ist abgelaufen.',
    noPair: 'Zwischen diesen Sprachen gibt es keine Übersetzung.',
    documents: 'Dokumente', dropHere: 'Dokumente irgendwo auf dieser Seite ablegen, oder', choose: 'Dateien auswählen',
    documentFormats: 'Word, PowerPoint, Excel, OpenDocument, EPUB, HTML, Markdown, Untertitel, PO, XLIFF, JSON, YAML, '
      + 'Properties, CSV und Text.', documentLimit: 'Jeweils höchstens {n} MiB.', uploading: 'Wird hochgeladen',
    waiting: 'Wartet', textsDone: '{n} von {all} Texten', documentDone: 'Übersetzt', download: 'Herunterladen',
    compare: 'Vergleichen', textsLeft: 'Übersetzt bis auf {n} Texte, die blieben, wie sie waren.',
    removeDocument: '{name} entfernen', documentTooLarge: 'Das Dokument ist zu groß für diesen Server.',
    documentUnknown: 'Diese Art von Datei lässt sich nicht übersetzen.',
    compareTitle: '{name}: Original und Übersetzung', compareMore: 'Die ersten {n} von {all} Zeilen.',
    close: 'Schließen', sourceSide: 'Original', targetSide: 'Übersetzung',
  },
};

let language = 'en';

export const uiLanguages = Object.keys(TEXTS);

export function setUiLanguage(code) {
  language = TEXTS[code] ? code : 'en';
  document.documentElement.lang = language;
}

// The text of a key, with its {places} filled in.
export function text(key, values = {}) {
  return TEXTS[language][key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

// Puts texts where the page asks for them: data-text, and data-label, data-title, data-placeholder for attributes.
export function fillTexts(root = document) {
  const attributes = {label: 'aria-label', title: 'title', placeholder: 'placeholder'};
  for (const node of root.querySelectorAll('[data-text]')) node.textContent = text(node.dataset.text);
  for (const [name, attribute] of Object.entries(attributes)) {
    for (const node of root.querySelectorAll(`[data-${name}]`)) node.setAttribute(attribute, text(node.dataset[name]));
  }
  for (const node of root.querySelectorAll('button[data-label]')) node.title = text(node.dataset.label);
}

export const number = value => value.toLocaleString(language);

// The name of a language code as models have it ("de", "deu_Latn"); the code where there is none.
export function languageName(code) {
  if (!code) return text('anyLanguage');
  try {
    return new Intl.DisplayNames([language], {type: 'language', fallback: 'code'}).of(code.replaceAll('_', '-'));
  } catch {
    return code;
  }
}
