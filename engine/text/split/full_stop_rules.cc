#include "engine/text/split/full_stop_rules.h"

#include <unicode/uchar.h>
#include <unicode/ures.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "engine/base/utf8.h"

namespace dragoman::engine {
namespace {

// No abbreviation or sentence starter of the lists has more bytes. The limit keeps the time of
// Continues constant.
constexpr size_t kMaxWordBytes = 40;

// Languages that write ordinal numbers with a full stop.
constexpr std::string_view kOrdinalLanguages[] = {"de", "lb", "da", "nb", "nn", "no", "fi", "is",
                                                  "et", "lv", "lt", "cs", "sk", "pl", "hu", "sl",
                                                  "hr", "sr", "bs", "tr", "fo", "gsw"};

// German abbreviations that ICU 72's list lacks. Continues has rules for single letters and "z.B.".
constexpr std::string_view kGermanAlways[] = {
    "Abb.",  "Abschn.", "Anm.",   "Aufl.", "Bd.",   "Bde.",   "bes.",   "betr.",  "bspw.",
    "bzgl.", "bzw.",    "ca.",    "dgl.",  "Dipl.", "Dr.",    "dt.",    "ebd.",   "engl.",
    "etw.",  "f.",      "ff.",    "Fam.",  "Fig.",  "franz.", "Frhr.",  "geb.",   "gegr.",
    "ggü.",  "griech.", "Hl.",    "hl.",   "Hrn.",  "i.",     "insb.",  "insg.",  "ital.",
    "Jg.",   "Kap.",    "kgl.",   "lat.",  "lt.",   "max.",   "med.",   "min.",   "Mr.",
    "Mrs.",  "Ms.",     "phil.",  "Prof.", "rd.",   "Red.",   "rer.",   "Rn.",    "röm.",
    "russ.", "Sr.",     "Skt.",   "sog.",  "span.", "spez.",  "Tab.",   "teilw.", "theol.",
    "u.",    "übers.",  "urspr.", "v.",    "verm.", "vgl.",   "Vgl.",   "vs.",    "wg.",
    "Wwe.",  "Ziff.",   "zit.",   "zw.",   "zzgl.", "Hr.",    "Fr.",    "Frl.",   "Nr.",
    "Nrn.",  "Art.",    "Abs.",   "Alt.",  "nat.",  "jur.",   "habil.", "Ing.",   "Mag.",
    "Gebr.", "Fa.",     "evtl.",  "ggf.",  "inkl.", "exkl.",  "dipl.",  "allg."};
constexpr std::string_view kGermanSometimes[] = {
    "Mio.", "Mrd.",  "Tsd.", "Std.",  "Stdn.", "Min.", "Sek.", "Jh.",  "Jhdt.", "Jahrh.", "Jan.",
    "Feb.", "Febr.", "Apr.", "Aug.",  "Sept.", "Sep.", "Okt.", "Nov.", "Dez.",  "Str.",   "Co.",
    "Inc.", "Ltd.",  "Jr.",  "Corp.", "Tel.",  "Max.", "St.",  "Pfd.", "Stck.", "Stk.",   "Chr.",
    "Mo.",  "Mi.",   "Do.",  "Sa.",   "Hbf.",  "e.V.", "ed.",  "tägl."};
// Entries of ICU's German list that are ordinary words or often end a sentence, apart from those of
// kGermanSometimes.
constexpr std::string_view kGermanWords[] = {
    "Port.", "Di.",  "So.",   "am.",   "Test.", "Best.", "PIN.",  "Trans.",    "Rel.",
    "Int.",  "Mod.", "Temp.", "Chin.", "Gem.",  "Schr.", "Phys.", "Geograph.", "gest.",
    "Prot.", "Ben.", "Konv.", "Ca.",   "led.",  "Proz.", "App.",  "Obj."};
// A capital letter does not show that a sentence begins, because German nouns are capitalized. But
// these words are capitalized only at the beginning of a sentence. So a full stop before them ends
// a sentence, even after an ordinal or an initial.
constexpr std::string_view kGermanStarters[] = {
    "Der",   "Die",      "Das",      "Den",    "Dem",   "Des",     "Ein",    "Eine",    "Einen",
    "Einem", "Einer",    "Er",       "Sie",    "Es",    "Ich",     "Du",     "Wir",     "Ihr",
    "Ihre",  "Man",      "Und",      "Aber",   "Doch",  "Oder",    "Denn",   "Dann",    "Danach",
    "Davor", "Dort",     "Da",       "Hier",   "Heute", "Gestern", "Jetzt",  "Nun",     "Wenn",
    "Als",   "Weil",     "Ob",       "Wie",    "Was",   "Wer",     "Wo",     "Warum",   "Wann",
    "Auch",  "Nur",      "Noch",     "So",     "In",    "Im",      "Am",     "An",      "Auf",
    "Aus",   "Bei",      "Beim",     "Mit",    "Nach",  "Von",     "Vor",    "Zu",      "Zum",
    "Zur",   "Für",      "Um",       "Bis",    "Seit",  "Diese",   "Dieser", "Dieses",  "Diesen",
    "Mein",  "Meine",    "Dein",     "Deine",  "Sein",  "Seine",   "Unser",  "Unsere",  "Kein",
    "Keine", "Nicht",    "Nein",     "Ja",     "Alle",  "Alles",   "Dazu",   "Dabei",   "Deshalb",
    "Daher", "Trotzdem", "Außerdem", "Jedoch", "Viele", "Manche",  "Jeder",  "Jede",    "Jedes",
    "Ist",   "Sind",     "War",      "Hat",    "Haben", "Kann",    "Wird",   "Während", "Obwohl"};

constexpr std::string_view kEnglishAlways[] = {
    "Mr.",  "Mrs.", "Ms.",  "Dr.",  "Prof.", "Gen.",    "Col.", "Lt.",     "Sgt.", "Capt.", "Rev.",
    "Hon.", "Sen.", "Rep.", "Gov.", "vs.",   "e.g.",    "i.e.", "cf.",     "Nos.", "Fig.",  "fig.",
    "Eq.",  "pp.",  "p.",   "vol.", "Vol.",  "approx.", "Mt.",  "Messrs.", "ca."};
constexpr std::string_view kEnglishSometimes[] = {
    "Jr.",  "Sr.",  "Inc.",   "Ltd.",  "Co.",   "Corp.", "Jan.",  "Feb.", "Mar.", "Apr.", "Jun.",
    "Jul.", "Aug.", "Sep.",   "Sept.", "Oct.",  "Nov.",  "Dec.",  "a.m.", "p.m.", "A.M.", "P.M.",
    "U.S.", "U.K.", "U.S.A.", "D.C.",  "Ph.D.", "Ave.",  "Dept.", "No.",  "St."};
constexpr std::string_view kEnglishWords[] = {
    "Long.", "Hat.", "Link.", "By.",   "Act.",  "Up.",  "Job.", "Ok.",  "OK.",  "Ex.",  "Cont.",
    "Mart.", "Or.",  "Cap.",  "PC.",   "In.",   "To.",  "Fri.", "Do.",  "Joe.", "Id.",  "Is.",
    "On.",   "Min.", "Go.",   "All.",  "As.",   "Pro.", "AA.",  "AB.",  "AD.",  "Jam.", "Card.",
    "Alt.",  "Var.", "Org.",  "Comm.", "Diff.", "Def.", "Lib.", "Lev.", "VS.",  "Etc.", "Yr.",
    "Mb.",   "Gb.",  "Kb.",   "Hz.",   "DC.",   "Ed.",  "MR.",  "Num."};
constexpr std::string_view kEnglishStarters[] = {
    "The",   "A",       "An",      "He",       "She",    "It",    "I",    "We",   "You",
    "They",  "This",    "That",    "These",    "Those",  "But",   "And",  "Or",   "If",
    "When",  "Then",    "There",   "Here",     "In",     "On",    "At",   "What", "Who",
    "Why",   "How",     "So",      "No",       "Yes",    "My",    "His",  "Her",  "Our",
    "Their", "As",      "For",     "After",    "Before", "Not",   "Is",   "Are",  "Do",
    "Did",   "Because", "However", "Although", "While",  "Since", "Some", "Many", "All"};

// Returns ICU's list of abbreviations for the language ("exceptions/SentenceBreak" of ICU's break
// iterator data). ICU's own filter for this list compares suffixes, so that "r." also matches
// "Meier.". FullStopRules compares words instead.
std::vector<std::string> IcuSuppressions(const std::string& language) {
  struct Close {
    void operator()(UResourceBundle* bundle) const { ures_close(bundle); }
  };
  using Bundle = std::unique_ptr<UResourceBundle, Close>;
  std::vector<std::string> words;
  UErrorCode status = U_ZERO_ERROR;
  const Bundle root(ures_open(U_ICUDATA_NAME "-brkitr", language.c_str(), &status));
  // A warning means that ICU fell back to another language's list.
  if (status != U_ZERO_ERROR) return words;
  const Bundle exceptions(ures_getByKey(root.get(), "exceptions", nullptr, &status));
  const Bundle list(ures_getByKey(exceptions.get(), "SentenceBreak", nullptr, &status));
  if (U_FAILURE(status)) return words;
  for (int32_t i = 0; i < ures_getSize(list.get()); ++i) {
    char buffer[128];
    int32_t size = sizeof(buffer);
    status = U_ZERO_ERROR;
    const char* word = ures_getUTF8StringByIndex(list.get(), i, buffer, &size, true, &status);
    if (U_SUCCESS(status) && word != nullptr) words.emplace_back(word);
  }
  return words;
}

// Reports whether a word may follow the character without a space.
bool IsOpening(char32_t c) {
  const int8_t type = u_charType(static_cast<UChar32>(c));
  return type == U_START_PUNCTUATION || type == U_INITIAL_PUNCTUATION ||
         type == U_FINAL_PUNCTUATION || c == '"' || c == '\'' || c == U'„' || c == U'‚' ||
         c == '/' || c == U'–' || c == U'—';
}

bool IsClosing(char32_t c) {
  const int8_t type = u_charType(static_cast<UChar32>(c));
  return type == U_END_PUNCTUATION || type == U_INITIAL_PUNCTUATION ||
         type == U_FINAL_PUNCTUATION || c == '"' || c == '\'';
}

// Returns the word that ends at byte `end`, back to white space or an opening bracket or quote.
// Returns "" if it is longer than any abbreviation.
std::string_view WordBefore(std::string_view line, size_t end) {
  size_t begin = end;
  while (begin > 0) {
    size_t at = begin;
    const char32_t c = PreviousCodePoint(line, at);
    if (IsWhiteSpace(c) || IsOpening(c)) break;
    begin = at;
    if (end - begin > kMaxWordBytes) return {};
  }
  return line.substr(begin, end - begin);
}

std::string_view LettersFrom(std::string_view line, size_t begin) {
  size_t end = begin;
  while (end < line.size() && end - begin <= kMaxWordBytes) {
    size_t at = end;
    if (!u_isalpha(static_cast<UChar32>(NextCodePoint(line, at)))) break;
    end = at;
  }
  return line.substr(begin, end - begin);
}

// The form of a word before a full stop.
struct Shape {
  int letters = 0;
  int digits = 0;
  int stops = 0;
  int longest_part = 0;  // the largest number of letters between two full stops
  bool other = false;
  bool lower_case = false;
  bool roman = true;  // letters of Roman numerals only
};

Shape ShapeOf(std::string_view word) {
  Shape shape;
  int part = 0;
  for (size_t at = 0; at < word.size();) {
    const char32_t c = NextCodePoint(word, at);
    if (c == '.') {
      ++shape.stops;
      part = 0;
    } else if (c >= '0' && c <= '9') {
      ++shape.digits;
    } else if (u_isalpha(static_cast<UChar32>(c))) {
      ++shape.letters;
      shape.longest_part = std::max(shape.longest_part, ++part);
      shape.lower_case = shape.lower_case || u_islower(static_cast<UChar32>(c));
      shape.roman = shape.roman && std::u32string_view(U"IVXLC").find(c) != std::u32string::npos;
    } else {
      shape.other = true;
    }
  }
  return shape;
}

}  // namespace

FullStopRules::FullStopRules(std::string_view language) {
  ordinals_ = std::find(std::begin(kOrdinalLanguages), std::end(kOrdinalLanguages), language) !=
              std::end(kOrdinalLanguages);
  const auto fill = [](const auto& list, std::unordered_set<std::string_view>& set) {
    set.insert(std::begin(list), std::end(list));
  };
  for (std::string& word : IcuSuppressions(std::string(language))) {
    // Leaves out phrases with a space ("z. B."), for which Continues() has a rule.
    if (word.find(' ') == std::string::npos) owned_.insert(std::move(word));
  }
  if (language == "de") {
    for (const std::string_view word : kGermanWords) owned_.erase(std::string(word));
    fill(kGermanAlways, always_);
    fill(kGermanSometimes, sometimes_);
    fill(kGermanStarters, starters_);
  } else if (language == "en") {
    for (const std::string_view word : kEnglishWords) owned_.erase(std::string(word));
    fill(kEnglishAlways, always_);
    fill(kEnglishSometimes, sometimes_);
    fill(kEnglishStarters, starters_);
  }
  // Continues has a rule for initials, which are single letters.
  std::erase_if(owned_, [](const std::string& word) { return CountCodePoints(word) <= 2; });
  for (const std::string& word : owned_) {
    if (!sometimes_.contains(word)) always_.insert(word);
  }
}

bool FullStopRules::Continues(std::string_view line, size_t at) const {
  size_t end = at;
  bool closed = false;
  bool space = false;
  for (size_t before = end; before > 0; end = before) {
    const char32_t c = PreviousCodePoint(line, before);
    if (IsWhiteSpace(c)) {
      space = true;
    } else if (IsClosing(c)) {
      closed = true;
    } else {
      break;
    }
  }
  size_t next = at;
  const char32_t first = NextCodePoint(line, next);
  // „Komm!“ sagte er.
  if (closed) return u_islower(static_cast<UChar32>(first)) != 0;
  if (!space || end == 0 || line[end - 1] != '.') return false;

  const std::string_view word = WordBefore(line, end);
  if (word.empty()) return false;
  if (always_.contains(word)) return true;
  // Skips a quote or bracket before the next word.
  size_t begin = at;
  if (IsOpening(first)) begin = next;
  const bool starter = IsStarter(LettersFrom(line, begin));
  if (sometimes_.contains(word)) return !starter;

  const Shape shape = ShapeOf(word);
  if (shape.other) return false;
  const bool at_line_start = word.data() == line.data();
  if (shape.letters == 0 && shape.digits > 0) {
    if (at_line_start && shape.digits <= 3) return true;  // 1. Der erste Punkt
    const bool is_date = shape.stops > 1;                 // 3.5.
    if (!ordinals_ || (shape.digits > 3 && !is_date)) return false;
    return !starter;
  }
  if (shape.digits > 0) return false;
  if (shape.letters == 1 && shape.stops == 1) {
    if (at_line_start || shape.lower_case) return true;
    // "z. B. Das": the word before "B." is also a single letter.
    const size_t word_begin = static_cast<size_t>(word.data() - line.data());
    size_t previous_end = word_begin;
    while (previous_end > 0) {
      size_t before = previous_end;
      if (!IsWhiteSpace(PreviousCodePoint(line, before))) break;
      previous_end = before;
    }
    const Shape previous = ShapeOf(WordBefore(line, previous_end));
    if (previous.letters == 1 && previous.stops == 1 && previous.lower_case) return true;
    if (word == "I.") return ordinals_ && !starter;  // English "So do I."
    return !starter;
  }
  if (shape.stops > 1 && shape.longest_part <= 3) return !starter;  // i.d.R., U.S.A.
  // Friedrich II. König von Preußen
  if (ordinals_ && shape.roman && shape.letters <= 5 && shape.stops == 1) return !starter;
  return false;
}

}  // namespace dragoman::engine
