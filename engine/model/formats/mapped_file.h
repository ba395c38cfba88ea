// A file mapped into memory, for files that are too large to be read.
//
// If a mapped file is truncated or its disk fails, an access to the missing part raises SIGBUS,
// which would end the process. The first Open of a process installs a handler of SIGBUS. The
// handler replaces such a mapping by zeros, and Check reports the loss. It passes on signals about
// other memory. (libwayland-server guards the memory that its clients share in the same way.)
//
// Thread-safe. Spans of the bytes are valid until the file is destroyed. It may be moved.
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
  // * RESOURCE_EXHAUSTED if there is no address space, or 1,024 files are mapped;
  // * INVALID_ARGUMENT if the file is not a regular one, has more than `max_bytes`, cannot be
  //   mapped, or is a Git LFS pointer or a web page instead of the file.
  static absl::StatusOr<MappedFile> Open(const std::string& path, size_t max_bytes);

  // The same for an open file. The mapping keeps `memory`, the load's memory for its bytes.
  static absl::StatusOr<MappedFile> Of(OpenedFile file, LoadMemory::Hold memory = {});

  ~MappedFile();
  MappedFile(MappedFile&&) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  std::span<const uint8_t> bytes() const;

  // Releases the memory of a part of the bytes. The next access reads them from the page cache.
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
