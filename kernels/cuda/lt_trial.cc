#include "kernels/cuda/lt_trial.h"

#include "kernels/cuda/row_check.h"

namespace dragoman::kernels::cuda {
namespace {

// The largest number of calls in a test of one number of rows. With 8 rows per call they cover
// 1,024 rows.
constexpr int64_t kMaxCalls = 128;

// Runs steps until one fails.
class Steps {
 public:
  template <class Step>
  Steps& Then(Step step) {
    if (error_ == Error::kNone) error_ = step();
    return *this;
  }
  Error error() const { return error_; }

 private:
  Error error_ = Error::kNone;
};

}  // namespace

Error LtTrial::Prepare() {
  const int64_t rows = largest();
  const int64_t repeated = rows - period();
  return Steps()
      .Then([&] { return stream_.Create(StreamPriority::kLow); })
      .Then([&] { return workspace_.Allocate(workspace_bytes_); })
      .Then([&] { return x_.Allocate(rows * x_row_bytes()); })
      .Then([&] { return reference_.Allocate(rows * y_row_bytes()); })
      .Then([&] { return y_.Allocate(rows * y_row_bytes()); })
      .Then([&] { return different_.Allocate(sizeof(uint32_t)); })
      .Then([&] { return found_.Allocate(sizeof(uint32_t)); })
      .Then([&] { return FillRandom(stream_.get(), shape_.type, period() * shape_.in, x_.data()); })
      .Then([&] {
        return Copy(stream_.get(), static_cast<uint8_t*>(x_.data()) + period() * x_row_bytes(),
                    x_.data(), repeated * x_row_bytes());
      })
      .Then([&] { return stream_.Wait(); })
      .error();
}

Error LtTrial::Run(size_t bucket, const LtAlgorithm& algorithm, int64_t first_row, void* y) const {
  return product_.Run(stream_.get(), workspace_.data(), bucket, algorithm, weight_,
                      static_cast<const uint8_t*>(x_.data()) + first_row * x_row_bytes(), y);
}

Error LtTrial::Compare(const void* a, const void* b, int64_t rows, bool* same) {
  const Stream stream = stream_.get();
  const int64_t bytes = different_.bytes();
  const Error error =
      Steps()
          .Then([&] { return Fill(stream, different_.data(), 0, bytes); })
          .Then([&] {
            return CountDifferent(stream, static_cast<int>(ElementBytes(shape_.y_type)), a, b, rows,
                                  shape_.out, shape_.y_stride,
                                  static_cast<uint32_t*>(different_.data()));
          })
          .Then([&] { return Copy(stream, found_.host(), different_.data(), bytes); })
          .Then([&] { return stream_.Wait(); })
          .error();
  *same = error == Error::kNone && *static_cast<const uint32_t*>(found_.host()) == 0;
  return error;
}

Error LtTrial::Reference(const LtAlgorithm& algorithm, bool* steady) {
  *steady = false;
  // If cuBLASLt refuses the algorithm, that is no error of the device, unless an earlier launch
  // failed.
  if (Run(rows_.size() - 1, algorithm, 0, reference_.data()) != Error::kNone) return stream_.Wait();
  return Compare(static_cast<const uint8_t*>(reference_.data()) + period() * y_row_bytes(),
                 reference_.data(), largest() - period(), steady);
}

Error LtTrial::Agrees(size_t bucket, const LtAlgorithm& algorithm, bool* agrees) {
  return Agrees(
      bucket,
      [&](Stream stream, const void* x, void* y) {
        return product_.Run(stream, workspace_.data(), bucket, algorithm, weight_, x, y);
      },
      agrees);
}

Error LtTrial::Agrees(size_t bucket, const Call& call, bool* agrees) {
  *agrees = false;
  // Fills y first, so that a row that this call does not write cannot pass with an old result.
  const Error error = Fill(stream_.get(), y_.data(), 0xff, y_.bytes());
  if (error != Error::kNone) return error;
  const int64_t rows = rows_[bucket];
  int64_t computed = 0;
  for (int64_t calls = 0; calls < kMaxCalls && computed + rows <= largest(); ++calls) {
    const int64_t y_offset = computed * y_row_bytes();
    if (y_offset % LtProduct::kAlignment != 0 ||
        computed * x_row_bytes() % LtProduct::kAlignment != 0) {
      break;
    }
    const auto* const x = static_cast<const uint8_t*>(x_.data()) + computed * x_row_bytes();
    if (call(stream_.get(), x, static_cast<uint8_t*>(y_.data()) + y_offset) != Error::kNone) {
      return stream_.Wait();
    }
    computed += rows;
  }
  return Compare(y_.data(), reference_.data(), computed, agrees);
}

}  // namespace dragoman::kernels::cuda
