#include "server/api/form.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/base/utf8.h"
#include "server/api/absl_view.h"
#include "server/base/quoted.h"
#include "server/base/work_count.h"
#include "server/call/request_error.h"

namespace dragoman::server {
namespace {

constexpr size_t kMaxBoundaryBytes = 70;  // RFC 2046
constexpr std::string_view kLineEnd = "\r\n";

absl::Status RefuseForm(std::string_view where, std::string_view what) {
  return InvalidField("", absl::StrCat(View(where), ": found ", View(what)));
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Returns nothing for a '%' without two hexadecimal digits.
std::optional<std::string> Decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

absl::Status AddField(FormField field, std::string_view where, Form* form) {
  if (form->fields().size() >= kMaxFormFields) {
    return RefuseForm(where, absl::StrCat("more than ", kMaxFormFields,
                                          " fields, expected at most ", kMaxFormFields));
  }
  const bool is_file = !field.file_name.empty();
  if (engine::FirstInvalidUtf8(field.name) || engine::FirstInvalidUtf8(field.file_name) ||
      (!is_file && engine::FirstInvalidUtf8(field.value))) {
    return RefuseForm(where, absl::StrCat("field ", Quoted(field.name),
                                          " that is not UTF-8, expected UTF-8 text"));
  }
  form->Add(std::move(field));
  return absl::OkStatus();
}

// Returns the value of a header's parameter, which is written as name=x or as name="x y", or
// nullopt if there is none. In quotes, a backslash escapes the next character.
std::optional<std::string> HeaderParameter(std::string_view header, std::string_view name) {
  size_t at = header.find(';');
  while (at != std::string_view::npos) {
    std::string_view rest = header.substr(at + 1);
    const size_t equals = rest.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const absl::string_view key = absl::StripAsciiWhitespace(View(rest.substr(0, equals)));
    rest.remove_prefix(equals + 1);
    std::string value;
    size_t end = 0;
    if (rest.starts_with('"')) {
      end = 1;
      while (end < rest.size() && rest[end] != '"') {
        if (rest[end] == '\\' && end + 1 < rest.size()) ++end;
        value += rest[end++];
      }
      if (end == rest.size()) return std::nullopt;
    } else {
      end = std::min(rest.find(';'), rest.size());
      value = std::string(absl::StripAsciiWhitespace(View(rest.substr(0, end))));
    }
    if (absl::EqualsIgnoreCase(key, View(name))) return value;
    const size_t next = rest.find(';', end);
    at = next == std::string_view::npos ? next
                                        : static_cast<size_t>(rest.data() - header.data()) + next;
  }
  return std::nullopt;
}

absl::Status BadMultipart(std::string_view what) { return RefuseForm("the multipart body", what); }

// Reads the part's headers and removes them, with the empty line, from `part`.
absl::Status ReadPartHeaders(std::string_view* part, FormField* field) {
  bool disposed = false;
  while (true) {
    const size_t end = part->find(kLineEnd);
    if (end == std::string_view::npos) {
      return BadMultipart("a part whose headers do not end, expected an empty line after them");
    }
    const std::string_view line = part->substr(0, end);
    part->remove_prefix(end + kLineEnd.size());
    if (line.empty()) break;
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      return BadMultipart("a header of a part without a colon, expected NAME: VALUE");
    }
    const absl::string_view name = absl::StripAsciiWhitespace(View(line.substr(0, colon)));
    const std::string_view value = line.substr(colon + 1);
    if (absl::EqualsIgnoreCase(name, "content-transfer-encoding")) {
      return BadMultipart("a Content-Transfer-Encoding, expected none (RFC 7578)");
    }
    if (!absl::EqualsIgnoreCase(name, "content-disposition")) continue;
    const absl::string_view kind =
        absl::StripAsciiWhitespace(View(value.substr(0, std::min(value.find(';'), value.size()))));
    std::optional<std::string> field_name = HeaderParameter(value, "name");
    if (disposed || !absl::EqualsIgnoreCase(kind, "form-data") || !field_name.has_value()) {
      return BadMultipart(
          "a part with another Content-Disposition, expected one of form-data with a name");
    }
    disposed = true;
    field->name = *std::move(field_name);
    if (auto file_name = HeaderParameter(value, "filename")) {
      field->file_name = file_name->empty() ? "file" : *std::move(file_name);
    }
  }
  return disposed ? absl::OkStatus()
                  : BadMultipart("a part without Content-Disposition, expected one of form-data");
}

}  // namespace

std::optional<std::string_view> Form::Find(std::string_view name) const {
  for (const FormField& field : fields_) {
    if (field.name == name) return field.value;
  }
  return std::nullopt;
}

absl::Status ReadUrlEncoded(std::string_view text, std::string_view where, Form* form) {
  CountBytes(text.size());
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    std::optional<std::string> name = Decode(pair.substr(0, equals));
    std::optional<std::string> value = Decode(pair.substr(std::min(equals + 1, pair.size())));
    if (!name.has_value() || !value.has_value()) {
      return RefuseForm(where, "a '%' without two hexadecimal digits, expected a URL-encoded form");
    }
    const absl::Status added =
        AddField({.name = *std::move(name), .value = *std::move(value)}, where, form);
    if (!added.ok()) return added;
  }
  return absl::OkStatus();
}

std::string FindUrlEncoded(std::string_view text, std::string_view name) {
  CountBytes(text.size());
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.size() > name.size() && pair[name.size()] == '=' && pair.starts_with(name)) {
      std::optional<std::string> value = Decode(pair.substr(name.size() + 1));
      return !value.has_value() || engine::FirstInvalidUtf8(*value) ? "" : *std::move(value);
    }
  }
  return "";
}

absl::Status ReadMultipart(std::string_view body, std::string_view boundary, Form* form) {
  if (boundary.empty() || boundary.size() > kMaxBoundaryBytes) {
    return BadMultipart(absl::StrCat("a boundary of ", boundary.size(), " bytes, expected 1 to ",
                                     kMaxBoundaryBytes));
  }
  const std::string first = absl::StrCat("--", View(boundary));
  const std::string next = absl::StrCat("\r\n", first);
  if (!body.starts_with(first)) {
    return BadMultipart("other bytes at its beginning, expected its boundary");
  }
  body.remove_prefix(first.size());
  while (true) {
    if (body == "--" || body == "--\r\n") return absl::OkStatus();
    if (!body.starts_with(kLineEnd)) {
      return BadMultipart("other bytes after a boundary, expected the end of a line");
    }
    body.remove_prefix(kLineEnd.size());
    FormField field;
    if (absl::Status headers = ReadPartHeaders(&body, &field); !headers.ok()) return headers;
    // A part without content ends with the empty line after its headers.
    const size_t end = body.find(next);
    CountBytes(std::min(end, body.size()));
    if (end == std::string_view::npos) {
      return BadMultipart("a part that does not end, expected its boundary");
    }
    field.value = std::string(body.substr(0, end));
    body.remove_prefix(end + next.size());
    if (absl::Status added = AddField(std::move(field), "the multipart body", form); !added.ok()) {
      return added;
    }
  }
}

std::string MediaType(const HttpRequest& request) {
  const std::string_view header = request.Header("content-type");
  return absl::AsciiStrToLower(absl::StripAsciiWhitespace(
      View(header.substr(0, std::min(header.find(';'), header.size())))));
}

absl::StatusOr<Form> ReadQuery(const HttpRequest& request) {
  Form form;
  if (absl::Status query = ReadUrlEncoded(request.query, "the query", &form); !query.ok()) {
    return query;
  }
  return form;
}

absl::StatusOr<Form> ReadForm(const HttpRequest& request) {
  absl::StatusOr<Form> form = ReadQuery(request);
  if (!form.ok()) return form;
  const std::string type = MediaType(request);
  absl::Status read;
  if (type == "application/x-www-form-urlencoded") {
    read = ReadUrlEncoded(request.body, "the body", &*form);
  } else if (type == "multipart/form-data") {
    const auto boundary = HeaderParameter(request.Header("content-type"), "boundary");
    read = boundary.has_value()
               ? ReadMultipart(request.body, *boundary, &*form)
               : RefuseForm("the header Content-Type", "no boundary, expected one for multipart");
  }
  if (!read.ok()) return read;
  return form;
}

}  // namespace dragoman::server
