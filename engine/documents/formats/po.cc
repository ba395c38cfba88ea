// Catalogues of GNU gettext (.po, .pot).
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "engine/base/concat.h"
#include "engine/base/utf8.h"
#include "engine/documents/formats/escapes.h"
#include "engine/documents/formats/formats.h"
#include "engine/documents/spliced_document.h"

namespace dragoman::engine {
namespace {

using std::string_view;

// A keyword with its string, which may be on several lines.
struct Field {
  TextRange range;  // from the first quote to the last one
  std::string text;
};

struct Message {
  TextRange flags;  // the lines "#, ..."; empty if there is none, or it has no "fuzzy"
  std::optional<Field> id;
  std::optional<Field> plural;
  std::vector<Field> translations;  // msgstr, or msgstr[0], msgstr[1], ...
};

class Po final : public SplicedDocument {
 public:
  explicit Po(std::string content) : SplicedDocument(std::move(content), true) {}

  absl::Status Read(const DocumentOptions& options) {
    if (absl::Status utf8 = CheckUtf8(bytes()); !utf8.ok()) return utf8;
    const string_view all = bytes();
    for (size_t at = ByteOrderMarkSize(all); at < all.size();) {
      const size_t end = std::min(all.find('\n', at), all.size());
      if (absl::Status read = ReadLine(at, end, options); !read.ok()) return read;
      at = end + 1;
    }
    return Finish(options);
  }

 private:
  absl::Status ReadLine(size_t at, size_t end, const DocumentOptions& options) {
    const string_view all = bytes();
    const string_view line = StripWhiteSpace(all.substr(at, end - at));
    const auto error = [&](string_view expected) {
      return absl::InvalidArgumentError(
          Concat(LineOf(all, static_cast<int64_t>(at)), ": expected ", expected));
    };
    if (line.starts_with('"')) {
      if (field_ == nullptr) return error("a keyword before a string");
      return Append(line, at);
    }
    if (line.empty()) return absl::OkStatus();
    if (line.starts_with('#')) {
      field_ = nullptr;
      // A comment after a message belongs to the next one.
      if (!message_.translations.empty()) {
        if (absl::Status finished = Finish(options); !finished.ok()) return finished;
      }
      if (line.starts_with("#,") && line.find("fuzzy") != string_view::npos) {
        message_.flags = {static_cast<int64_t>(at), static_cast<int64_t>(end)};
      }
      return absl::OkStatus();
    }
    const size_t quote = line.find('"');
    if (quote == string_view::npos) return error("a keyword with a string");
    const string_view keyword = StripWhiteSpace(line.substr(0, quote));
    if (keyword == "msgctxt" || keyword == "msgid") {
      if (!message_.translations.empty()) {
        if (absl::Status finished = Finish(options); !finished.ok()) return finished;
      }
    }
    if (keyword == "msgctxt" || keyword == "domain") {
      field_ = &ignored_;
    } else if (keyword == "msgid") {
      field_ = &message_.id.emplace();
    } else if (keyword == "msgid_plural") {
      field_ = &message_.plural.emplace();
    } else if (keyword == "msgstr" || keyword.starts_with("msgstr[")) {
      if (!message_.id.has_value()) return error("msgid before msgstr");
      field_ = &message_.translations.emplace_back();
    } else {
      return error("msgid, msgid_plural, msgstr or msgctxt");
    }
    field_->range = {0, 0};
    field_->text.clear();
    return Append(line.substr(quote), at);
  }

  // Adds a string with its quotes to the current field.
  absl::Status Append(string_view quoted, size_t line) {
    if (quoted.size() < 2 || !quoted.ends_with('"')) {
      return absl::InvalidArgumentError(Concat(LineOf(bytes(), static_cast<int64_t>(line)),
                                               ": expected '\"' at the end of the string"));
    }
    const TextRange range = TextRange::Of(quoted, bytes());
    if (field_->range.end == 0) field_->range.begin = range.begin;
    field_->range.end = range.end;
    field_->text += DecodeC(quoted.substr(1, quoted.size() - 2));
    return absl::OkStatus();
  }

  // Adds the texts of the message that has ended.
  absl::Status Finish(const DocumentOptions& options) {
    const Message message = std::exchange(message_, {});
    field_ = nullptr;
    if (!message.id.has_value()) return absl::OkStatus();
    if (message.id->text.empty()) {
      if (!message.translations.empty()) ReadHeader(message.translations[0].range);
      return absl::OkStatus();
    }
    bool is_translated = !message.translations.empty();
    for (const Field& field : message.translations) {
      is_translated = is_translated && !field.text.empty();
    }
    const bool is_fuzzy = message.flags.size() > 0;
    if (is_translated && !is_fuzzy && !options.retranslate) return absl::OkStatus();
    for (size_t i = 0; i < message.translations.size(); ++i) {
      TextRange range = message.translations[i].range;
      std::string before;
      if (i == 0 && is_fuzzy) {
        before = BeforeFirst(message);
        range.begin = message.flags.begin;
      }
      before_.push_back(std::move(before));
      const bool is_one = !message.plural.has_value() ||
                          (message.translations.size() > 1 && i == IndexOfOne(message));
      const Field& source = is_one ? *message.id : *message.plural;
      if (absl::Status added = Add(range, {source.text}, options); !added.ok()) return added;
    }
    return absl::OkStatus();
  }

  // A header that names another encoding, such as msginit's "ASCII", would make translations
  // unreadable.
  void ReadHeader(TextRange header) {
    constexpr string_view kCharset = "charset=";
    const string_view bytes = header.In(this->bytes());
    const size_t found = bytes.find(kCharset);
    if (found == string_view::npos) return;
    string_view name = bytes.substr(found + kCharset.size());
    name = name.substr(0, name.find_first_of("\\\"; \t\r\n"));
    if (absl::EqualsIgnoreCase(std::string(name), "utf-8")) return;
    Edit(TextRange::Of(name, this->bytes()), "UTF-8");
  }

  // The forms of most languages begin with that of 1, but Arabic's with that of 0.
  static size_t IndexOfOne(const Message& message) { return message.translations.size() == 6; }

  // Returns the bytes from the line of flags, without the mark "fuzzy", to the first translation.
  std::string BeforeFirst(const Message& message) const {
    const string_view line = message.flags.In(bytes());
    std::string flags;
    for (const string_view flag : SplitAt(line.substr(line.find(',') + 1), ',')) {
      if (StripWhiteSpace(flag) != "fuzzy") flags += Concat(",", flag);
    }
    const TextRange rest = {message.flags.end, message.translations[0].range.begin};
    string_view after = rest.In(bytes());
    if (flags.empty()) {
      after.remove_prefix(1);  // the line's end
      return std::string(after);
    }
    return Concat("#", flags, line.ends_with('\r') ? "\r" : "", after);
  }

  std::string Encode(size_t text, string_view translation) const override {
    const size_t first = translation.find('\n');
    if (first == string_view::npos || first + 1 == translation.size()) {
      return Concat(before_[text], "\"", EncodeC(translation), "\"");
    }
    // One string for each line, as gettext's programs write it.
    std::string lines = Concat(before_[text], "\"\"");
    while (!translation.empty()) {
      const size_t end = std::min(translation.find('\n'), translation.size() - 1) + 1;
      lines += Concat("\n\"", EncodeC(translation.substr(0, end)), "\"");
      translation.remove_prefix(end);
    }
    return lines;
  }

  Message message_;
  Field ignored_;
  Field* field_ = nullptr;           // the last keyword's; nullptr after a comment
  std::vector<std::string> before_;  // for each text: what Encode writes before the string
};

}  // namespace

ReadDocument ReadPo(std::string bytes, const DocumentOptions& options) {
  auto document = std::make_unique<Po>(std::move(bytes));
  if (absl::Status read = document->Read(options); !read.ok()) return read;
  return document;
}

}  // namespace dragoman::engine
