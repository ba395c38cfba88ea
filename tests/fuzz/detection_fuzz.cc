// Input: a byte that selects the format, language codes up to a line feed, and any bytes as the
// text. The line that the detector gets must be short, valid UTF-8. The detector must return only
// candidates, with probabilities as confidences. A build without a detector checks only the line
// and the candidates.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/utf8.h"
#include "server/call/detect/candidates.h"
#include "server/call/detect/detection_line.h"
#include "server/call/detect/open_detector.h"
#include "tests/fuzz/fuzz_check.h"

namespace dragoman {
namespace {

constexpr char kModel[] = DRAGOMAN_SOURCE_DIR "/deploy/models/lid.176/lid.176.ftz";

const server::LanguageDetector* Detector() {
  static const auto* const detector = [] {
    if (*server::DetectionLibrary() == '\0') return static_cast<server::LanguageDetector*>(nullptr);
    constexpr int64_t kMostBytes = int64_t{1} << 30;
    auto opened = server::OpenDetector(kModel, "", kMostBytes);
    FuzzCheck(opened.ok());
    return opened->detector.release();
  }();
  return detector;
}

std::vector<std::string> CodesOf(std::string_view list) {
  std::vector<std::string> codes;
  while (true) {
    const size_t end = list.find(',');
    codes.emplace_back(list.substr(0, end));
    if (end == std::string_view::npos) return codes;
    list.remove_prefix(end + 1);
  }
}

void CheckLine(std::string_view text) {
  const server::DetectionLine line = server::MakeDetectionLine(text);
  FuzzCheck(!engine::FirstInvalidUtf8(line.text).has_value());
  FuzzCheck(engine::CountCodePoints(line.text) <= static_cast<int64_t>(server::kKeptCodePoints));
  FuzzCheck(line.text.find_first_of("\n\r\t<>_") == std::string::npos);
  FuzzCheck(line.script.empty() || line.script.size() == 4);
  FuzzCheck(!engine::FirstInvalidUtf8(server::LowerCase(text)).has_value());
  // MakeDetectionLine is idempotent.
  FuzzCheck(server::MakeDetectionLine(line.text).text == line.text);
}

void CheckFound(const server::LanguageDetector& detector, const std::vector<std::string>& codes,
                std::string_view text) {
  double before = 1;
  double sum = 0;
  for (const server::DetectedLanguage& found : detector.Detect(text, codes)) {
    FuzzCheck(std::find(codes.begin(), codes.end(), found.language) != codes.end());
    FuzzCheck(std::isfinite(found.confidence) && found.confidence > 0);
    FuzzCheck(found.confidence <= before);
    before = found.confidence;
    sum += found.confidence;
  }
  FuzzCheck(sum <= 1 + 1e-6);
}

void Run(engine::TextFormat format, std::string_view bytes) {
  const size_t end = bytes.find('\n');
  const std::vector<std::string> codes = CodesOf(bytes.substr(0, end));
  const std::string_view rest = end == std::string_view::npos ? "" : bytes.substr(end + 1);
  const std::string text = server::TextToDetect(rest, format);
  if (!engine::FirstInvalidUtf8(rest).has_value())
    FuzzCheck(!engine::FirstInvalidUtf8(text).has_value());
  CheckLine(text);
  const server::Candidates candidates(codes);
  for (const std::string& code : codes) {
    const std::string* const found = candidates.Find(server::LanguageKey(code), "Latn");
    if (found == nullptr) continue;
    FuzzCheck(std::find(codes.begin(), codes.end(), *found) != codes.end());
  }
  if (Detector() != nullptr) CheckFound(*Detector(), codes, text);
}

}  // namespace
}  // namespace dragoman

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  dragoman::Run(static_cast<dragoman::engine::TextFormat>(data[0] % 3),
                {reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}
