#include "client/commands/request_flags.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/generated_enum_reflection.h>

#include "absl/strings/str_cat.h"
#include "client/commands/decoding_flags.h"

namespace dragoman::client {
namespace {

// Returns the enum value whose name is `choice` in capitals, or 0 for "". REQUIRES: the enum has
// this value.
template <typename E>
E EnumOf(const std::string& choice) {
  if (choice.empty()) return E{};
  return static_cast<E>(FindChoice(*google::protobuf::GetEnumDescriptor<E>(), choice)->number());
}

}  // namespace

absl::StatusOr<std::pair<std::string, std::string>> ParseTerm(const std::string& text) {
  const auto wrong = [&text](const char* what) {
    return absl::InvalidArgumentError(absl::StrCat("--term is '", text, "', ", what));
  };
  std::string sides[2];
  int side = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '=') {
      if (++side > 1) {
        return wrong("which has several '=', expected one; write '\\=' for one in the text");
      }
      continue;
    }
    if (text[i] == '\\') {
      if (++i == text.size() || (text[i] != '=' && text[i] != '\\')) {
        return wrong("in which a backslash stands before neither '=' nor a backslash");
      }
    }
    sides[side] += text[i];
  }
  if (side == 0) return wrong("expected SOURCE=TARGET");
  return std::make_pair(sides[0], sides[1]);
}

void RequestFlags::AddTo(FlagTable* flags, bool with_model) {
  AddTextFlags(flags, with_model);
  AddDecodingFlags(flags, &decoding_);
  AddPhraseFlags(flags);
}

void RequestFlags::AddTextFlags(FlagTable* flags, bool with_model) {
  flags->String("source-language-code", "LANG", &from_,
                "language of the texts, such as de, or auto: that of each text\n"
                "is detected (default: the model's, if it has only one)");
  flags->Alias("from");
  flags->String("target-language-code", "LANG", &to_,
                "language to translate into, such as en (default: the model's,\n"
                "if it has only one)");
  flags->Alias("to");
  if (with_model) {
    flags->String("model", "NAME", &model_, "model to translate with (default: the server's)");
  }
  flags->Bool("html", &html_, "treats the texts as HTML and keeps their tags");
  flags->Bool("markdown", &markdown_, "treats the texts as Markdown and keeps their marks");
  flags->Choice("split", {"sentences", "lines", "none"}, &split_,
                "how each text is split before it is translated (default:\n"
                "sentences; none with options that need an unsplit text)");
  flags->Choice("on-too-long", {"split", "reject"}, &on_too_long_,
                "whether a sentence that is too long for the model is split\n"
                "or fails (default: split)");
  flags->Choice("priority", {"interactive", "normal", "bulk"}, &priority_,
                "priority of the requests in the server's queue (default:\n"
                "normal)");
}

void RequestFlags::AddPhraseFlags(FlagTable* flags) {
  flags->Bool("sampling", &sampling_, HelpOf("sampling"));
  flags->Alias("sample");
  flags->Strings("required-phrases", "TEXT", &required_phrases_, HelpOf("required_phrases"));
  flags->Alias("require");
  flags->Strings("required-phrases-at-end", "TEXT", &required_at_end_,
                 "a phrase that the translation must end with; at most one");
  flags->Alias("require-at-end");
  flags->Strings("term", "SOURCE=TARGET", &terms_,
                 "translates SOURCE as TARGET wherever a text contains it;\n"
                 "\\= and \\\\ stand for = and \\ in the text; may be repeated");
  flags->Bool("term-ignore-case", &term_ignore_case_,
              "ignores case when it looks for the SOURCE of a --term");
  flags->String("glossary", "NAME", &glossary_,
                "applies the terms of this glossary, which the server has");
  flags->Bool("glossary-ignore-case", &glossary_ignore_case_,
              "ignores case when it looks for the terms of --glossary");
  flags->Strings("do-not-translate", "TEXT", &do_not_translate_,
                 "a phrase that is copied untranslated; may be repeated");
  flags->Choice("preserve", {"on", "off"}, &preserve_,
                "whether placeholders stay as they are: {0}, %s, tags, URLs,\n"
                "addresses, code, file names, emoji (default: on with --html\n"
                "and --markdown)");
  flags->Choice("recase", {"on", "off"}, &recase_,
                "whether text in capitals is translated in lower case, and its\n"
                "translation put in capitals (default: on)");
  flags->Choice("guard", {"warn", "retry", "off"}, &guard_,
                "what is done about a translation that is probably wrong: a\n"
                "warning, a second search with safer options, or nothing; off\n"
                "also translates what has no letters (default: warn)");
}

std::string RequestFlags::Contradiction() const {
  const v1::Sampling& draws = decoding_.sampling();
  if (!sampling_) {
    if (draws.has_top_k()) return "--sampling-top-k (--top-k) needs --sampling";
    if (draws.has_top_p()) return "--sampling-top-p (--top-p) needs --sampling";
    if (draws.has_seed()) return "--sampling-seed (--seed) needs --sampling";
  }
  if (html_ && markdown_) return "--html and --markdown do not go together";
  if (glossary_ignore_case_ && glossary_.empty()) return "--glossary-ignore-case needs --glossary";
  if (term_ignore_case_ && terms_.empty()) return "--term-ignore-case needs --term";
  return "";
}

absl::StatusOr<v1::TranslateRequest> RequestFlags::Request() const {
  if (const std::string wrong = Contradiction(); !wrong.empty()) {
    return absl::InvalidArgumentError(wrong);
  }
  v1::TranslateRequest request;
  request.set_source_language_code(from_);
  request.set_target_language_code(to_);
  request.set_model(model_);
  if (html_) request.set_mime_type("text/html");
  if (markdown_) request.set_mime_type("text/markdown");
  request.set_priority(EnumOf<v1::Priority>(priority_));
  if (!split_.empty() || !on_too_long_.empty()) {
    v1::Segmentation* segmentation = request.mutable_segmentation();
    segmentation->set_split(EnumOf<v1::Segmentation::Split>(split_));
    segmentation->set_on_too_long(EnumOf<v1::Segmentation::OnTooLong>(on_too_long_));
  }
  for (const std::string& text : terms_) {
    auto sides = ParseTerm(text);
    if (!sides.ok()) return sides.status();
    v1::Term* term = request.add_terms();
    term->set_source(std::move(sides->first));
    term->set_target(std::move(sides->second));
    term->set_ignore_case(term_ignore_case_);
  }
  if (!glossary_.empty()) {
    request.mutable_glossary_config()->set_glossary(glossary_);
    request.mutable_glossary_config()->set_ignore_case(glossary_ignore_case_);
  }
  for (const std::string& text : do_not_translate_) request.add_do_not_translate(text);
  if (!preserve_.empty()) request.set_preserve(preserve_ == "on");
  if (!guard_.empty()) request.set_guard(EnumOf<v1::TranslateRequest::Guard>(guard_));
  if (!recase_.empty()) request.set_recase(recase_ == "on");
  v1::DecodingOptions* decoding = request.mutable_decoding();
  *decoding = decoding_;
  if (sampling_) decoding->mutable_sampling();
  for (const std::string& text : required_phrases_) {
    decoding->add_required_phrases()->set_text(text);
  }
  for (const std::string& text : required_at_end_) {
    v1::RequiredPhrase* phrase = decoding->add_required_phrases();
    phrase->set_text(text);
    phrase->set_at_end(true);
  }
  return request;
}

}  // namespace dragoman::client
