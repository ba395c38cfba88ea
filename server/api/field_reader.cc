#include "server/api/field_reader.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/api/absl_view.h"
#include "server/api/json_body.h"
#include "server/api/request_fields.h"
#include "server/call/request_error.h"

namespace dragoman::server {
namespace {

absl::Status Missing(std::string_view name, std::string_view expected) {
  return InvalidField(std::string(name), absl::StrCat("found nothing, expected ", View(expected)));
}

}  // namespace

template <typename T>
std::optional<T> FieldReader::Read(std::string_view name) {
  std::optional<T> value;
  if constexpr (std::is_same_v<T, bool>) {
    Fail(ReadFormField(fields_, name, &value));
  } else {
    Fail(ReadField(fields_, name, &value));
  }
  return value;
}

std::string FieldReader::Text(std::string_view name) {
  std::string text = Read<std::string>(name).value_or("");
  if (text.empty()) Fail(Missing(name, "a text"));
  return text;
}

std::string FieldReader::TextOr(std::string_view name, std::string_view otherwise) {
  std::string text = Read<std::string>(name).value_or("");
  return text.empty() ? std::string(otherwise) : text;
}

bool FieldReader::Flag(std::string_view name) { return Read<bool>(name).value_or(false); }

bool FieldReader::Has(std::string_view name) const { return HasField(fields_, name); }

std::vector<std::string> FieldReader::Texts(std::string_view name) {
  auto texts = Read<std::vector<std::string>>(name).value_or(std::vector<std::string>());
  if (texts.empty()) Fail(Missing(name, "a text or a list of texts"));
  return texts;
}

void FieldReader::Refuse(std::string_view name, std::string_view why) {
  const auto at = fields_.find(name);
  if (at == fields_.end() || at->empty() || *at == false || *at == "") return;
  Fail(absl::UnimplementedError(absl::StrCat(View(name), ": ", View(why))));
}

void FieldReader::Fail(absl::Status status) {
  if (status_.ok()) status_ = std::move(status);
}

}  // namespace dragoman::server
