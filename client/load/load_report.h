// The result of a load run, for people and for scripts. Pure.
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
  std::vector<int64_t> beams;  // beam sizes that the calls take in turn; empty: all alike
  bool stream = false;
  // Whether tokens were counted. If not, the report omits them.
  bool tokens = true;
  // User and system time of this process during the run.
  double client_cpu_seconds = 0;
};

std::string LoadReportText(const LoadReport& report, const LoadReportContext& context);
// Returns one object on one line. Times are milliseconds.
std::string LoadReportJson(const LoadReport& report, const LoadReportContext& context);

}  // namespace dragoman::client
