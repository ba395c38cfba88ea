#include "tests/gpu/variants/host_bans.h"

#include <utility>

namespace dragoman::kernels::cuda {

Error HostBans::Create(int64_t rows, int64_t stride) {
  stride_ = stride;
  const int64_t words = rows + 1 + rows * stride;
  for (const auto& [buffer, count] : {std::pair{&tokens_, rows * stride}, {&lists_, words}}) {
    const Error error = buffer->Allocate(count * int64_t{sizeof(int32_t)});
    if (error != Error::kNone) return error;
  }
  if (const Error error = here_.Create(); error != Error::kNone) return error;
  return lists_there_.Allocate(words * int64_t{sizeof(int32_t)});
}

Error HostBans::Run(Stream stream, const int32_t* tokens, std::span<const int32_t> length,
                    int32_t n, LogitRequest* requests) {
  constexpr int64_t kWord = sizeof(int32_t);
  const auto rows = static_cast<int64_t>(length.size());
  Error error = Copy(stream, tokens_.host(), tokens, rows * stride_ * kWord);
  if (error != Error::kNone) return error;
  if (error = here_.Record(stream); error != Error::kNone) return error;
  if (error = here_.Wait(); error != Error::kNone) return error;
  auto* const offsets = static_cast<int32_t*>(lists_.host());
  const int64_t bans = BanRepeatedNgrams(static_cast<const int32_t*>(tokens_.host()), stride_,
                                         length, n, offsets, offsets + rows + 1);
  error = Copy(stream, lists_there_.data(), offsets, (rows + 1 + bans) * kWord);
  if (error != Error::kNone) return error;
  const auto* const there = static_cast<const int32_t*>(lists_there_.data());
  return PlaceBans(stream, there, there + rows + 1, rows, requests);
}

}  // namespace dragoman::kernels::cuda
