#include "tests/engine/support/gzip_file.h"

#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace dragoman::engine {

absl::StatusOr<std::string> ReadGzipFile(const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) {
    return absl::NotFoundError(absl::StrCat(path, ": cannot be opened: ", std::strerror(errno)));
  }
  std::string text;
  std::array<char, 1 << 16> buffer;
  int size = 0;
  while ((size = gzread(file, buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<size_t>(size));
  }
  // gzread returns 0 at the end of a truncated file, too. Only gzerror tells the difference.
  int error = Z_OK;
  const std::string message = gzerror(file, &error);  // with the path
  const bool is_plain = gzdirect(file) != 0;
  gzclose_r(file);
  if (error != Z_OK) return absl::DataLossError(message);
  if (is_plain) return absl::DataLossError(absl::StrCat(path, ": not a gzip file"));
  return text;
}

}  // namespace dragoman::engine
