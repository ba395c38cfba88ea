// Input: a byte that selects the kind of form, and its text. For a multipart body, the parameters
// of the Content-Type header come first, up to a line feed. An accepted form is UTF-8 within the
// limits, and has the same fields after it is written and read again. A refusal is INVALID_ARGUMENT
// in UTF-8.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/utf8.h"
#include "server/api/form.h"
#include "server/api/request_fields.h"
#include "tests/fuzz/fuzz_check.h"

namespace dragoman {
namespace {

std::string Escaped(std::string_view text) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[byte / 16];
    out += kDigits[byte % 16];
  }
  return out;
}

std::string UrlEncoded(const server::Form& form) {
  std::string out;
  for (const server::FormField& field : form.fields()) {
    if (!out.empty()) out += '&';
    out += Escaped(field.name) + "=" + Escaped(field.value);
  }
  return out;
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string Multipart(const server::Form& form, const std::string& boundary) {
  std::string out = "--" + boundary;
  for (const server::FormField& field : form.fields()) {
    out += "\r\nContent-Disposition: form-data; name=" + Quoted(field.name);
    if (!field.file_name.empty()) out += "; filename=" + Quoted(field.file_name);
    out += "\r\n\r\n" + field.value + "\r\n--" + boundary;
  }
  return out + "--";
}

void CheckSame(const server::Form& a, const server::Form& b) {
  FuzzCheck(a.fields().size() == b.fields().size());
  for (size_t i = 0; i < a.fields().size(); ++i) {
    FuzzCheck(a.fields()[i].name == b.fields()[i].name);
    FuzzCheck(a.fields()[i].value == b.fields()[i].value);
    FuzzCheck(a.fields()[i].file_name == b.fields()[i].file_name);
  }
}

void CheckAccepted(const server::Form& form) {
  FuzzCheck(form.fields().size() <= server::kMaxFormFields);
  bool has_file = false;
  for (const server::FormField& field : form.fields()) {
    FuzzCheck(!engine::FirstInvalidUtf8(field.name).has_value());
    FuzzCheck(!engine::FirstInvalidUtf8(field.file_name).has_value());
    has_file = has_file || !field.file_name.empty();
    if (field.file_name.empty()) FuzzCheck(!engine::FirstInvalidUtf8(field.value).has_value());
    FuzzCheck(form.Find(field.name).has_value());
  }
  // dump() throws if a value is not UTF-8, and the content of a file need not be.
  if (!has_file) server::FormAsObject(form).dump();
}

void CheckRefusal(const absl::Status& status) {
  FuzzCheck(status.code() == absl::StatusCode::kInvalidArgument);
  FuzzCheck(!engine::FirstInvalidUtf8(std::string(status.message())).has_value());
  FuzzCheck(status.message().find("expected") != std::string::npos);
}

void RunUrlEncoded(std::string_view text) {
  server::Form form;
  if (const absl::Status status = server::ReadUrlEncoded(text, "the body", &form); !status.ok()) {
    CheckRefusal(status);
    return;
  }
  CheckAccepted(form);
  server::Form again;
  FuzzCheck(server::ReadUrlEncoded(UrlEncoded(form), "the body", &again).ok());
  CheckSame(form, again);
}

void RunMultipart(std::string_view text) {
  server::HttpRequest request;
  const std::string type(text.substr(0, text.find('\n')));
  request.headers = {{"content-type", "multipart/form-data;" + type}};
  if (type.size() < text.size()) request.body = text.substr(type.size() + 1);
  const absl::StatusOr<server::Form> form = server::ReadForm(request);
  if (!form.ok()) {
    CheckRefusal(form.status());
    return;
  }
  CheckAccepted(*form);
  // Chooses a boundary that occurs in no value. Line ends in names need no care, because neither
  // the reader nor the writer supports them.
  std::string boundary = "boundary";
  while (request.body.find(boundary) != std::string::npos && boundary.size() < 70) boundary += 'y';
  if (request.body.find(boundary) != std::string::npos) return;
  server::Form again;
  FuzzCheck(server::ReadMultipart(Multipart(*form, boundary), boundary, &again).ok());
  CheckSame(*form, again);
}

}  // namespace
}  // namespace dragoman

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if ((data[0] & 1) == 0) {
    dragoman::RunUrlEncoded(text);
  } else {
    dragoman::RunMultipart(text);
  }
  return 0;
}
