#include "absl/strings/str_cat.h"
#include "server/detect/open_detector.h"

namespace dragoman {

const char* DetectionLibrary() { return ""; }

absl::StatusOr<std::unique_ptr<LanguageDetector>> OpenDetector(const std::string& file) {
  return absl::UnimplementedError(
      absl::StrCat(file,
                   ": this build has no library that detects languages, expected one with "
                   "fastText (libfasttext-dev, DRAGOMAN_DETECTION=ON)"));
}

}  // namespace dragoman
