// A file that is mapped into memory. Used for weights, which are too large to copy.
//
// If a mapped file is truncated or its disk fails, an access to the missing part raises SIGBUS,
// which would end the process. So the first Open in a process installs a handler for SIGBUS. The
// handler replaces the mapping of the file by zeros. Afterwards Check returns an error. If the
// signal is about other memory, the handler calls the handler that was installed before it.
// libwayland-server guards the memory that it shares with clients in the same way.
//
// Thread-safe. Spans of the bytes are valid until the MappedFile is destroyed. Moving it does not
// invalidate them.
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
  // Maps a file. All errors name the path:
  // * NOT_FOUND if there is no such file;
  // * RESOURCE_EXHAUSTED if the address space is full, or if the process has mapped 1,024 files;
  // * INVALID_ARGUMENT if the file is not a regular one, has more than `max_bytes`, cannot be
  //   mapped, or is a Git LFS pointer or a web page instead of the file.
  static absl::StatusOr<MappedFile> Open(const std::string& path, size_t max_bytes);

  // Maps an open file, with the same errors. The MappedFile keeps `memory`, the reservation for its
  // bytes, until it is destroyed.
  static absl::StatusOr<MappedFile> Of(OpenedFile file, LoadMemory::Hold memory = {});

  ~MappedFile();
  MappedFile(MappedFile&&) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  std::span<const uint8_t> bytes() const;

  // Releases the physical memory that holds a part of the bytes. The bytes stay valid: the next
  // access reads them again from the page cache or the disk.
  void Drop(std::span<const uint8_t> part) const;

  // Returns INVALID_ARGUMENT naming the path if the file was truncated or changed since Open, or
  // could not be read. The bytes that were read before may then be wrong.
  absl::Status Check() const;

 private:
  struct State;

  explicit MappedFile(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace dragoman::engine
