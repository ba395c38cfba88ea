#include "client/commands/output_file.h"

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace dragoman::client {
namespace {

// Reports whether a line of the output has no translation. An empty line of the output may also
// come from an empty line of the input. It counts as one without a translation too. A resumed run
// may then read the empty line again, so nothing is lost.
bool HasNoTranslation(const std::string& line, bool json) {
  if (!json) return line.empty();
  const auto object = nlohmann::json::parse(line, nullptr, false);
  return !object.is_object() || object.contains("error");
}

}  // namespace

absl::Status OutputFile::Open(const std::string& path, bool resume, bool json) {
  path_ = path;
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  const bool has_content = !error && size > 0;
  if (has_content && !resume) {
    return absl::AlreadyExistsError(absl::StrCat(
        path, " is there already, expected --resume to go on with it, or another name"));
  }
  if (has_content) {
    if (absl::Status status = Keep(json); !status.ok()) return status;
  }
  stream_.open(path, std::ios::binary | std::ios::app);
  if (!stream_) return absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", path));
  return absl::OkStatus();
}

absl::Status OutputFile::Keep(bool json) {
  std::ifstream old(path_, std::ios::binary);
  if (!old) return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path_));
  int64_t lines = 0;
  int64_t without = 0;
  uintmax_t end = 0;
  uintmax_t kept_bytes = 0;
  for (std::string line; std::getline(old, line) && !old.eof();) {  // skips an incomplete last line
    ++lines;
    end += line.size() + 1;
    if (HasNoTranslation(line, json)) {
      ++without;
      continue;
    }
    kept_ = lines;
    kept_without_ = without;
    kept_bytes = end;
  }
  if (old.bad()) return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path_));
  std::error_code error;
  std::filesystem::resize_file(path_, kept_bytes, error);
  if (!error) return absl::OkStatus();
  return absl::ErrnoToStatus(error.value(), absl::StrCat("cannot cut off ", path_));
}

absl::Status OutputFile::Close() {
  stream_.close();
  if (stream_) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("cannot write all of ", path_));
}

}  // namespace dragoman::client
