#include "server/call/client_rights.h"

#include "absl/strings/str_cat.h"
#include "server/base/quoted.h"
#include "server/call/request_error.h"

namespace dragoman {

absl::Status CheckMayUse(const Client& client, const std::string& model) {
  if (client.MayUse(model)) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat("model: found ", Quoted(model), ", which client ",
                                                  Quoted(client.name()), " may not use"));
}

absl::Status KeepAllowed(const Client& client, std::vector<ModelPtr>* models) {
  if (models->size() == 1) return CheckMayUse(client, models->front()->name);
  std::erase_if(*models, [&client](const ModelPtr& model) { return !client.MayUse(model->name); });
  if (!models->empty()) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("model: found none that client ", Quoted(client.name()), " may use"));
}

absl::Status TakeRate(Client* client, int64_t code_points, Nanos now) {
  if (client == nullptr) return absl::OkStatus();
  const Nanos wait = client->Take(code_points, now);
  if (wait == 0) return absl::OkStatus();
  return WithRetryAfter(
      absl::ResourceExhaustedError(absl::StrCat("client ", Quoted(client->name()),
                                                " has used up its characters per minute")),
      wait);
}

int64_t TranslatedCodePoints(const CallContext& context, const Client* client) {
  if (client != nullptr) return client->translated();
  return context.translated == nullptr ? 0 : context.translated->load();
}

void CountTranslated(const CallContext& context, Client* client, int64_t code_points) {
  if (client != nullptr) client->AddTranslated(code_points);
  if (context.translated != nullptr) context.translated->fetch_add(code_points);
}

}  // namespace dragoman
