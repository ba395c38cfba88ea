#include "server/api/json_body.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "engine/base/limited_json.h"
#include "server/api/absl_view.h"
#include "server/api/form.h"
#include "server/base/quoted.h"
#include "server/base/work_count.h"
#include "server/call/request_error.h"

namespace dragoman::server {
namespace {

using nlohmann::json;

// The transport limits the number of bytes. Many values are allowed, because each item of a request
// may be an object with several fields.
constexpr engine::JsonLimits kBodyLimits = {.max_bytes = std::numeric_limits<size_t>::max(),
                                            .max_depth = 16,
                                            .max_values = 1 << 16,
                                            .max_fields = 1 << 12};

absl::Status Expected(std::string_view name, const json& found, std::string_view expected) {
  return InvalidField(std::string(name),
                      absl::StrCat("found ", KindOf(found), ", expected ", std::string(expected)));
}

}  // namespace

const json* FindField(const json& object, std::string_view name) {
  const auto at = object.find(name);
  return at == object.end() || at->is_null() ? nullptr : &*at;
}

std::optional<std::string> WithoutLoneSurrogates(std::string_view text) {
  std::optional<std::string> out;
  // Returns the code unit of an escape ("\\uD83D") at `at`; 0 if there is none.
  const auto unit_at = [text](size_t at) -> uint32_t {
    constexpr size_t kEscape = 6;
    uint32_t unit = 0;
    const std::string_view escape = text.substr(std::min(at, text.size()), kEscape);
    const bool is_escape = escape.size() == kEscape && escape.starts_with("\\u") &&
                           absl::SimpleHexAtoi(View(escape.substr(2)), &unit);
    return is_escape ? unit : 0;
  };
  const auto is_high = [](uint32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; };
  const auto is_low = [](uint32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; };
  for (size_t at = text.find('\\'); at != text.npos; at = text.find('\\', at)) {
    const uint32_t unit = unit_at(at);
    if (is_high(unit) && is_low(unit_at(at + 6))) {
      at += 12;
    } else if (is_high(unit) || is_low(unit)) {
      if (!out.has_value()) out.emplace(text);
      out->replace(at, 6, "\\ufffd");
      at += 6;
    } else {
      at += 2;  // another escape, such as of a backslash
    }
  }
  return out;
}

absl::StatusOr<json> ParseJsonBody(const HttpRequest& request) {
  CountBytes(request.body.size());
  const std::optional<std::string> mended = WithoutLoneSurrogates(request.body);
  absl::StatusOr<json> parsed =
      engine::ParseJson(mended.has_value() ? *mended : request.body, "the body", kBodyLimits);
  if (!parsed.ok()) {
    return InvalidField(
        "", absl::StrCat(std::string(parsed.status().message()), ", expected JSON in UTF-8"));
  }
  return parsed;
}

absl::StatusOr<json> ParseJsonObject(const HttpRequest& request) {
  absl::StatusOr<json> parsed = ParseJsonBody(request);
  if (parsed.ok() && !parsed->is_object()) {
    return InvalidField("",
                        absl::StrCat("the body: found ", KindOf(*parsed), ", expected an object"));
  }
  return parsed;
}

void ScanObject(std::string_view text,
                const std::function<bool(std::string_view name, std::string_view value)>& visit) {
  CountBytes(text.size());
  int depth = 0;
  bool is_name = false;   // a string here is a field's name
  std::string_view name;  // field of the next value; "": none
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    size_t bytes = 1;
    switch (c) {
      case ' ':
      case '\t':
      case '\r':
      case '\n':
      case ':':
        continue;
      case ',':
        is_name = depth == 1;
        continue;
      case '}':
      case ']':
        --depth;
        continue;
      case '"':
        // A backslash escapes the next character.
        while (i + bytes < text.size() && text[i + bytes] != '"') {
          bytes += text[i + bytes] == '\\' ? 2 : 1;
        }
        if (i + ++bytes > text.size()) return;
        break;
      default:
        break;
    }
    const std::string_view token = text.substr(i, bytes);
    i += bytes - 1;
    if (depth == 0 && c != '{') return;
    if (!name.empty() && !visit(std::exchange(name, {}), token)) return;
    if (is_name && c == '"') name = token.substr(1, bytes - 2);
    is_name = false;
    if (c == '{' || c == '[') is_name = ++depth == 1;
  }
}

std::string ScanTextField(std::string_view text, std::string_view name) {
  std::string found;
  ScanObject(text, [&](std::string_view field, std::string_view value) {
    if (field != name) return true;
    const json parsed = json::parse(value.begin(), value.end(), nullptr, false);
    if (parsed.is_string()) found = parsed.get<std::string>();
    return false;
  });
  return found;
}

std::string KindOf(const json& value) {
  switch (value.type()) {
    case json::value_t::null:
      return "null";
    case json::value_t::boolean:
      return value.get<bool>() ? "true" : "false";
    case json::value_t::string:
      return "a string";
    case json::value_t::array:
      return "a list";
    case json::value_t::object:
      return "an object";
    default:
      return value.dump();
  }
}

absl::Status ReadField(const json& object, std::string_view name, std::optional<std::string>* out) {
  const json* const value = FindField(object, name);
  if (value == nullptr) return absl::OkStatus();
  if (!value->is_string()) return Expected(name, *value, "a string");
  *out = value->get<std::string>();
  return absl::OkStatus();
}

absl::Status ReadField(const json& object, std::string_view name, std::optional<bool>* out) {
  const json* const value = FindField(object, name);
  if (value == nullptr) return absl::OkStatus();
  if (!value->is_boolean()) return Expected(name, *value, "true or false");
  *out = value->get<bool>();
  return absl::OkStatus();
}

absl::Status ReadField(const json& object, std::string_view name, std::optional<int64_t>* out) {
  const json* const value = FindField(object, name);
  if (value == nullptr) return absl::OkStatus();
  constexpr double kMost = 9007199254740992.0;  // 2^53: doubles hold all integers up to it
  const double number = value->is_number() ? value->get<double>() : 0.5;
  if (number != std::floor(number) || std::abs(number) > kMost) {
    return Expected(name, *value, "a whole number");
  }
  *out = static_cast<int64_t>(number);
  return absl::OkStatus();
}

absl::Status ReadField(const json& object, std::string_view name, std::optional<double>* out) {
  const json* const value = FindField(object, name);
  if (value == nullptr) return absl::OkStatus();
  if (!value->is_number()) return Expected(name, *value, "a number");
  *out = value->get<double>();
  return absl::OkStatus();
}

absl::Status ReadField(const json& object, std::string_view name,
                       std::optional<std::vector<std::string>>* out) {
  const json* const value = FindField(object, name);
  if (value == nullptr) return absl::OkStatus();
  if (value->is_string()) {
    out->emplace({value->get<std::string>()});
    return absl::OkStatus();
  }
  if (!value->is_array()) return Expected(name, *value, "a string or a list of strings");
  std::vector<std::string> texts;
  for (size_t i = 0; i < value->size(); ++i) {
    const json& element = (*value)[i];
    if (!element.is_string()) {
      return Expected(absl::StrCat(std::string(name), "[", i, "]"), element, "a string");
    }
    texts.push_back(element.get<std::string>());
  }
  *out = std::move(texts);
  return absl::OkStatus();
}

absl::Status CheckFields(const json& object, std::initializer_list<std::string_view> known) {
  constexpr size_t kNamed = 16;
  std::vector<std::string> unknown;
  for (const auto& [name, value] : object.items()) {
    if (std::find(known.begin(), known.end(), name) == known.end() && unknown.size() < kNamed) {
      unknown.push_back(absl::StrCat("field ", Quoted(name)));
    }
  }
  return unknown.empty() ? absl::OkStatus() : UnimplementedFields(unknown);
}

absl::Status CheckJsonType(const HttpRequest& request) {
  const std::string type = MediaType(request);
  if (type == "application/json") return absl::OkStatus();
  return InvalidField(
      "", absl::StrCat("found the content type ", Quoted(type), ", expected application/json"));
}

}  // namespace dragoman::server
