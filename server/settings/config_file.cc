#include "server/settings/config_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/base/quoted.h"
#include "server/settings/option_table.h"
#include "server/settings/option_values.h"

namespace dragoman::server {
namespace {

constexpr int kLongestWaitMillis = 5000;

absl::Status RefuseFile(const std::string& path, const std::string& what) {
  return absl::InvalidArgumentError(
      absl::StrCat("--config: found ", Quoted(path), ", ", what, ", expected a JSON file"));
}

absl::StatusOr<std::string> ReadAll(const std::string& path, int fd) {
  std::string text;
  std::array<char, 16 << 10> block{};
  while (text.size() <= kConfigFileLimits.max_bytes) {
    const ssize_t got = read(fd, block.data(), block.size());
    if (got > 0) {
      text.append(block.data(), static_cast<size_t>(got));
    } else if (got == 0) {
      return text;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd ready{fd, POLLIN, 0};
      if (poll(&ready, 1, kLongestWaitMillis) == 0) {
        return RefuseFile(path, "a pipe that brought nothing for five seconds");
      }
    } else if (errno != EINTR) {
      return RefuseFile(path, absl::StrCat("which cannot be read (", std::strerror(errno), ")"));
    }
  }
  return RefuseFile(path, absl::StrCat("which has more than the ", kConfigFileLimits.max_bytes,
                                       " bytes allowed"));
}

absl::StatusOr<std::string> TextOfFile(const std::string& path, bool* is_regular) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return RefuseFile(path, absl::StrCat("which cannot be opened (", std::strerror(errno), ")"));
  }
  struct stat info {};
  const bool known = fstat(fd, &info) == 0;
  *is_regular = known && S_ISREG(info.st_mode);
  absl::StatusOr<std::string> text =
      known && S_ISDIR(info.st_mode) ? RefuseFile(path, "a directory") : ReadAll(path, fd);
  close(fd);
  return text;
}

}  // namespace

absl::Status ReadConfigFile(ServerConfig* config, ModelsOfFile* file) {
  const std::string& path = file->path;
  const absl::StatusOr<std::string> text = TextOfFile(path, &file->is_regular);
  if (!text.ok()) return text.status();
  absl::StatusOr<nlohmann::json> parsed = engine::ParseJson(*text, path, kConfigFileLimits);
  if (!parsed.ok()) return parsed.status();
  const nlohmann::json& json = *parsed;
  if (!json.is_object()) {
    return Refuse(path, "", json.type_name(), "a JSON object with the flags' names");
  }
  const std::string where = path + ": ";
  for (const auto& [key, value] : json.items()) {
    if (key == "models") {
      if (!value.is_array()) return Refuse(where, key, value.type_name(), "an array of objects");
      file->models = value;
      continue;
    }
    absl::Status status;
    const auto* const object = std::find(std::begin(kOptionObjects), std::end(kOptionObjects), key);
    if (object != std::end(kOptionObjects)) {
      status = SetObject(*object, where, value, config);
    } else if (const Option* option = FindFlag(key)) {
      status = SetFromFile(*option, where, value, {config, config});
    } else {
      status = Refuse(where, Quoted(key), "an unknown setting",
                      "one of the flags that dragomand --help all lists, models, schedule or cuda");
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace dragoman::server
