#include "tests/gpu/ptx/host_operation.h"

#include <optional>

namespace dragoman::ptx {

const uint8_t* HostOperation::Read(const void* address, size_t bytes, const std::string& what) {
  Piece* piece = nullptr;
  size_t offset = 0;
  const uint8_t* const found = Find(address, bytes, what, "read", &piece, &offset);
  if (found == nullptr) return nullptr;
  Note(*piece, offset, bytes, false, what);
  if (piece->Is(offset, bytes, ByteState::kData)) return found;
  Finding finding;
  finding.kind = FindingKind::kUninitialised;
  finding.kernel = name_;
  finding.what = "read of " + std::to_string(bytes) + " bytes of " + what + " at offset " +
                 std::to_string(offset) +
                 " of an allocation, where nothing has written all of them";
  device_.report().Add(finding);
  piece->Mark(offset, bytes, ByteState::kData);  // so that it is not reported again
  return found;
}

uint8_t* HostOperation::Write(void* address, size_t bytes, const std::string& what) {
  Piece* piece = nullptr;
  size_t offset = 0;
  uint8_t* const found = Find(address, bytes, what, "write", &piece, &offset);
  if (found == nullptr) return nullptr;
  Note(*piece, offset, bytes, true, what);
  piece->Mark(offset, bytes, ByteState::kData);
  return found;
}

void HostOperation::Note(Piece& piece, size_t offset, size_t bytes, bool writes,
                         const std::string& what) {
  constexpr uint32_t kLargest = 16;
  const VectorClock& agent = device_.order().agent();
  std::optional<Race> race;
  for (size_t done = 0; done < bytes;) {
    uint32_t part = kLargest;
    while ((offset + done) % part != 0 || part > bytes - done) part /= 2;
    const std::optional<Race> found =
        writes
            ? piece.history().Write(offset + done, part, agent, Moment::kSeveralLanes, false, false)
            : piece.history().Read(offset + done, part, agent, Moment::kSeveralLanes, false);
    if (found.has_value()) race = found;
    done += part;
  }
  if (!race.has_value()) return;
  Finding finding;
  finding.kind = FindingKind::kRace;
  finding.kernel = name_;
  finding.what = std::string(writes ? "write" : "read") + " of " + what + " after a " +
                 (race->earlier_wrote ? "write" : "read") + " by " +
                 device_.order().NameOf(race->earlier.agent) + " that nothing orders before it";
  device_.report().Add(finding);
}

void HostOperation::Fail(FindingKind kind, const std::string& what) {
  Finding finding;
  finding.kind = kind;
  finding.kernel = name_;
  finding.what = what;
  device_.report().Add(finding);
  ok_ = false;
}

uint8_t* HostOperation::Find(const void* address, size_t bytes, const std::string& what,
                             const char* verb, Piece** piece, size_t* offset) {
  const auto at = reinterpret_cast<uint64_t>(address);
  *piece = device_.memory().Find(at);
  if (*piece != nullptr) *offset = at - (*piece)->address();
  if (*piece != nullptr && (*piece)->Holds(*offset, bytes)) return (*piece)->bytes() + *offset;
  Fail(FindingKind::kOutOfBounds, std::string(verb) + " of " + std::to_string(bytes) +
                                      " bytes of " + what + ", " + device_.memory().Nearest(at));
  return nullptr;
}

}  // namespace dragoman::ptx
