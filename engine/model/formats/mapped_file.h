// A file mapped into memory, for files that are too large to be read whole.
//
// When a mapped file is truncated, the next access to the missing part would end the process with
// SIGBUS, and so would a disk that fails. Here such a mapping becomes zeros from then on, and Check
// reports it: the first Open of a process installs a handler of SIGBUS, which passes on signals about
// other memory. (libwayland-server guards the memory that its clients share in the same way.)
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

namespace dragoman::engine {

class OpenedFile;

class MappedFile {
 public:
  // NOT_FOUND when there is no such file; RESOURCE_EXHAUSTED when there is no address space for it;
  // INVALID_ARGUMENT when it is not a regular file, has more than `max_bytes`, or is a Git LFS pointer
  // in place of the file. All name the path.
  static absl::StatusOr<MappedFile> Open(const std::string& path, size_t max_bytes);

  // The same for a file that is open. `memory` is what its bytes take of a load's memory, held for as
  // long as the mapping.
  static absl::StatusOr<MappedFile> Of(OpenedFile file, LoadMemory::Hold memory = {});

  ~MappedFile();
  MappedFile(MappedFile&&) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  std::span<const uint8_t> bytes() const;

  // Releases the memory of a part of the bytes; they are read from the page cache at the next access.
  void Drop(std::span<const uint8_t> part) const;

  // INVALID_ARGUMENT, naming the path, when the file has been cut short or changed since Open, or
  // could not be read: what was found in the bytes may be wrong.
  absl::Status Check() const;

 private:
  struct State;

  explicit MappedFile(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace dragoman::engine
