#include "tests/gpu/ptx/report.h"

#include <algorithm>

namespace dragoman::ptx {
namespace {

std::string Coordinates(const Index3& at) {
  return "(" + std::to_string(at.x) + "," + std::to_string(at.y) + "," + std::to_string(at.z) + ")";
}

}  // namespace

std::string_view FindingName(FindingKind kind) {
  switch (kind) {
    case FindingKind::kOutOfBounds:
      return "out of bounds";
    case FindingKind::kMisaligned:
      return "misaligned";
    case FindingKind::kUninitialised:
      return "uninitialised";
    case FindingKind::kRace:
      return "race";
    case FindingKind::kMissingLanes:
      return "missing lanes";
    case FindingKind::kBarrierMisuse:
      return "misused barrier";
    case FindingKind::kDeadlock:
      return "deadlock";
    case FindingKind::kUnfinished:
      return "unfinished";
    case FindingKind::kLaunchLimit:
      return "launch limit";
    case FindingKind::kUndefinedValue:
      return "undefined value";
    case FindingKind::kUnknownProgram:
      return "unknown program";
    case FindingKind::kCapture:
      return "illegal in a capture";
    case FindingKind::kWrongDevice:
      return "wrong device";
    case FindingKind::kStaleHandle:
      return "stale handle";
    case FindingKind::kNotFreed:
      return "not freed";
  }
  return "";
}

std::string Finding::Text() const {
  const bool of_call = kind >= FindingKind::kCapture;
  std::string text = std::string(FindingName(kind)) + ": " + what;
  if (!kernel.empty()) text += (of_call ? "; call " : "; kernel ") + kernel;
  if (line > 0) {
    constexpr size_t kShown = 120;
    text += ", PTX line " + std::to_string(line) + ": " + instruction.substr(0, kShown);
    if (instruction.size() > kShown) text += "...";
    text += "; block " + Coordinates(block) + ", thread " + Coordinates(thread);
  }
  if (times > 1) text += "; " + std::to_string(times) + " times";
  return text;
}

void Report::Add(const Finding& finding) {
  const auto same = std::find_if(findings_.begin(), findings_.end(), [&](const Finding& other) {
    return other.kind == finding.kind && other.line == finding.line &&
           other.kernel == finding.kernel;
  });
  if (same != findings_.end()) {
    ++same->times;
  } else {
    findings_.push_back(finding);
  }
}

bool Report::Has(FindingKind kind) const {
  return std::any_of(findings_.begin(), findings_.end(),
                     [kind](const Finding& finding) { return finding.kind == kind; });
}

std::string Report::Text() const {
  std::string text;
  for (const Finding& finding : findings_) text += finding.Text() + "\n";
  return text;
}

}  // namespace dragoman::ptx
