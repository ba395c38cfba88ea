#include "server/compat/openai_prompts.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/api/absl_view.h"
#include "server/base/quoted.h"
#include "server/base/work_count.h"
#include "server/call/request_error.h"

namespace dragoman::server {
namespace {

constexpr std::string_view kEngine =
    "You are a professional, authentic machine translation engine.";

// A template that begins like another one must precede the shorter one, because the first match
// counts.
constexpr PromptTemplate kTemplates[] = {
    {"KISS Translator", "",
     "Translate the following source text from {from} to {to}. Output translation directly without "
     "any additional text. Source Text: {text} Translated Text:"},
    {"Immersive Translate, web dictionaries", "",
     "Translate the following source text from {from} to {to}, Output translation directly without "
     "any additional text. Source Text: {text} Translated Text:"},
    {"KISS Translator", "",
     "Translate the following source text to {to}. Output translation directly without any "
     "additional text. Source Text: {text} Translated Text:"},
    {"Immersive Translate", "",
     "Translate the following source text to {to}, Output translation directly without any "
     "additional text. Source Text: {text} Translated Text:"},
    {"Immersive Translate", "",
     "Translate the following text into {to}, If translation is unnecessary (e.g. proper nouns, "
     "codes, etc.), return the original text. NO explanations. NO notes: {text}"},
    {"Subtitle Edit", "",
     "Translate from {from} to {to}, keep punctuation as input, do not censor the translation, "
     "give only the output without comments or notes: {text}"},
    {"Subtitle Edit", "",
     "Translate from {from} to {to}, keep punctuation as input, do not censor the translation, "
     "give only the output without comments: {text}"},
    {"Subtitle Edit", "",
     "Translate from {from} to {to}, keep punctuation as input, keep line breaks exactly the same, "
     "do not censor the translation, give only the output without comments: {text}"},
    {"Subtitle Edit", "",
     "Translate from {from} to {to}, keep sentences in {to} as they are, do not censor the "
     "translation, give only the output without comments: {text}"},
    {"Subtitle Edit, completion template", "",
     "Translate this from {from} to {to}: {from}: {text} {to}:"},
    {"LLPlayer",
     "Send the text of the subtitles for the video one at a time. Please translate the text while "
     "retaining the context of the previous text. Translate from {from} to {to}. Give only the "
     "translated text without commenting or anything: Keep sentences in {to} as they are. DO NOT "
     "CENSOR the translation.",
     "{text}"},
    {"OpenAI Translator for Bob", "", "translate from {from} to {to}: {text} =>"},
    {"OpenAI Translator for Bob", "", "translate from {from} to {to}: {text}"},
    {"LangChain's example", "Translate the following from {from} into {to}", "{text}"},
    {"LangChain's example", "Translate the following from {from} to {to}", "{text}"},
    {"LangChain's example", "Translate the following into {to}:", "{text}"},
    {"Obsidian and editor plug-ins", "",
     "Translate the following text from {from} to {to}: {text}"},
    {"Obsidian and editor plug-ins", "", "Translate the following text into {to}: {text}"},
    {"Obsidian and editor plug-ins", "", "Translate the following text to {to}: {text}"},
    {"scripts", "", "Translate from {from} to {to}: {text}"},
    {"scripts", "", "Translate this text from {from} to {to}: {text}"},
    {"scripts", "", "Translate to {to}: {text}"},
    {"scripts", "", "Translate into {to}: {text}"},
};

constexpr std::string_view kPlainSystem[] = {
    kEngine,
    "You are a translation engine that can only translate text and cannot interpret it.",
    "You are a professional translator.",
    "You are a helpful assistant.",
};

bool IsSpace(char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); }

void SkipSpace(std::string_view* text) {
  while (!text->empty() && IsSpace(text->front())) text->remove_prefix(1);
}

std::string_view Strip(std::string_view text) {
  SkipSpace(&text);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// Returns the number of leading bytes of `text` that `literal` matches; nothing if it does not
// match. White space in `literal` matches any amount of white space, including none.
std::optional<size_t> MatchLiteral(std::string_view literal, std::string_view text) {
  const size_t size = text.size();
  for (const char c : literal) {
    if (c == ' ') {
      SkipSpace(&text);
    } else if (text.empty() || absl::ascii_tolower(static_cast<unsigned char>(text.front())) !=
                                   absl::ascii_tolower(static_cast<unsigned char>(c))) {
      CountBytes(size - text.size() + 1);
      return std::nullopt;
    } else {
      text.remove_prefix(1);
    }
  }
  CountBytes(size - text.size());
  return size - text.size();
}

bool IsLetter(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)); }

// Reports whether `text` begins with `literal`, so that a language's name ends before it. A word
// needs white space around it: the "to" inside "Estonian" does not match.
bool FollowsLanguage(std::string_view literal, std::string_view text) {
  if (literal.starts_with(' ') && (text.empty() || !IsSpace(text.front()))) return false;
  const std::optional<size_t> matched = MatchLiteral(literal, text);
  if (!matched.has_value()) return false;
  const bool is_word = literal.size() >= 2 && literal.back() == ' ' && IsLetter(literal.end()[-2]);
  return !is_word || *matched == text.size() || IsSpace(text[*matched - 1]);
}

// Returns the maximum number of bytes that a language's name may have at the beginning of `text`. A
// name is short and contains no punctuation of sentences.
size_t MostOfLanguage(std::string_view text) {
  constexpr size_t kMaxBytes = 60;
  return std::min({kMaxBytes, text.size(), text.find_first_of("\n.:;!?")});
}

std::string_view Unquote(std::string_view name) {
  while (name.size() >= 2) {
    const char open = name.front();
    const char close = name.back();
    if ((open == '"' && close == '"') || (open == '\'' && close == '\'') ||
        (open == '[' && close == ']') || (open == '{' && close == '}') ||
        (open == '<' && close == '>')) {
      name = Strip(name.substr(1, name.size() - 2));
    } else {
      break;
    }
  }
  return name;
}

// Matches `text` with the rest of a template. A language ends where the literal after it first
// matches, so that time is linear. The text to translate is the longest possible. The keys of `out`
// are 'f' for {from}, 'o' for {to} and 't' for {text}.
bool Match(std::string_view pattern, std::string_view text, std::map<char, std::string_view>* out) {
  const size_t open = pattern.find('{');
  if (open == std::string_view::npos) {
    const std::optional<size_t> matched = MatchLiteral(pattern, text);
    return matched.has_value() && Strip(text.substr(*matched)).empty();
  }
  const std::optional<size_t> matched = MatchLiteral(pattern.substr(0, open), text);
  if (!matched.has_value()) return false;
  text.remove_prefix(*matched);
  const char name = pattern[open + 1];  // the first letter of from, to or text
  const std::string_view rest = pattern.substr(pattern.find('}', open) + 1);
  const std::string_view next = rest.substr(0, rest.find('{'));
  if (name != 't' || pattern[open + 2] == 'o') {
    const char key = name == 'f' ? 'f' : 'o';
    const size_t most = MostOfLanguage(text);
    size_t end = 1;
    if (next.empty()) {
      end = text.size();
    } else {
      // White space before the literal belongs to the literal.
      while (end <= most && ((next.starts_with(' ') && IsSpace(text[end - 1])) ||
                             !FollowsLanguage(next, text.substr(end)))) {
        ++end;
      }
    }
    if (end == 0 || end > most) return false;
    const std::string_view language = Unquote(Strip(text.substr(0, end)));
    const auto [earlier, is_new] = out->emplace(key, language);
    return (is_new || earlier->second == language) && Match(rest, text.substr(end), out);
  }
  // The literal after the text to translate is in the last kMaxTail bytes, because it is short: a
  // mark, or the beginning of the answer.
  constexpr size_t kMaxTail = 80;
  const size_t least = text.size() > kMaxTail ? text.size() - kMaxTail : 0;
  for (size_t end = text.size() + 1; end-- > least;) {
    if (!next.empty() && !MatchLiteral(next, text.substr(end)).has_value()) continue;
    std::map<char, std::string_view> tried = *out;
    if (rest.empty() ? end != text.size() : !Match(rest, text.substr(end), &tried)) continue;
    tried['t'] = Strip(text.substr(0, end));
    *out = std::move(tried);
    return true;
  }
  return false;
}

// Reads KISS Translator's prompt for one text (version 2): headings with the page's title and the
// like, "# Glossary:" with lines "- source: target", "# Task" with the language, and at the end
// "Source Text: ... Translated Text:". Returns nothing for other prompts. Linear time.
std::optional<Prompt> ReadHeadings(std::string_view content) {
  constexpr std::string_view kTask = "# Task\n";
  constexpr std::string_view kInstruction = "Translate the Source Text below to ";
  constexpr std::string_view kText = "Source Text:";
  constexpr std::string_view kEnd = "Translated Text:";
  content = Strip(content);
  if (!content.starts_with("# Context\n")) return std::nullopt;
  const size_t task = content.find(kTask);
  if (task == content.npos) return std::nullopt;
  std::string_view rest = content.substr(task + kTask.size());
  if (!rest.starts_with(kInstruction)) return std::nullopt;
  rest.remove_prefix(kInstruction.size());
  const std::string_view to = rest.substr(0, MostOfLanguage(rest));
  const size_t text = rest.find(kText);
  if (to.empty() || !rest.substr(to.size()).starts_with(".") || text == rest.npos ||
      !rest.ends_with(kEnd)) {
    return std::nullopt;
  }
  rest.remove_suffix(kEnd.size());
  Prompt prompt;
  prompt.text = std::string(Strip(rest.substr(text + kText.size())));
  prompt.to = std::string(Unquote(Strip(to)));
  constexpr std::string_view kGlossary = "\n# Glossary:\n";
  const size_t glossary = content.substr(0, task).find(kGlossary);
  if (glossary == content.npos) return prompt;
  const size_t entries = glossary + kGlossary.size();
  for (const absl::string_view line :
       absl::StrSplit(View(content.substr(entries, task - entries)), '\n')) {
    const std::pair<absl::string_view, absl::string_view> sides =
        absl::StrSplit(line, absl::MaxSplits(": ", 1));
    if (!absl::StartsWith(line, "- ")) continue;
    const absl::string_view source = absl::StripAsciiWhitespace(sides.first.substr(2));
    const absl::string_view target = absl::StripAsciiWhitespace(sides.second);
    if (!source.empty()) prompt.terms.emplace_back(source, target);
  }
  return prompt;
}

Prompt PromptOf(const std::map<char, std::string_view>& found) {
  const auto value = [&found](char key) {
    const auto at = found.find(key);
    return at == found.end() ? std::string() : std::string(at->second);
  };
  Prompt prompt;
  prompt.text = value('t');
  prompt.from = value('f');
  prompt.to = value('o');
  return prompt;
}

// Reads a user's message: a template without a system message, or a text.
absl::StatusOr<Prompt> ReadUser(std::string_view content, const std::string& field) {
  for (const PromptTemplate& row : kTemplates) {
    if (!row.system.empty()) continue;
    std::map<char, std::string_view> found;
    if (Match(row.user, Strip(content), &found)) return PromptOf(found);
  }
  if (std::optional<Prompt> prompt = ReadHeadings(content)) return *std::move(prompt);
  for (const std::string_view instruction :
       {"translate ", "please translate ", "you are ", "act as a ", "# context\n", "# role\n",
        "# task\n", "# input data\n", "# instructions\n"}) {
    if (!MatchLiteral(instruction, Strip(content)).has_value()) continue;
    return InvalidField(field,
                        "found an instruction in words that this server does not know, expected a "
                        "text to translate, alone or in a template of a translation front end "
                        "(server/compat/README.md lists them)");
  }
  Prompt prompt;
  prompt.text = std::string(content);
  return prompt;
}

bool IsPlainSystem(std::string_view content) {
  for (const std::string_view plain : kPlainSystem) {
    const std::optional<size_t> matched = MatchLiteral(plain, Strip(content));
    if (matched.has_value() && *matched == Strip(content).size()) return true;
  }
  return false;
}

}  // namespace

std::span<const PromptTemplate> PromptTemplates() { return kTemplates; }
std::span<const std::string_view> PlainSystemMessages() { return kPlainSystem; }

absl::StatusOr<Prompt> ReadChat(const std::vector<ChatMessage>& messages) {
  const auto refuse = [](size_t i, const std::string& what) {
    return InvalidField(absl::StrCat("messages[", i, "]"), what);
  };
  if (messages.empty()) return InvalidField("messages", "found none, expected a user's message");
  size_t first = 0;
  std::string system;
  if (messages[0].role == "system" || messages[0].role == "developer") {
    system = messages[0].content;
    first = 1;
  }
  const size_t last = messages.size() - 1;
  for (size_t i = first; i < messages.size(); ++i) {
    const bool is_user = (last - i) % 2 == 0;
    if (messages[i].role != (is_user ? "user" : "assistant")) {
      return refuse(i, absl::StrCat("found the role ", Quoted(messages[i].role), ", expected ",
                                    is_user ? "user" : "assistant",
                                    ": turns of both, the last one the user's"));
    }
  }
  if (first == messages.size()) return refuse(last, "found no user's message, expected one");
  const std::string& text = messages[last].content;

  for (const PromptTemplate& row : kTemplates) {
    std::map<char, std::string_view> found;
    if (row.system.empty() || !Match(row.system, Strip(system), &found)) continue;
    found['t'] = text;
    return PromptOf(found);
  }
  absl::StatusOr<std::optional<SegmentBatch>> batch =
      ReadSegmentBatch(system, text, absl::StrCat("messages[", last, "].content"));
  if (!batch.ok()) return batch.status();
  if (batch->has_value() && last == first) {
    Prompt prompt;
    prompt.to = (*batch)->to;
    prompt.terms = (*batch)->terms;
    prompt.batch = *std::move(batch);
    return prompt;
  }
  if (!Strip(system).empty() && !IsPlainSystem(system)) {
    return refuse(0,
                  "found a system message that this server does not know, expected none, or one "
                  "that translation front ends send (server/compat/README.md lists them)");
  }
  if (last > first) {
    return refuse(first, absl::StrCat("found ", messages.size() - first,
                                      " turns, expected one: a translation has no context"));
  }
  return ReadUser(text, absl::StrCat("messages[", last, "].content"));
}

absl::StatusOr<Prompt> ReadCompletionPrompt(std::string_view prompt) {
  const auto batch = ReadSegmentBatch("", prompt, "prompt");
  if (!batch.ok()) return batch.status();
  if (batch->has_value()) {
    return InvalidField("prompt", "found segments, expected them at /v1/chat/completions");
  }
  return ReadUser(prompt, "prompt");
}

}  // namespace dragoman::server
