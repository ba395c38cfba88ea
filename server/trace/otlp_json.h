// Spans as the body of an OTLP/HTTP request in JSON (opentelemetry-proto,
// ExportTraceServiceRequest: ids in hexadecimal, whole numbers of 64 bits as strings).
#pragma once

#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "server/trace/span.h"

namespace dragoman {

// `attributes` describe the process. `wall_offset` is how far the wall clock is ahead of the
// spans'.
std::string OtlpJson(const std::vector<Span>& spans,
                     const std::vector<std::pair<std::string, std::string>>& attributes,
                     Nanos wall_offset);

}  // namespace dragoman
