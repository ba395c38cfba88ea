// Compares the status codes that clients see with the codes of every error in the sources.
#include "server/base/status_codes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "server/api/status_map.h"

namespace dragoman::server {
namespace {

namespace fs = std::filesystem;

// The codes of google.rpc.Code by the names of absl's constants: the constant, and the name in the
// contract.
const std::map<std::string, std::pair<absl::StatusCode, std::string>> kCodes = {
    {"Ok", {absl::StatusCode::kOk, "OK"}},
    {"Cancelled", {absl::StatusCode::kCancelled, "CANCELLED"}},
    {"Unknown", {absl::StatusCode::kUnknown, "UNKNOWN"}},
    {"InvalidArgument", {absl::StatusCode::kInvalidArgument, "INVALID_ARGUMENT"}},
    {"DeadlineExceeded", {absl::StatusCode::kDeadlineExceeded, "DEADLINE_EXCEEDED"}},
    {"NotFound", {absl::StatusCode::kNotFound, "NOT_FOUND"}},
    {"AlreadyExists", {absl::StatusCode::kAlreadyExists, "ALREADY_EXISTS"}},
    {"PermissionDenied", {absl::StatusCode::kPermissionDenied, "PERMISSION_DENIED"}},
    {"ResourceExhausted", {absl::StatusCode::kResourceExhausted, "RESOURCE_EXHAUSTED"}},
    {"FailedPrecondition", {absl::StatusCode::kFailedPrecondition, "FAILED_PRECONDITION"}},
    {"Aborted", {absl::StatusCode::kAborted, "ABORTED"}},
    {"OutOfRange", {absl::StatusCode::kOutOfRange, "OUT_OF_RANGE"}},
    {"Unimplemented", {absl::StatusCode::kUnimplemented, "UNIMPLEMENTED"}},
    {"Internal", {absl::StatusCode::kInternal, "INTERNAL"}},
    {"Unavailable", {absl::StatusCode::kUnavailable, "UNAVAILABLE"}},
    {"DataLoss", {absl::StatusCode::kDataLoss, "DATA_LOSS"}},
    {"Unauthenticated", {absl::StatusCode::kUnauthenticated, "UNAUTHENTICATED"}}};

std::string ReadText(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns every code that a source of engine/ or server/ makes (absl::XError( or StatusCode::kX),
// each with one file that makes it. The tables of all codes, ours and HTTP's, do not count.
std::map<std::string, std::string> CodesOfTheSources() {
  std::map<std::string, std::string> found;
  const std::regex made(R"(absl::([A-Z]\w*)Error\(|absl::StatusCode::k(\w+))");
  int files = 0;
  for (const char* folder : {"engine", "server"}) {
    const fs::path root = fs::path(DRAGOMAN_SOURCE_DIR) / folder;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      const std::string name = entry.path().filename();
      if (!name.ends_with(".cc") && !name.ends_with(".h")) continue;
      if (name == "status_codes.cc" || name == "adapter_errors.cc") continue;
      ++files;
      const std::string text = ReadText(entry.path());
      for (std::sregex_iterator match(text.begin(), text.end(), made), end; match != end; ++match) {
        found.emplace((*match)[1].matched ? (*match)[1] : (*match)[2], entry.path());
      }
    }
  }
  EXPECT_GT(files, 100);
  return found;
}

TEST(StatusCodes, EveryCodeThatTheSourcesMakeReachesTheClientAsItIs) {
  const auto made = CodesOfTheSources();
  EXPECT_GT(made.size(), 10U);
  for (const auto& [name, path] : made) {
    const auto known = kCodes.find(name);
    ASSERT_NE(known, kCodes.end()) << name << " in " << path;
    const auto& [code, text] = known->second;
    EXPECT_EQ(CodeName(code), text) << path;
    EXPECT_EQ(ContractCode(code), code) << path;
    EXPECT_EQ(static_cast<int>(ToGrpcStatus(absl::Status(code, "why")).error_code()),
              static_cast<int>(code))
        << path;
  }
}

TEST(StatusCodes, WhatIsNotPartOfTheContractIsInternal) {
  const auto made = CodesOfTheSources();
  for (const auto& [name, known] : kCodes) {
    if (made.contains(name) || known.first == absl::StatusCode::kOk) continue;
    EXPECT_EQ(ContractCode(known.first), absl::StatusCode::kInternal) << name;
    EXPECT_EQ(CodeName(known.first), "INTERNAL");
  }
  EXPECT_EQ(ContractCode(static_cast<absl::StatusCode>(99)), absl::StatusCode::kInternal);
}

// The comment in the proto names exactly the codes that a client may see.
TEST(StatusCodes, TheProtoSaysWhatEachCodeMeans) {
  const std::string proto = ReadText(DRAGOMAN_SOURCE_DIR "/proto/dragoman/v1/translation.proto");
  std::set<std::string> said;
  const std::regex line(R"(\n//   ([A-Z]+(?:_[A-Z]+)*)  )");
  for (std::sregex_iterator match(proto.begin(), proto.end(), line), end; match != end; ++match) {
    said.insert((*match)[1]);
  }
  for (const auto& [name, known] : kCodes) {
    const auto& [code, text] = known;
    const bool is_error_of_ours = ContractCode(code) == code && code != absl::StatusCode::kOk;
    EXPECT_EQ(said.contains(text), is_error_of_ours) << text;
  }
}

}  // namespace
}  // namespace dragoman::server
