// The rights of an API key's client, as errors of calls; and what was translated for it.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/clock.h"
#include "server/call/call_context.h"
#include "server/models/served_model.h"
#include "server/security/api_keys.h"

namespace dragoman {

// PERMISSION_DENIED where the client may not use this model.
absl::Status CheckMayUse(const Client& client, const std::string& model);

// Takes out the models that the client may not use. PERMISSION_DENIED where none is left.
absl::Status KeepAllowed(const Client& client, std::vector<ModelPtr>* models);

// Takes these code points from the client's characters per minute; RESOURCE_EXHAUSTED with the time
// after which it may try again, and none are taken. nullptr, of a call that needs no key, has no
// rate.
absl::Status TakeRate(Client* client, int64_t code_points, Nanos now);

// Code points of the texts of calls that have succeeded since the start, over every interface: those
// of the client, or of all calls for nullptr. A call counts whole, also where some of its texts have
// failed. CountTranslated adds a call's.
int64_t TranslatedCodePoints(const CallContext& context, const Client* client);
void CountTranslated(const CallContext& context, Client* client, int64_t code_points);

}  // namespace dragoman
