#include "server/call/client_rights.h"

#include "absl/strings/str_cat.h"
#include "server/base/quoted.h"
#include "server/call/request_error.h"
#include "server/models/model_router.h"

namespace dragoman::server {

bool MaySee(const Client* client, std::string_view model) {
  return client == nullptr || client->MayUse(model);
}

absl::Status CheckLoaded(const CallContext& context) {
  if (!context.models->models().empty()) return absl::OkStatus();
  return absl::UnavailableError("the model is being loaded");
}

std::vector<ModelPtr> VisibleModels(const CallContext& context, const Client* client) {
  std::vector<ModelPtr> models = context.models->models();
  std::erase_if(models, [&](const ModelPtr& model) { return !MaySee(client, model->name); });
  return models;
}

std::vector<ModelTable::Entry> VisibleEntries(const CallContext& context, const Client* client) {
  std::vector<ModelTable::Entry> entries = context.models->Entries();
  std::erase_if(entries,
                [&](const ModelTable::Entry& entry) { return !MaySee(client, entry.name); });
  return entries;
}

absl::Status CheckMayUse(const Client* client, const std::string& model,
                         const std::vector<ModelPtr>& visible) {
  if (client == nullptr || (model.empty() ? !visible.empty() : MaySee(client, model))) {
    return absl::OkStatus();
  }
  const std::string found = model.empty() ? "none that" : absl::StrCat(Quoted(model), ", which");
  return absl::PermissionDeniedError(absl::StrCat("model: found ", found, " client ",
                                                  Quoted(client->name()), " may ",
                                                  model.empty() ? "use" : "not use"));
}

absl::StatusOr<ModelPtr> FindVisibleModel(const CallContext& context, const Client* client,
                                          const std::string& model) {
  const std::vector<ModelPtr> visible = VisibleModels(context, client);
  if (absl::Status allowed = CheckMayUse(client, model, visible); !allowed.ok()) return allowed;
  return FindModel(visible, model);
}

absl::StatusOr<std::vector<ModelPtr>> FindVisibleModels(const CallContext& context,
                                                        const Client* client,
                                                        const std::string& model) {
  if (absl::Status loaded = CheckLoaded(context); !loaded.ok()) return loaded;
  if (model.empty()) return VisibleModels(context, client);
  absl::StatusOr<ModelPtr> found = FindVisibleModel(context, client, model);
  if (!found.ok()) return found.status();
  return std::vector<ModelPtr>{*std::move(found)};
}

absl::Status TakeRate(Client* client, int64_t code_points, engine::Nanos now) {
  if (client == nullptr) return absl::OkStatus();
  const engine::Nanos wait = client->Take(code_points, now);
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

}  // namespace dragoman::server
