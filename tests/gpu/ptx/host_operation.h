// Operations that the host does in the place of the device's own code: copies, fills, products of
// cuBLASLt. Their accesses are held to the rules of a kernel's: within an allocation, nothing read
// that nothing has written, nothing that races with another operation.
//
// REQUIRES: it is made and used within StreamOrder's act of the operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/gpu/ptx/device.h"

namespace dragoman::ptx {

class HostOperation {
 public:
  // `name`: what findings call it.
  HostOperation(Device& device, std::string name) : device_(device), name_(std::move(name)) {}

  // Where the host has the bytes, or nullptr: they are not within one allocation of the device, which is a
  // finding. `what` is what the operation takes them for.
  const uint8_t* Read(const void* address, size_t bytes, const std::string& what);
  // They count as written from here on.
  uint8_t* Write(void* address, size_t bytes, const std::string& what);

  // A finding that ends the operation.
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
