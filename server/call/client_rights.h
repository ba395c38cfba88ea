// The rights of an API key's client: its models, its rate limit, and the count of its translated
// text.
//
// A client sees only the models that it may use. No answer or error tells it the names, languages
// or glossaries of other models. A call that needs no key has no client (nullptr) and sees
// everything.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/clock.h"
#include "server/call/api_keys.h"
#include "server/call/call_context.h"
#include "server/models/model_table.h"

namespace dragoman::server {

// Reports whether the client sees the model. No other code decides this.
bool MaySee(const Client* client, std::string_view model);

// Returns UNAVAILABLE if no model takes calls yet. The result is the same for all clients.
absl::Status CheckLoaded(const CallContext& context);

// VisibleModels: the models that take calls and that the client sees. VisibleEntries: the entries
// of ListModels that the client sees. Both begin with the default model.
std::vector<ModelPtr> VisibleModels(const CallContext& context, const Client* client);
std::vector<ModelTable::Entry> VisibleEntries(const CallContext& context, const Client* client);

// Returns PERMISSION_DENIED if the client may not use a model of this name, even if no such model
// exists. "" means any model; it is denied if `visible` is empty.
absl::Status CheckMayUse(const Client* client, const std::string& model,
                         const std::vector<ModelPtr>& visible);

// Returns the model of this name, or the first model for "". Returns the errors of CheckMayUse, and
// NOT_FOUND with the names that the client sees if there is no such model.
absl::StatusOr<ModelPtr> FindVisibleModel(const CallContext& context, const Client* client,
                                          const std::string& model);

// Returns the model `model`, or VisibleModels if `model` is "". Returns the errors of CheckLoaded
// and FindVisibleModel.
absl::StatusOr<std::vector<ModelPtr>> FindVisibleModels(const CallContext& context,
                                                        const Client* client,
                                                        const std::string& model);

// Takes `code_points` from the client's characters per minute. If too few are left, takes none and
// returns RESOURCE_EXHAUSTED with a retry hint. A call without a key (nullptr) has no rate limit.
absl::Status TakeRate(Client* client, int64_t code_points, engine::Nanos now);

// TranslatedCodePoints returns the number of code points in the texts of the calls that have
// succeeded since the start, over every interface. These are the calls of `client`, or all calls if
// `client` is nullptr. All texts of a call count, even if some of them have failed. CountTranslated
// adds the code points of one call.
int64_t TranslatedCodePoints(const CallContext& context, const Client* client);
void CountTranslated(const CallContext& context, Client* client, int64_t code_points);

}  // namespace dragoman::server
