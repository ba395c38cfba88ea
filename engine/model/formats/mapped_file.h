// A file mapped into memory, for what is too large to be read into it.
//
// When somebody truncates a mapped file, the next touch of what is gone would end the process with
// SIGBUS, and so would a disk that fails. Here such a mapping becomes zeros from then on, and Check
// tells: the first Open of a process installs a handler of SIGBUS, which passes on what is about
// other memory. (As libwayland-server guards the memory that its clients share.)
//
// Thread-safe. Spans of the bytes die with it; it may be moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/load_memory.h"

namespace dragoman {

class OpenedFile;

class MappedFile {
 public:
  // NOT_FOUND when there is no such file; RESOURCE_EXHAUSTED when there is no address space for it;
  // INVALID_ARGUMENT when it is no regular file, has more than `max_bytes`, or is a Git LFS pointer
  // in place of the file. All name the path.
  static absl::StatusOr<MappedFile> Open(const std::string& path, size_t max_bytes);

  // The same of a file that is open. `memory` is what its bytes take of a load's memory, held for as
  // long as the mapping.
  static absl::StatusOr<MappedFile> Of(OpenedFile file, LoadMemory::Hold memory = {});

  ~MappedFile();
  MappedFile(MappedFile&&) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  std::span<const uint8_t> bytes() const;

  // Lets go of the memory of a part of them; what is touched again comes from the page cache.
  void Drop(std::span<const uint8_t> part) const;

  // INVALID_ARGUMENT, naming the path, when the file has been cut short or changed since Open, or
  // could not be read: what was found in the bytes may be wrong.
  absl::Status Check() const;

 private:
  struct State;

  explicit MappedFile(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace dragoman
