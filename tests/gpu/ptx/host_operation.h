// Operations that the host performs in place of the device: copies, fills, products of cuBLASLt.
// Their accesses obey the rules for kernels: they stay within an allocation, read nothing that was
// never written, and do not race with another operation.
//
// REQUIRES: an object is made and used within StreamOrder's act of the operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/gpu/ptx/device.h"

namespace dragoman::ptx {

class HostOperation {
 public:
  // `name`: the operation's name in findings.
  HostOperation(Device& device, std::string name) : device_(device), name_(std::move(name)) {}

  // Returns the host's pointer to the bytes. Returns nullptr and adds a finding if the bytes are
  // not within one allocation of the device. `what` names the bytes in the finding.
  const uint8_t* Read(const void* address, size_t bytes, const std::string& what);
  // Does the same for a write. The bytes count as written from here on.
  uint8_t* Write(void* address, size_t bytes, const std::string& what);

  // Adds a finding and ends the operation.
  void Fail(FindingKind kind, const std::string& what);
  bool ok() const { return ok_; }

 private:
  void Note(Piece& piece, size_t offset, size_t bytes, bool writes, const std::string& what);
  uint8_t* Find(const void* address, size_t bytes, const std::string& what, const char* verb,
                Piece** piece, size_t* offset);

  Device& device_;
  const std::string name_;
  bool ok_ = true;
};

}  // namespace dragoman::ptx
