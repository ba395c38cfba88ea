// Reads the members of a zip archive in memory, and writes the archive with other contents for some
// of them. All other bytes of the archive stay: the members' order, names, times, flags and extra
// fields, and the bytes of the other members.
//
// Thread-safety: one thread at a time. Units: bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/formats/zip_directory.h"

namespace dragoman::engine {

class Archive {
 public:
  // Returns the errors of ReadZipEntries, and INVALID_ARGUMENT if members overlap each other or the
  // directory.
  static absl::StatusOr<Archive> Open(std::string bytes);

  // The members' names, in the archive's order.
  const std::vector<std::string>& names() const { return names_; }
  bool Has(std::string_view name) const;

  // Returns the number of bytes of a member's content, as the archive states it. REQUIRES: there is
  // such a member.
  int64_t SizeOf(std::string_view name) const;

  // Returns a member's content. Returns INVALID_ARGUMENT, which names the member, if there is none,
  // or the errors of ReadZipEntry.
  absl::StatusOr<std::string> Read(std::string_view name, int64_t max_bytes) const;

  // Returns the archive with these contents for members of these names. REQUIRES: there are such
  // members, and the result has less than 4 GiB.
  std::string With(const std::map<std::string, std::string>& contents) const;

 private:
  Archive() = default;

  // Sets end_. Returns an error unless the members, the directory and the end follow each other.
  absl::Status CheckOrder();

  std::unique_ptr<const std::string> bytes_;  // entries_ borrows them
  ZipEntries entries_;
  std::vector<std::string> names_;
  size_t end_ = 0;  // the position of the record that ends the archive
};

}  // namespace dragoman::engine
