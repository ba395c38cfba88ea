#include "tests/gpu/ptx/memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace dragoman::ptx {
namespace {

constexpr int kPattern = 0xff;
constexpr size_t kDeviceAlignment = 256;
// The distance between pieces of device memory.
constexpr uint64_t kGap = uint64_t{64} << 20;

}  // namespace

Piece::Piece(size_t bytes, size_t alignment, uint64_t address)
    : size_(bytes),
      owned_(true),
      bytes_(static_cast<uint8_t*>(
          std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment))),
      address_(address),
      states_(bytes, static_cast<uint8_t>(ByteState::kUnwritten)),
      history_(bytes) {
  if (bytes_ == nullptr) throw std::bad_alloc();
  std::memset(bytes_, kPattern, size_);
}

Piece::Piece(void* bytes, size_t size)
    : size_(size),
      owned_(false),
      bytes_(static_cast<uint8_t*>(bytes)),
      address_(reinterpret_cast<uint64_t>(bytes)),
      states_(size, static_cast<uint8_t>(ByteState::kData)),
      history_(size) {}

Piece::~Piece() {
  if (owned_) std::free(bytes_);
}

void Piece::Mark(size_t offset, size_t count, ByteState state) {
  std::memset(states_.data() + offset, static_cast<int>(state), count);
}

bool Piece::Is(size_t offset, size_t count, ByteState state) const {
  const uint8_t* const states = states_.data() + offset;
  return std::all_of(states, states + count,
                     [state](uint8_t s) { return s == static_cast<uint8_t>(state); });
}

void Piece::Reset() {
  std::memset(bytes_, kPattern, size_);
  std::fill(states_.begin(), states_.end(), static_cast<uint8_t>(ByteState::kUnwritten));
  history_.Forget();
}

Piece& DeviceMemory::Allocate(size_t bytes, int device) {
  auto piece = std::make_unique<Piece>(bytes, kDeviceAlignment, next_);
  piece->device = device;
  Piece& allocated = *piece;
  pieces_[next_] = std::move(piece);
  next_ += (bytes + kDeviceAlignment - 1) / kDeviceAlignment * kDeviceAlignment + kGap;
  return allocated;
}

Piece& DeviceMemory::Map(void* bytes, size_t size) {
  std::unique_ptr<Piece>& slot = pieces_[reinterpret_cast<uint64_t>(bytes)];
  slot = std::make_unique<Piece>(bytes, size);
  return *slot;
}

bool DeviceMemory::Free(uint64_t address) {
  const auto found = pieces_.find(address);
  if (found == pieces_.end()) return false;
  if (last_ == found->second.get()) last_ = nullptr;
  pieces_.erase(found);
  return true;
}

Piece* DeviceMemory::Find(uint64_t address) {
  const auto within = [address, this](const Piece& piece) {
    return address - piece.address() < piece.size() && Reaches(piece);
  };
  if (last_ != nullptr && within(*last_)) return last_;
  auto after = pieces_.upper_bound(address);
  if (after == pieces_.begin()) return nullptr;
  Piece* const piece = std::prev(after)->second.get();
  if (!within(*piece)) return nullptr;
  last_ = piece;
  return piece;
}

std::string DeviceMemory::Nearest(uint64_t address) const {
  const auto after = pieces_.upper_bound(address);
  if (after == pieces_.begin()) return "before every allocation";
  const auto& [base, piece] = *std::prev(after);
  const uint64_t offset = address - base;
  std::string size = " of an allocation of " + std::to_string(piece->size());
  if (!Reaches(*piece)) size += " on device " + std::to_string(piece->device);
  return offset < piece->size()
             ? "at offset " + std::to_string(offset) + size
             : std::to_string(offset - piece->size()) + " bytes after the end" + size;
}

size_t DeviceMemory::allocated_bytes(int device) const {
  size_t bytes = 0;
  for (const auto& [base, piece] : pieces_) bytes += piece->device == device ? piece->size() : 0;
  return bytes;
}

size_t DeviceMemory::allocations(int device) const {
  size_t count = 0;
  for (const auto& [base, piece] : pieces_) count += piece->device == device ? 1 : 0;
  return count;
}

void DeviceMemory::ForgetAccesses() {
  for (auto& [base, piece] : pieces_) piece->history().Forget();
}

}  // namespace dragoman::ptx
