#include "engine/base/field_error.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace dragoman::engine {
namespace {

constexpr char kUrl[] = "dragoman/field-errors";

// Visits the strings of an error in the order in which they are stored.
template <typename Error, typename Visit>
void VisitStrings(Error& error, const Visit& visit) {
  visit(error.field);
  visit(error.found);
  visit(error.expected);
  visit(error.other);
  visit(error.reason);
  visit(error.predicate);
  visit(error.words);
}

// Moves the string in "LENGTH:BYTES" from the front of `bytes` to `out`. Returns false if `bytes`
// does not begin with such a string.
bool TakeString(std::string_view& bytes, std::string& out) {
  size_t length = 0;
  const auto [end, error] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), length);
  if (error != std::errc() || end == bytes.data() + bytes.size() || *end != ':') return false;
  bytes.remove_prefix(static_cast<size_t>(end - bytes.data()) + 1);
  if (length > bytes.size()) return false;
  out = std::string(bytes.substr(0, length));
  bytes.remove_prefix(length);
  return true;
}

std::string MessageOf(const FieldError& error) {
  if (error.field.empty()) return Description(error);
  return absl::StrCat(error.field, error.predicate.empty() ? ": " : " ", Description(error));
}

}  // namespace

FieldError Contradiction(std::string field, std::string other, std::string reason) {
  FieldError error;
  error.field = std::move(field);
  error.found = absl::StrCat("together with ", other);
  error.expected = "one of them";
  error.other = std::move(other);
  error.reason = std::move(reason);
  return error;
}

std::string Description(const FieldError& error) {
  if (!error.predicate.empty()) return error.predicate;
  if (!error.words.empty()) return error.words;
  std::string text = absl::StrCat("found ", error.found, ", expected ", error.expected);
  if (!error.reason.empty()) absl::StrAppend(&text, ": ", error.reason);
  return text;
}

absl::Status InvalidRequest(const std::vector<FieldError>& errors) {
  std::string message;
  std::string payload;
  for (const FieldError& error : errors) {
    absl::StrAppend(&message, message.empty() ? "" : "; ", MessageOf(error));
    VisitStrings(error, [&payload](const std::string& text) {
      absl::StrAppend(&payload, text.size(), ":", text);
    });
  }
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kUrl, absl::Cord(payload));
  return status;
}

absl::Status InvalidRequest(FieldError error) {
  return InvalidRequest(std::vector<FieldError>{std::move(error)});
}

std::vector<FieldError> FieldErrorsOf(const absl::Status& status) {
  std::vector<FieldError> errors;
  const auto payload = status.GetPayload(kUrl);
  if (!payload.has_value()) return errors;
  const std::string stored(*payload);
  std::string_view bytes = stored;
  while (!bytes.empty()) {
    FieldError error;
    bool whole = true;
    VisitStrings(error, [&](std::string& text) { whole = whole && TakeString(bytes, text); });
    if (!whole) break;  // the payload was not made by InvalidRequest
    errors.push_back(std::move(error));
  }
  return errors;
}

absl::Status WithoutFieldErrors(absl::Status status) {
  status.ErasePayload(kUrl);
  return status;
}

}  // namespace dragoman::engine
