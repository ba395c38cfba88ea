// Owners of OpenSSL's objects, and its readers of text. Thread-safe, as OpenSSL is.
#pragma once

#include <openssl/bio.h>

#include <memory>
#include <string>

namespace dragoman {

// Frees what OpenSSL has made.
template <auto kFree>
struct OpensslFree {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};

using Bio = std::unique_ptr<BIO, OpensslFree<BIO_free>>;

// Returns a reader of `text`, which outlives it.
inline Bio BioOf(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// A pem_password_cb that has no password: OpenSSL would ask the terminal. `asked` is a bool, which
// becomes true, or nullptr.
inline int NoPassword(char* /*to*/, int /*size*/, int /*writing*/, void* asked) {
  if (asked != nullptr) *static_cast<bool*>(asked) = true;
  return 0;
}

}  // namespace dragoman
