#include "absl/strings/str_cat.h"
#include "server/call/detect/open_detector.h"

namespace dragoman::server {

const char* DetectionLibrary() { return ""; }

absl::StatusOr<OpenedDetector> OpenDetector(const std::string& file, const std::string& /*sha256*/,
                                            int64_t /*most_bytes*/) {
  return absl::UnimplementedError(
      absl::StrCat(file,
                   ": this build has no library that detects languages, expected one with "
                   "fastText (libfasttext-dev, DRAGOMAN_DETECTION=ON)"));
}

}  // namespace dragoman::server
