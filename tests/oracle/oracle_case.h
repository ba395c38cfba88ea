// One oracle case, and its run on a backend. A case is a JSON file with id, kind, input, expected
// and tolerance (README.md). Thread-compatible plain values.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tests/oracle/fields.h"
#include "tests/oracle/search_backend.h"

namespace dragoman::oracle {

// NOLINTNEXTLINE(bugprone-exception-escape): the JSON library's own checks
struct OracleCase {
  std::string id;
  std::string kind;
  Json input;
  Json expected;
  double tolerance = 0;  // absolute, for real numbers
};

// Returns INVALID_ARGUMENT with the name of the wrong field.
absl::StatusOr<OracleCase> ParseCase(const std::string& text);

// Returns the *.json files of a directory, sorted by name. NOT_FOUND if it is not a directory.
absl::StatusOr<std::vector<std::string>> CaseFiles(const std::string& directory);
absl::StatusOr<std::string> ReadFile(const std::string& path);

struct RunOptions {
  // Also compares the beams after every step, if case and backend have them. Without it, the beams
  // only show where a failed search diverged.
  bool compare_traces = false;
};

// Runs a case. OK: it passed; else the message has the differences. UNIMPLEMENTED: unknown kind.
absl::Status RunCase(const OracleCase& c, SearchBackend& backend, const RunOptions& options = {});

// Reports whether cases of this kind are whole searches.
bool IsSearch(const std::string& kind);

// Runs the cases of one kind.
using KindRunner =
    std::function<absl::Status(const OracleCase&, SearchBackend&, const RunOptions&)>;
using KindTable = std::map<std::string, KindRunner, std::less<>>;

// Add the kinds of whole searches (SEARCH.md a, d, f), and of parts, caches and attention (a-e).
void AddSearchKinds(KindTable& table);
void AddPartKinds(KindTable& table);
void AddAttentionKinds(KindTable& table);

}  // namespace dragoman::oracle
