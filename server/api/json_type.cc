#include "server/api/json_type.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "server/api/form.h"
#include "server/base/quoted.h"
#include "server/call/request_error.h"

namespace dragoman {

absl::Status CheckJsonType(const HttpRequest& request) {
  const std::string type = MediaType(request);
  if (type == "application/json") return absl::OkStatus();
  return InvalidField(
      "", absl::StrCat("found the content type ", Quoted(type), ", expected application/json"));
}

}  // namespace dragoman
