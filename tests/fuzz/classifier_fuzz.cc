// A classifier of languages: bytes that the check takes are loaded by fastText, and texts are
// looked at, without a word from the sanitizers.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "server/detect/classifier_file.h"
#include "server/detect/open_detector.h"

namespace dragoman {
namespace {

constexpr int64_t kMostBytes = int64_t{256} << 20;

void Check(bool holds) {
  if (!holds) std::abort();
}

void Run(std::string_view bytes) {
  const auto checked = CheckClassifier(bytes);
  if (!checked.ok()) {
    Check(checked.status().code() == absl::StatusCode::kInvalidArgument);
    return;
  }
  Check(*checked > 0);
  if (*DetectionLibrary() == '\0') return;
  const int fd = memfd_create("classifier", MFD_CLOEXEC);
  Check(fd >= 0 && write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  const auto detector = OpenDetector(absl::StrCat("/proc/self/fd/", fd), kMostBytes);
  close(fd);
  if (!detector.ok()) return;  // labels that are no languages
  const auto choice = detector->detector->Among({"de", "en", "fr"});
  for (const char* text :
       {"das the das", "Wo ist der Bahnhof?", "x", "12", "ÄÖ \xFF __label__de"}) {
    for (const DetectedLanguage& found : choice->Detect(text)) {
      Check(found.confidence >= 0 && found.confidence <= 1 + 1e-6);
    }
  }
}

}  // namespace
}  // namespace dragoman

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  dragoman::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
