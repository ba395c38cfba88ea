#include "client/corpus/record_format.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/commands/translation_json.h"
#include "client/commands/utf8.h"
#include "client/corpus/json_tree.h"

namespace dragoman::client {
namespace {

using Edit = RecordFormat::Edit;
using Parsed = RecordFormat::Parsed;
using Values = std::vector<std::vector<ColumnValue>>;

absl::Status CheckUtf8(std::string_view record) {
  const std::optional<size_t> bad = FirstInvalidUtf8(record);
  if (!bad.has_value()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("not UTF-8 at byte ", *bad + 1));
}

// Appends a value as a field of a line: line feeds become spaces, and tabs unless the line is one
// field.
void AppendCell(std::string_view value, bool is_line, std::string* out) {
  const size_t begin = out->size();
  out->append(value);
  std::replace_if(
      out->begin() + static_cast<std::ptrdiff_t>(begin), out->end(),
      [is_line](char c) { return c == '\n' || c == '\r' || (c == '\t' && !is_line); }, ' ');
}

// Writes the edits of a record in their order. The formats derive from it.
class FormatBase : public RecordFormat {
 public:
  explicit FormatBase(const RecordOptions& options) : options_(options) {}

  std::string Rewrite(std::string_view record, const Parsed& parsed,
                      const Values& values) const override {
    std::string out;
    size_t at = 0;
    for (const Edit& edit : parsed.edits) {
      out.append(record.substr(at, edit.begin - at));
      Write(edit, values, &out);
      at = edit.end;
    }
    out.append(record.substr(at));
    return out;
  }

 protected:
  virtual void Write(const Edit& edit, const Values& values, std::string* out) const = 0;

  // Returns the index of the translation among the columns, if it is one.
  std::optional<size_t> TranslationColumn() const {
    const auto found =
        std::find(options_.columns.begin(), options_.columns.end(), Column::kTranslation);
    if (found == options_.columns.end()) return std::nullopt;
    return static_cast<size_t>(found - options_.columns.begin());
  }
  // Reports whether a column is written as an added field or member.
  bool IsAdded(size_t column) const {
    return !options_.replace || options_.columns[column] != Column::kTranslation;
  }

  const RecordOptions options_;
};

// The end of a line without its carriage return.
size_t EndOfLine(std::string_view record) {
  return record.ends_with('\r') ? record.size() - 1 : record.size();
}

class TextFormat : public FormatBase {
 public:
  using FormatBase::FormatBase;

  absl::StatusOr<Parsed> Parse(std::string_view record) const override {
    if (absl::Status status = CheckUtf8(record); !status.ok()) return status;
    const size_t end = EndOfLine(record);
    Parsed parsed;
    parsed.texts.push_back({std::string(record.substr(0, end)), ""});
    parsed.edits.push_back({.begin = 0, .end = end, .name = "", .replaces = true});
    return parsed;
  }

  std::string RewriteMalformed(std::string_view) const override {
    return std::string(options_.columns.size() - 1, '\t');
  }

 private:
  void Write(const Edit& edit, const Values& values, std::string* out) const override {
    for (size_t column = 0; column < options_.columns.size(); ++column) {
      if (column > 0) *out += '\t';
      AppendCell(values[edit.first_text][column].text, options_.columns.size() == 1, out);
    }
  }
};

class TsvFormat : public FormatBase {
 public:
  TsvFormat(const RecordOptions& options, std::vector<size_t> fields, std::vector<size_t> targets)
      : FormatBase(options), fields_(std::move(fields)), targets_(std::move(targets)) {}

  absl::StatusOr<Parsed> Parse(std::string_view record) const override {
    if (absl::Status status = CheckUtf8(record); !status.ok()) return status;
    const size_t end = EndOfLine(record);
    std::vector<std::pair<size_t, size_t>> cells;
    for (size_t at = 0; at <= end;) {
      const size_t tab = std::min(end, record.find('\t', at));
      cells.emplace_back(at, tab);
      at = tab + 1;
    }
    const auto text = [&](size_t field) {
      const auto [from, to] = cells[field - 1];
      return std::string(record.substr(from, to - from));
    };
    Parsed parsed;
    for (size_t i = 0; i < fields_.size(); ++i) {
      const size_t wanted = std::max(fields_[i], targets_.empty() ? 0 : targets_[i]);
      if (wanted > cells.size()) {
        return absl::InvalidArgumentError(
            absl::StrCat("the record has ", cells.size(), " fields, expected a field ", wanted));
      }
      parsed.texts.push_back({text(fields_[i]), targets_.empty() ? "" : text(targets_[i])});
      if (options_.replace) {
        const auto [from, to] = cells[fields_[i] - 1];
        parsed.edits.push_back(
            {.begin = from, .end = to, .first_text = i, .name = "", .replaces = true});
      }
      parsed.edits.push_back({.begin = end, .end = end, .first_text = i, .name = ""});
    }
    std::stable_sort(parsed.edits.begin(), parsed.edits.end(),
                     [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    return parsed;
  }

  std::string RewriteMalformed(std::string_view record) const override {
    const size_t added = options_.columns.size() - (options_.replace ? 1 : 0);
    const size_t end = EndOfLine(record);
    std::string out(record);
    return out.insert(end, std::string(fields_.size() * added, '\t'));
  }

 private:
  void Write(const Edit& edit, const Values& values, std::string* out) const override {
    for (size_t column = 0; column < options_.columns.size(); ++column) {
      if (IsAdded(column) == edit.replaces) continue;
      if (!edit.replaces) *out += '\t';
      AppendCell(values[edit.first_text][column].text, false, out);
    }
  }

  const std::vector<size_t> fields_;
  const std::vector<size_t> targets_;
};

// A step of a path: a member's name, or all elements of an array.
struct Step {
  std::string name;
  bool is_all = false;
};
using Path = std::vector<Step>;

absl::StatusOr<Path> ParsePath(const std::string& text) {
  const absl::Status wrong = absl::InvalidArgumentError(
      absl::StrCat("the field '", text, "' is no path, expected one such as text or a.b[*].c"));
  Path path;
  size_t at = 0;
  while (at < text.size()) {
    if (text.compare(at, 3, "[*]") == 0) {
      path.push_back({"", true});
      at += 3;
      if (at < text.size() && text[at] == '.' && ++at == text.size()) return wrong;
      continue;
    }
    Step step;
    for (; at < text.size() && text[at] != '.' && text[at] != '['; ++at) {
      if (text[at] == '\\' && at + 1 < text.size()) ++at;
      step.name += text[at];
    }
    if (step.name.empty()) return wrong;
    path.push_back(std::move(step));
    if (at < text.size() && text[at] == '.' && ++at == text.size()) return wrong;
  }
  if (path.empty()) return wrong;
  return path;
}

class JsonFormat : public FormatBase {
 public:
  JsonFormat(const RecordOptions& options, std::vector<Path> fields, std::vector<Path> targets)
      : FormatBase(options), fields_(std::move(fields)), targets_(std::move(targets)) {}

  absl::StatusOr<Parsed> Parse(std::string_view record) const override {
    if (absl::Status status = CheckUtf8(record); !status.ok()) return status;
    const absl::StatusOr<JsonNode> root = ParseJsonTree(record);
    if (!root.ok()) return root.status();
    Parsed parsed;
    for (size_t i = 0; i < fields_.size(); ++i) {
      const size_t first = parsed.texts.size();
      Walk walk{&fields_[i], true, &parsed};
      if (absl::Status status = Visit(*root, 0, nullptr, &walk); !status.ok()) return status;
      if (targets_.empty()) continue;
      Parsed targets;
      Walk target_walk{&targets_[i], false, &targets};
      if (absl::Status status = Visit(*root, 0, nullptr, &target_walk); !status.ok()) return status;
      if (targets.texts.size() != parsed.texts.size() - first) {
        return absl::InvalidArgumentError(
            absl::StrCat(options_.fields[i], " has ", parsed.texts.size() - first, " texts, ",
                         options_.targets[i], " has ", targets.texts.size(), ", expected as many"));
      }
      for (size_t text = 0; text < targets.texts.size(); ++text) {
        parsed.texts[first + text].target = std::move(targets.texts[text].text);
      }
    }
    std::stable_sort(parsed.edits.begin(), parsed.edits.end(),
                     [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    return parsed;
  }

  std::string RewriteMalformed(std::string_view record) const override {
    return std::string(record);
  }

 private:
  struct Walk {
    const Path* path = nullptr;
    bool makes_edits = false;
    Parsed* out = nullptr;
    std::string where;  // of the value that is visited
  };

  bool AddsMembers() const { return !options_.replace || options_.columns.size() > 1; }

  std::string NameOf(const std::string& name, size_t column) const {
    std::string out = options_.replace ? name : name + options_.suffix;
    const Column kind = options_.columns[column];
    if (kind != Column::kTranslation) (out += '_') += ColumnName(kind);
    return out;
  }

  static absl::Status Missing(const Walk& walk, const std::string& what) {
    return absl::InvalidArgumentError(
        absl::StrCat(walk.where.empty() ? "the record" : walk.where, " ", what));
  }

  // Visits what (*walk->path)[step...] leads to from `node`. `object` has the member whose value, or
  // an element of whose value, is `node`.
  absl::Status Visit(const JsonNode& node, size_t step, const JsonNode* object, Walk* walk) const {
    const Path& path = *walk->path;
    if (step == path.size()) return Take(node, walk);
    const std::string where = walk->where;
    if (path[step].is_all) {
      if (node.kind != JsonNode::Kind::kArray) return Missing(*walk, "is no array");
      for (size_t i = 0; i < node.members.size(); ++i) {
        walk->where = absl::StrCat(where, "[", i, "]");
        const absl::Status status = Visit(node.members[i].second, step + 1, object, walk);
        if (!status.ok()) return status;
      }
      walk->where = where;
      return absl::OkStatus();
    }
    const std::string& name = path[step].name;
    if (node.kind != JsonNode::Kind::kObject) return Missing(*walk, "is no object");
    const JsonNode* const member = node.Find(name);
    if (member == nullptr) return Missing(*walk, absl::StrCat("has no member '", name, "'"));
    walk->where = where.empty() ? name : absl::StrCat(where, ".", name);
    const size_t first = walk->out->texts.size();
    if (absl::Status status = Visit(*member, step + 1, &node, walk); !status.ok()) return status;
    walk->where = where;
    // The last name of the path: its member's value has the texts.
    const bool is_last = std::all_of(path.begin() + static_cast<std::ptrdiff_t>(step) + 1,
                                     path.end(), [](const Step& s) { return s.is_all; });
    if (!is_last || !walk->makes_edits || !AddsMembers()) return absl::OkStatus();
    for (size_t column = 0; column < options_.columns.size(); ++column) {
      if (!IsAdded(column)) continue;
      const std::string added = NameOf(name, column);
      if (node.Find(added) == nullptr) continue;
      return Missing(*walk, absl::StrCat("has a member '", added,
                                         "' already, which the output adds; see --suffix"));
    }
    walk->out->edits.push_back({.begin = member->end,
                                .end = member->end,
                                .first_text = first,
                                .texts = walk->out->texts.size() - first,
                                .name = name,
                                .is_array = step + 1 < path.size()});
    return absl::OkStatus();
  }

  absl::Status Take(const JsonNode& node, Walk* walk) const {
    if (node.kind != JsonNode::Kind::kString) return Missing(*walk, "is no string");
    if (walk->makes_edits && options_.replace && TranslationColumn().has_value()) {
      walk->out->edits.push_back({.begin = node.begin,
                                  .end = node.end,
                                  .first_text = walk->out->texts.size(),
                                  .name = "",
                                  .replaces = true});
    }
    walk->out->texts.push_back({node.text, ""});
    return absl::OkStatus();
  }

  static void AppendValue(const ColumnValue& value, std::string* out) {
    if (value.is_literal) {
      absl::StrAppend(out, value.text.empty() ? "null" : value.text);
    } else {
      absl::StrAppend(out, JsonLine(value.text));
    }
  }

  void Write(const Edit& edit, const Values& values, std::string* out) const override {
    if (edit.replaces) return AppendValue(values[edit.first_text][*TranslationColumn()], out);
    for (size_t column = 0; column < options_.columns.size(); ++column) {
      if (!IsAdded(column)) continue;
      absl::StrAppend(out, ",", JsonLine(NameOf(edit.name, column)), ":");
      if (edit.is_array) *out += '[';
      for (size_t i = 0; i < edit.texts; ++i) {
        if (i > 0) *out += ',';
        AppendValue(values[edit.first_text + i][column], out);
      }
      if (edit.is_array) *out += ']';
    }
  }

  const std::vector<Path> fields_;
  const std::vector<Path> targets_;
};

absl::StatusOr<std::vector<size_t>> ParseNumbers(const std::vector<std::string>& texts) {
  std::vector<size_t> numbers;
  for (const std::string& text : texts) {
    size_t number = 0;
    if (!absl::SimpleAtoi(text, &number) || number == 0 || number > 10'000) {
      return absl::InvalidArgumentError(
          absl::StrCat("the field of a tsv file is '", text, "', expected a number from 1"));
    }
    numbers.push_back(number);
  }
  return numbers;
}

absl::StatusOr<std::vector<Path>> ParsePaths(const std::vector<std::string>& texts, bool adds) {
  std::vector<Path> paths;
  for (const std::string& text : texts) {
    absl::StatusOr<Path> path = ParsePath(text);
    if (!path.ok()) return path.status();
    const auto last =
        std::find_if(path->rbegin(), path->rend(), [](const Step& step) { return !step.is_all; });
    if (adds && (last == path->rend() || last - path->rbegin() > 1)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the texts of '", text,
                       "' have no member or array to stand beside; expected --replace and no "
                       "--column"));
    }
    paths.push_back(*std::move(path));
  }
  return paths;
}

template <typename Fields>
absl::Status CheckTargets(const RecordOptions& options, const Fields& fields) {
  if (options.targets.empty() || options.targets.size() == fields.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("there are ", options.targets.size(),
                                                 " fields of targets, expected ", fields.size()));
}

absl::StatusOr<std::unique_ptr<RecordFormat>> CreateTsv(const RecordOptions& options) {
  auto fields = ParseNumbers(options.fields);
  if (!fields.ok()) return fields.status();
  if (fields->empty()) fields->push_back(1);
  const auto targets = ParseNumbers(options.targets);
  if (!targets.ok()) return targets.status();
  if (absl::Status status = CheckTargets(options, *fields); !status.ok()) return status;
  return std::make_unique<TsvFormat>(options, *std::move(fields), *targets);
}

absl::StatusOr<std::unique_ptr<RecordFormat>> CreateJson(const RecordOptions& options) {
  if (options.fields.empty()) {
    return absl::InvalidArgumentError("JSON records need --field, such as --field text");
  }
  const bool adds = !options.replace || options.columns.size() > 1;
  auto fields = ParsePaths(options.fields, adds);
  if (!fields.ok()) return fields.status();
  auto targets = ParsePaths(options.targets, false);
  if (!targets.ok()) return targets.status();
  if (absl::Status status = CheckTargets(options, *fields); !status.ok()) return status;
  return std::make_unique<JsonFormat>(options, *std::move(fields), *std::move(targets));
}

}  // namespace

std::string_view ColumnName(Column column) {
  switch (column) {
    case Column::kTranslation:
      return "translation";
    case Column::kScore:
      return "score";
    case Column::kDetected:
      return "detected";
    case Column::kFinishReason:
      return "finish_reason";
    case Column::kWarnings:
      return "warnings";
    case Column::kError:
      return "error";
  }
  return "";
}

absl::StatusOr<std::unique_ptr<RecordFormat>> RecordFormat::Create(const RecordOptions& options) {
  switch (options.format) {
    case RecordOptions::Format::kText:
      if (options.fields.empty() && options.targets.empty()) {
        return std::make_unique<TextFormat>(options);
      }
      return absl::InvalidArgumentError(
          "lines of text have no fields; expected no --field, or --format tsv or jsonl");
    case RecordOptions::Format::kTsv:
      return CreateTsv(options);
    case RecordOptions::Format::kJsonl:
      return CreateJson(options);
  }
  return absl::InvalidArgumentError("unknown format");
}

}  // namespace dragoman::client
