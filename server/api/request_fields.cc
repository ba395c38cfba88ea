#include "server/api/request_fields.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "engine/base/utf8.h"
#include "server/api/absl_view.h"
#include "server/api/json_body.h"
#include "server/base/quoted.h"
#include "server/call/request_error.h"

namespace dragoman::server {
namespace {

using nlohmann::json;

bool IsJson(std::string_view media_type) {
  return media_type == "application/json" || media_type == "text/plain" ||
         media_type.ends_with("+json");
}

absl::Status ExpectedValue(std::string_view name, const json& found, std::string_view expected) {
  const std::string text =
      found.is_string() ? Quoted(found.get_ref<const std::string&>()) : KindOf(found);
  return InvalidField(std::string(name),
                      absl::StrCat("found ", text, ", expected ", View(expected)));
}

}  // namespace

absl::StatusOr<json> ReadRequestFields(const HttpRequest& request) {
  const std::string type = MediaType(request);
  if (IsJson(type) && !request.body.empty()) return ParseJsonObject(request);
  const bool is_form = type == "application/x-www-form-urlencoded" || type == "multipart/form-data";
  if (!is_form && !request.body.empty()) {
    return InvalidField(
        "", absl::StrCat("the header Content-Type: found ", type.empty() ? "none" : Quoted(type),
                         ", expected application/json, application/x-www-form-urlencoded or "
                         "multipart/form-data for a request with a body"));
  }
  const absl::StatusOr<Form> form = ReadForm(request);
  if (!form.ok()) return form.status();
  return FormAsObject(*form);
}

json FormAsObject(const Form& form) {
  json object = json::object();
  for (const FormField& field : form.fields()) {
    const bool is_list = field.name.ends_with("[]");
    const std::string name = is_list ? field.name.substr(0, field.name.size() - 2) : field.name;
    json& value = object[name];
    if (value.is_null() && !is_list) {
      value = field.value;
      continue;
    }
    if (value.is_null()) value = json::array();
    if (!value.is_array()) value = json::array({std::move(value)});
    value.push_back(field.value);
  }
  return object;
}

absl::Status ReadFormField(const json& object, std::string_view name, std::optional<int64_t>* out) {
  const json* const value = FindField(object, name);
  if (value == nullptr || !value->is_string()) return ReadField(object, name, out);
  int64_t number = 0;
  if (!absl::SimpleAtoi(value->get_ref<const std::string&>(), &number)) {
    return ExpectedValue(name, *value, "a whole number");
  }
  *out = number;
  return absl::OkStatus();
}

absl::Status ReadFormField(const json& object, std::string_view name, std::optional<bool>* out) {
  const json* const value = FindField(object, name);
  if (value == nullptr) return absl::OkStatus();
  const bool is_number = value->is_number_integer() && (*value == 0 || *value == 1);
  const std::string text = is_number            ? value->dump()
                           : value->is_string() ? absl::AsciiStrToLower(value->get<std::string>())
                                                : "";
  if (text == "1" || text == "true") {
    *out = true;
  } else if (text == "0" || text == "false") {
    *out = false;
  } else if (value->is_boolean()) {
    *out = value->get<bool>();
  } else {
    return ExpectedValue(name, *value, "true or false");
  }
  return absl::OkStatus();
}

absl::Status ReadCommaList(const json& object, std::string_view name,
                           std::optional<std::vector<std::string>>* out) {
  std::optional<std::vector<std::string>> values;
  const absl::Status read = ReadField(object, name, &values);
  if (!read.ok() || !values.has_value()) return read;
  out->emplace();
  for (const std::string& value : *values) {
    for (const absl::string_view part : absl::StrSplit(value, ',', absl::SkipWhitespace())) {
      (*out)->emplace_back(absl::StripAsciiWhitespace(part));
    }
  }
  return absl::OkStatus();
}

std::string AuthorizationKey(const HttpRequest& request, std::string_view scheme) {
  const std::string_view header = request.Header("authorization");
  if (header.size() <= scheme.size() || header[scheme.size()] != ' ' ||
      !absl::EqualsIgnoreCase(View(header.substr(0, scheme.size())), View(scheme))) {
    return "";
  }
  return std::string(absl::StripAsciiWhitespace(View(header.substr(scheme.size() + 1))));
}

std::string TextOfField(const HttpRequest& request, std::string_view name) {
  const std::string type = MediaType(request);
  if (IsJson(type) && !request.body.empty()) return ScanTextField(request.body, name);
  std::string text = FindUrlEncoded(request.query, name);
  if (text.empty() && type == "application/x-www-form-urlencoded") {
    text = FindUrlEncoded(request.body, name);
  } else if (text.empty() && type == "multipart/form-data") {
    const absl::StatusOr<Form> form = ReadForm(request);
    if (form.ok()) text = std::string(form->Find(name).value_or(""));
  }
  return text;
}

std::string BodyTextField(const HttpRequest& request, std::string_view name) {
  if (request.body.empty()) return "";
  if (request.query.empty()) return TextOfField(request, name);
  HttpRequest without_query = request;
  without_query.query.clear();
  return TextOfField(without_query, name);
}

json ShapeOfRequest(const HttpRequest& request) {
  constexpr size_t kMaxFields = 64;
  json shape = json::object();
  if (!IsJson(MediaType(request)) || request.body.empty()) {
    absl::StatusOr<json> fields = ReadRequestFields(request);
    return fields.ok() ? *std::move(fields) : shape;
  }
  ScanObject(request.body, [&](std::string_view name, std::string_view value) {
    if (engine::FirstInvalidUtf8(name).has_value()) return true;
    json& field = shape[std::string(name)];
    const char first = value.front();
    if (first == '"') {
      field = "";
    } else if (first == '[') {
      field = json::array();
    } else if (first == '{') {
      field = json::object();
    } else if (first != 'n') {
      field = true;
    }
    return shape.size() < kMaxFields;
  });
  return shape;
}

bool HasField(const json& object, std::string_view name) {
  return FindField(object, name) != nullptr;
}

}  // namespace dragoman::server
