// Formats the result of a load run as text for users and as JSON for scripts. Thread-safety: pure
// functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/load/load_run.h"

namespace dragoman::client {

struct LoadReportContext {
  LoadOptions options;
  int batch = 1;
  int join_lines = 1;
  // The beam sizes that calls use in turn. If empty, all calls use one beam size.
  std::vector<int64_t> beams;
  bool stream = false;
  // Whether tokens were counted. If not, the report leaves them out.
  bool tokens = true;
  // User and system time of this process during the run.
  double client_cpu_seconds = 0;
};

std::string LoadReportText(const LoadReport& report, const LoadReportContext& context);
// Returns a JSON object on one line. Times are in milliseconds.
std::string LoadReportJson(const LoadReport& report, const LoadReportContext& context);

}  // namespace dragoman::client
