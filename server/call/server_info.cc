#include "server/call/server_info.h"

#include "engine/api/engine.h"
#include "engine/api/glossary_terms.h"
#include "server/base/steady_clock.h"
#include "server/base/version.h"
#include "server/call/client_rights.h"
#include "server/call/jobs/job_store.h"
#include "server/call/request_parser.h"

namespace dragoman::server {

v1::GetServerInfoResponse BuildServerInfo(const CallContext& calls, const Client* client,
                                          const CallBounds& bounds, bool draining) {
  v1::GetServerInfoResponse info;
  info.set_version(kVersion);
  info.set_draining(draining);
  info.set_detects_languages(calls.detector != nullptr);
  v1::Limits* limits = info.mutable_limits();
  limits->set_max_items(calls.limits.max_items);
  limits->set_max_code_points(static_cast<int32_t>(calls.limits.max_code_points));
  limits->set_max_beam(kernels::kMaxBeam);
  limits->set_max_wanted_ids(kernels::kMaxWantedIds);
  limits->set_max_constraint_tokens(kernels::kMaxConstraintTokens);
  limits->set_max_forbidden_nodes(kernels::kMaxForbiddenNodes);
  limits->set_max_request_id_length(kMaxRequestIdLength);
  limits->set_max_labels(kMaxLabels);
  limits->set_max_label_bytes(kMaxLabelBytes);
  limits->set_max_phrase_bytes(static_cast<int32_t>(engine::kMaxTermBytes));
  limits->set_max_terms(kMaxTerms);
  limits->set_max_request_bytes(bounds.max_request_bytes);
  limits->mutable_receive_timeout()->set_seconds(bounds.receive_timeout / kNanosPerSecond);
  limits->set_max_streams(bounds.max_streams);
  if (calls.jobs != nullptr) limits->set_max_job_bytes(calls.jobs->limits().max_job_bytes);
  limits->mutable_longest_call()->set_seconds(calls.longest_call / kNanosPerSecond);
  for (const ModelPtr& model : VisibleModels(calls, client)) {
    info.add_models(model->name);
    if (info.models_size() > 1) continue;
    const engine::EngineStats stats = model->engine->Stats();
    limits->set_queue_segments(stats.queue_segment_capacity);
    limits->set_queue_tokens(stats.queue_token_capacity);
  }
  return info;
}

}  // namespace dragoman::server
