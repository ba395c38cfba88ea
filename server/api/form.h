// Forms: parameters in a URL's query, in a body of application/x-www-form-urlencoded, and in one of
// multipart/form-data (RFC 7578).
//
// Everything is checked before it is handed on: names and values are UTF-8 (a file's bytes apart),
// and there are at most kMaxFormFields of them. Pure functions, thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/transport/http_message.h"

namespace dragoman::server {

inline constexpr size_t kMaxFormFields = 4096;

struct FormField {
  std::string name;
  std::string value;
  std::string file_name;  // of a part that is a file; "" for others
};

// The fields of a request, in the order in which they were sent: the query first.
class Form {
 public:
  void Add(FormField field) { fields_.push_back(std::move(field)); }
  const std::vector<FormField>& fields() const { return fields_; }

  // The value of the first field of that name; nothing if there is none.
  std::optional<std::string_view> Find(std::string_view name) const;
  // The values of all of that name.
  std::vector<std::string> All(std::string_view name) const;
  // The first field of that name that is a file; nullptr if there is none.
  const FormField* File(std::string_view name) const;

 private:
  std::vector<FormField> fields_;
};

// "a=1&b=2%20x", '+' standing for a space. `where` names the text in errors ("the query", "the
// body"). INVALID_ARGUMENT for a '%' that two hexadecimal digits do not follow, and for what the
// top of this file says.
absl::Status ReadUrlEncoded(std::string_view text, std::string_view where, Form* form);

// The value of the first field of that name, found without reading the others; "" where there is none,
// or it is not well-formed.
std::string FindUrlEncoded(std::string_view text, std::string_view name);

// The parts of a multipart body, separated by `boundary`. Strict: CR LF everywhere, each part with
// a Content-Disposition of form-data and a name, nothing before the first boundary or after the
// last. INVALID_ARGUMENT says what is wrong.
absl::Status ReadMultipart(std::string_view body, std::string_view boundary, Form* form);

// The media type of the body without its parameters, in lower case: "application/json"; "" if the
// request names none.
std::string MediaType(const HttpRequest& request);

// The query's fields.
absl::StatusOr<Form> ReadQuery(const HttpRequest& request);

// The query's fields and, if the body is a form of either kind, those of the body. Other bodies
// are left alone.
absl::StatusOr<Form> ReadForm(const HttpRequest& request);

}  // namespace dragoman::server
