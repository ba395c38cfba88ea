// One oracle case: a JSON file with id, kind, input, expected and tolerance (README.md), and its
// run on a backend. Thread-compatible plain values.
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

// INVALID_ARGUMENT names the field that is wrong.
absl::StatusOr<OracleCase> ParseCase(const std::string& text);

// The *.json files of a directory, sorted by name. NOT_FOUND where it is not one.
absl::StatusOr<std::vector<std::string>> CaseFiles(const std::string& directory);
absl::StatusOr<std::string> ReadFile(const std::string& path);

struct RunOptions {
  // Compare the beams after every step too, where a case and the backend have them. Without it they
  // are only used to say where a search that failed went apart.
  bool compare_traces = false;
};

// Runs a case and compares. OK: it passed; else the message says which fields differ and how.
// UNIMPLEMENTED: nobody knows this kind.
absl::Status RunCase(const OracleCase& c, SearchBackend& backend, const RunOptions& options = {});

// Whether cases of this kind are whole searches.
bool IsSearch(const std::string& kind);

// How the cases of one kind run.
using KindRunner =
    std::function<absl::Status(const OracleCase&, SearchBackend&, const RunOptions&)>;
using KindTable = std::map<std::string, KindRunner, std::less<>>;

// Whole searches (SEARCH.md a, d, f); their parts (a, b, d, e); caches and attention (e).
void AddSearchKinds(KindTable& table);
void AddPartKinds(KindTable& table);
void AddAttentionKinds(KindTable& table);

}  // namespace dragoman::oracle
