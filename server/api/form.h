// Reads forms: parameters in a URL's query, and bodies of the types
// application/x-www-form-urlencoded and multipart/form-data (RFC 7578).
//
// Names and values are valid UTF-8, except the bytes of a file, and there are at most
// kMaxFormFields fields. Pure functions, thread-safe.
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
  std::string file_name;  // "" unless the part is a file
};

// The fields of a request in the order in which the client sent them. Those of the query come
// first.
class Form {
 public:
  void Add(FormField field) { fields_.push_back(std::move(field)); }
  const std::vector<FormField>& fields() const { return fields_; }

  // Returns the value of the first field of that name, if there is one.
  std::optional<std::string_view> Find(std::string_view name) const;

 private:
  std::vector<FormField> fields_;
};

// Reads "a=1&b=2%20x"; '+' means a space. `where` names the text in errors ("the query").
// INVALID_ARGUMENT for a '%' without two hexadecimal digits, invalid UTF-8 or too many fields.
absl::Status ReadUrlEncoded(std::string_view text, std::string_view where, Form* form);

// Finds the first field of that name and decodes only this field. Returns "" if it is missing or
// malformed.
std::string FindUrlEncoded(std::string_view text, std::string_view name);

// Reads the parts of a multipart body. Strict: every line ends with CR LF, each part has a
// Content-Disposition of form-data and a name, and there is nothing before the first boundary or
// after the last. INVALID_ARGUMENT names the problem.
absl::Status ReadMultipart(std::string_view body, std::string_view boundary, Form* form);

// Returns the body's media type without parameters, in lower case ("application/json"), or "".
std::string MediaType(const HttpRequest& request);

// Reads the fields of the query.
absl::StatusOr<Form> ReadQuery(const HttpRequest& request);

// Reads the fields of the query. If the body is a form (application/x-www-form-urlencoded or
// multipart/form-data), also reads the fields of the body.
absl::StatusOr<Form> ReadForm(const HttpRequest& request);

}  // namespace dragoman::server
