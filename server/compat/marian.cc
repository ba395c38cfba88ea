#include "server/compat/marian.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "engine/base/utf8.h"
#include "server/api/absl_view.h"
#include "server/api/form.h"
#include "server/call/request_error.h"
#include "server/compat/dialect_parts.h"
#include "server/compat/json_dialect.h"

namespace dragoman::server {

std::vector<AdapterRoute> MarianAdapter::Routes() {
  return {{.method = kWebSocketMethod, .path = "/translate"}};
}

std::string MarianAdapter::Key(const HttpRequest& request) const { return TokenKey(request); }

absl::StatusOr<AdapterAction> MarianAdapter::Handle(const HttpRequest& request,
                                                    const Client* /*client*/) const {
  if (engine::FirstInvalidUtf8(request.body).has_value()) {
    return InvalidField("", "found a message that is not UTF-8, expected UTF-8 text");
  }
  const absl::StatusOr<Form> query = ReadQuery(request);
  if (!query.ok()) return query.status();
  std::string_view text = request.body;
  const bool ends_line = text.ends_with("\n");
  if (ends_line) text.remove_suffix(1);

  UnaryAction action;
  action.request = RequestOf({.texts = absl::StrSplit(View(text), '\n'),
                              .source = std::string(query->Find("source").value_or("")),
                              .target = std::string(query->Find("target").value_or("")),
                              .preserve = false});
  action.request.set_recase(false);
  action.request.set_model(std::string(query->Find("model").value_or("")));
  action.request.mutable_segmentation()->set_split(v1::Segmentation::NONE);
  action.render = [this, ends_line](const v1::TranslateResponse& answer) {
    const absl::Status failed = FirstItemError(answer);
    if (!failed.ok()) return Error({}, failed);
    return HttpResponse{
        .body = absl::StrCat(absl::StrJoin(TextsOf(answer), "\n"), ends_line ? "\n" : "")};
  };
  return action;
}

HttpResponse MarianAdapter::Error(const HttpRequest& /*request*/,
                                  const absl::Status& status) const {
  return {.status = StatusWithoutRetry(status), .body = std::string(status.message())};
}

}  // namespace dragoman::server
