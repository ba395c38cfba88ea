#include "server/trace/otlp_json.h"

#include <nlohmann/json.hpp>

#include "server/base/version.h"

namespace dragoman {
namespace {

using nlohmann::json;

// Values of the protocol's enums.
constexpr int kInternal = 1;
constexpr int kServer = 2;
constexpr int kError = 2;

json Attribute(const std::string& key, const std::variant<int64_t, std::string>& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    return {{"key", key}, {"value", {{"intValue", std::to_string(*number)}}}};
  }
  return {{"key", key}, {"value", {{"stringValue", std::get<std::string>(value)}}}};
}

json ToJson(const Span& span, Nanos wall_offset) {
  json out = {{"traceId", span.trace_id},
              {"spanId", span.span_id},
              {"name", span.name},
              {"kind", span.of_server ? kServer : kInternal},
              {"startTimeUnixNano", std::to_string(span.start + wall_offset)},
              {"endTimeUnixNano", std::to_string(span.end + wall_offset)}};
  if (!span.parent_id.empty()) out["parentSpanId"] = span.parent_id;
  if (span.failed) out["status"] = {{"code", kError}};
  json attributes = json::array();
  for (const auto& [key, value] : span.attributes) attributes.push_back(Attribute(key, value));
  if (!attributes.empty()) out["attributes"] = std::move(attributes);
  return out;
}

}  // namespace

std::string OtlpJson(const std::vector<Span>& spans,
                     const std::vector<std::pair<std::string, std::string>>& attributes,
                     Nanos wall_offset) {
  json resource = json::array();
  for (const auto& [key, value] : attributes) resource.push_back(Attribute(key, value));
  json list = json::array();
  for (const Span& span : spans) list.push_back(ToJson(span, wall_offset));
  const json scope = {{"scope", {{"name", "dragomand"}, {"version", kVersion}}},
                      {"spans", std::move(list)}};
  const json body = {
      {"resourceSpans", json::array({{{"resource", {{"attributes", std::move(resource)}}},
                                      {"scopeSpans", json::array({scope})}}})}};
  return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace dragoman
