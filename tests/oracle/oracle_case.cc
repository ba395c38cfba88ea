#include "tests/oracle/oracle_case.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace dragoman::oracle {

absl::StatusOr<OracleCase> ParseCase(const std::string& text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return absl::InvalidArgumentError("not JSON");
  Fields fields(json, "case");
  OracleCase c;
  c.id = fields.Text("id");
  c.kind = fields.Text("kind");
  c.input = fields.Any("input");
  c.expected = fields.Any("expected");
  c.tolerance = fields.Real("tolerance");
  for (const char* for_people : {"title", "notes", "wrong_variants_rejected"}) {
    fields.Has(for_people);
  }
  if (absl::Status status = fields.status(); !status.ok()) return status;
  return c;
}

absl::StatusOr<std::vector<std::string>> CaseFiles(const std::string& directory) {
  std::error_code error;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  }
  if (error) return absl::NotFoundError(absl::StrCat(directory, ": ", error.message()));
  std::sort(files.begin(), files.end());
  return files;
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  return text;
}

namespace {

absl::Status RunSchedule(const OracleCase& c, SearchBackend& backend, const RunOptions&) {
  return backend.Schedule(Json{{"kind", c.kind}, {"input", c.input}, {"expected", c.expected}});
}

}  // namespace

absl::Status RunCase(const OracleCase& c, SearchBackend& backend, const RunOptions& options) {
  static const KindTable* const kTable = [] {
    auto* table = new KindTable();
    AddSearchKinds(*table);
    AddPartKinds(*table);
    AddAttentionKinds(*table);
    (*table)["stream_schedule"] = RunSchedule;
    (*table)["topup_schedule"] = RunSchedule;
    return table;
  }();
  const auto kind = kTable->find(c.kind);
  if (kind == kTable->end()) {
    return absl::UnimplementedError(absl::StrCat("unknown kind '", c.kind, "'"));
  }
  return kind->second(c, backend, options);
}

}  // namespace dragoman::oracle
