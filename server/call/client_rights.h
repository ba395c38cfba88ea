// The rights of an API key's client: what it sees, what it may use, and its rate; and what was
// translated for it.
//
// A client sees the models that it may use. It learns nothing of others: not their names, languages
// or glossaries, not even from an error. A call that needs no key has no client (nullptr) and sees
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

// The one rule that decides what a client sees.
bool MaySee(const Client* client, std::string_view model);

// UNAVAILABLE until a model takes calls, whoever asks.
absl::Status CheckLoaded(const CallContext& context);

// The models that take calls, and the lines of ListModels, that the client sees; the default first.
std::vector<ModelPtr> VisibleModels(const CallContext& context, const Client* client);
std::vector<ModelTable::Entry> VisibleEntries(const CallContext& context, const Client* client);

// PERMISSION_DENIED where the client may not use a model of this name, whether there is one or not.
// "" is any model, and it is denied to a client that sees none of `visible`.
absl::Status CheckMayUse(const Client* client, const std::string& model,
                         const std::vector<ModelPtr>& visible);

// The model of this name, "" the first: CheckMayUse, then NOT_FOUND with the names that the client
// sees.
absl::StatusOr<ModelPtr> FindVisibleModel(const CallContext& context, const Client* client,
                                          const std::string& model);

// Takes these code points from the client's characters per minute; RESOURCE_EXHAUSTED with the time
// after which it may try again, and none are taken. nullptr, of a call that needs no key, has no
// rate.
absl::Status TakeRate(Client* client, int64_t code_points, engine::Nanos now);

// Code points of the texts of calls that have succeeded since the start, over every interface: those
// of the client, or of all calls for nullptr. A call counts whole, also where some of its texts have
// failed. CountTranslated adds a call's.
int64_t TranslatedCodePoints(const CallContext& context, const Client* client);
void CountTranslated(const CallContext& context, Client* client, int64_t code_points);

}  // namespace dragoman::server
