#include "kernels/ops/linear_cuda.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "kernels/cuda/device.h"
#include "kernels/cuda/lt_product.h"
#include "kernels/cuda/lt_trial.h"
#include "kernels/ops/activation_cuda.h"
#include "kernels/ops/few_rows.h"

namespace dragoman::kernels::cuda {
namespace {

// The largest number of algorithms that cuBLASLt is asked to offer for one row count. The first one
// nearly always passes the test.
constexpr int kOffers = 8;

class LoadedBlas : public Blas {
 public:
  LoadedBlas(const CublasLt& lt, cublasLtHandle_t handle) : lt_(lt), handle_(handle) {}
  ~LoadedBlas() override { lt_.destroy(handle_); }
  LoadedBlas(const LoadedBlas&) = delete;
  LoadedBlas& operator=(const LoadedBlas&) = delete;

  const CublasLt& lt() const { return lt_; }
  cublasLtHandle_t handle() const { return handle_; }

 private:
  const CublasLt& lt_;
  const cublasLtHandle_t handle_;
};

bool Aligned(const void* p) { return reinterpret_cast<uintptr_t>(p) % LtProduct::kAlignment == 0; }

const char* WhyUnfit(const LinearOptions& o, const void* weight, const void* bias,
                     std::span<const int> buckets) {
  if (o.in <= 0 || o.out <= 0 || o.in % 8 != 0) return "in is not a multiple of 8";
  if (o.y_stride != 0 && o.y_stride < o.out) return "rows of y overlap";
  if (!IsOfProduct(o.activation) && (o.out % 8 != 0 || (o.y_stride != 0 && o.y_stride != o.out))) {
    return "the activation needs dense rows of a multiple of 8 numbers";
  }
  if (weight == nullptr || !Aligned(weight) || !Aligned(bias)) {
    return "weight or bias is not aligned to 16 bytes";
  }
  if (buckets.empty() || buckets.front() <= 0 ||
      std::adjacent_find(buckets.begin(), buckets.end(), std::greater_equal<>()) != buckets.end()) {
    return "buckets are not ascending";
  }
  return nullptr;
}

bool Same(const LtAlgorithm& a, const LtAlgorithm& b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

// Picks the algorithms of one product.
class Chooser {
 public:
  Chooser(const LtProduct& product, LtTrial& trial, size_t buckets)
      : product_(product), trial_(trial), buckets_(buckets) {}

  // Sets *pinned to the first algorithm that passes the test (lt_trial.h), among those that
  // cuBLASLt offers for the buckets in `order`. Sets *found to whether there is one.
  Error Pin(const std::vector<size_t>& order, LtAlgorithm* pinned, bool* found) {
    *found = false;
    for (const size_t asked : order) {
      for (const LtAlgorithm& offer : product_.Offers(asked, kOffers)) {
        const auto same = [&](const LtAlgorithm& other) { return Same(offer, other); };
        if (std::any_of(tried_.begin(), tried_.end(), same)) continue;
        tried_.push_back(offer);
        const Error error = FitsEverywhere(offer, found);
        if (error != Error::kNone) return error;
        if (!*found) continue;
        *pinned = offer;
        return Error::kNone;
      }
    }
    return Error::kNone;
  }

  // Sets *best to the first algorithm offered for the bucket that gives the same bits as `pinned`.
  // REQUIRES: the reference of the trial was computed by `pinned`.
  Error Refine(size_t bucket, const LtAlgorithm& pinned, LtAlgorithm* best) {
    *best = pinned;
    for (const LtAlgorithm& offer : product_.Offers(bucket, kOffers)) {
      if (Same(offer, pinned)) return Error::kNone;
      if (!product_.Fits(bucket, offer)) continue;
      bool agrees = false;
      const Error error = trial_.Agrees(bucket, offer, &agrees);
      if (error != Error::kNone) return error;
      if (!agrees) continue;
      *best = offer;
      return Error::kNone;
    }
    return Error::kNone;
  }

  // Sets *most to the largest bucket up to which the kernel of few_rows.h gives the bits of the
  // trial's reference; 0 if there is none. The kernel may give other bits for the activation than
  // the separate kernel (Activate). Then removes the activation from `few`, so that Activate
  // computes it. REQUIRES: called last, because it changes the reference.
  Error TryFew(std::span<const int> buckets, FewRows* few, int* most) {
    *most = 0;
    const Activation wanted = few->activation;
    if (!IsOfProduct(wanted)) few->activation = Activation::kNone;
    Error error = FewAgree(buckets, *few, most);
    if (error != Error::kNone || *most == 0 || IsOfProduct(wanted)) return error;
    FewRows whole = *few;
    whole.activation = wanted;
    error = trial_.Rework([&](Stream stream, void* y, int64_t rows) {
      return Activate(stream, few->type, wanted, rows, nullptr, few->out, y);
    });
    int agree = 0;
    if (error == Error::kNone) error = FewAgree(buckets, whole, &agree);
    if (agree == *most) *few = whole;
    return error;
  }

  std::string WhyNone() const {
    return "none of the " + std::to_string(tried_.size()) +
           " algorithms that cuBLASLt offers gives a row the same bits in every row count: " +
           std::to_string(unfit_) + " do not take every row count, " + std::to_string(unsteady_) +
           " do not run or depend on a row's place, " +
           std::to_string(tried_.size() - unfit_ - unsteady_) + " depend on the row count";
  }

 private:
  Error FitsEverywhere(const LtAlgorithm& algorithm, bool* fits) {
    *fits = false;
    for (size_t bucket = 0; bucket < buckets_; ++bucket) {
      if (product_.Fits(bucket, algorithm)) continue;
      ++unfit_;
      return Error::kNone;
    }
    Error error = trial_.Reference(algorithm, fits);
    if (!*fits) ++unsteady_;
    // This includes the largest bucket, which must give the reference's bits again.
    for (size_t bucket = 0; bucket < buckets_ && error == Error::kNone && *fits; ++bucket) {
      error = trial_.Agrees(bucket, algorithm, fits);
    }
    return error;
  }

  Error FewAgree(std::span<const int> buckets, const FewRows& few, int* most) {
    *most = 0;
    if (buckets.front() > kMostFewRows || !TakesFewRows(few)) return Error::kNone;
    for (size_t i = 0; i < buckets.size() && buckets[i] <= kMostFewRows; ++i) {
      bool agrees = false;
      const Error error = trial_.Agrees(
          i,
          [&](Stream stream, const void* x, void* y) {
            return MultiplyFewRows(stream, few, x, buckets[i], y);
          },
          &agrees);
      if (error != Error::kNone || !agrees) return error;
      *most = buckets[i];
    }
    return Error::kNone;
  }

  const LtProduct& product_;
  LtTrial& trial_;
  const size_t buckets_;
  std::vector<LtAlgorithm> tried_;
  size_t unfit_ = 0;     // the number of tried_ that cannot compute every row count
  size_t unsteady_ = 0;  // the number of tried_ that fail or whose bits depend on a row's place
};

// Returns the order in which buckets are asked for algorithms: the largest bucket that is at most
// tune_rows, then all buckets from the largest down.
std::vector<size_t> OrderOfAsking(std::span<const int> buckets, int tune_rows) {
  const auto above = std::upper_bound(buckets.begin(), buckets.end(), tune_rows);
  std::vector<size_t> order;
  order.push_back(above == buckets.begin() ? 0 : static_cast<size_t>(above - buckets.begin()) - 1);
  for (size_t bucket = buckets.size(); bucket-- > 0;) order.push_back(bucket);
  return order;
}

class PinnedLinear : public Linear {
 public:
  // `few` computes the row counts up to `few_rows`.
  PinnedLinear(const CublasLt& lt, const LinearOptions& options, const void* weight,
               std::span<const int> buckets, std::unique_ptr<LtProduct> product,
               std::vector<LtAlgorithm> algorithms, const FewRows& few, int few_rows)
      : lt_(lt),
        options_(options),
        weight_(weight),
        buckets_(buckets.begin(), buckets.end()),
        product_(std::move(product)),
        algorithms_(std::move(algorithms)),
        few_(few),
        few_rows_(few_rows) {}

  Error Run(Stream stream, void* workspace, const void* x, int64_t rows, const int32_t* count,
            void* y) const override {
    if (rows == 0) return Error::kNone;
    const auto at = std::lower_bound(buckets_.begin(), buckets_.end(), rows);
    if (at == buckets_.end() || *at != rows) return static_cast<Error>(cudaErrorInvalidValue);
    const auto bucket = static_cast<size_t>(at - buckets_.begin());
    const bool few = rows <= few_rows_;
    const Error error =
        few ? MultiplyFewRows(stream, few_, x, rows, y)
            : product_->Run(stream, workspace, bucket, algorithms_[bucket], weight_, x, y);
    if (error != Error::kNone || IsOfProduct(options_.activation)) return error;
    if (few && few_.activation == options_.activation) return error;
    return Activate(stream, options_.float_output ? ComputeType::kFloat32 : options_.type,
                    options_.activation, rows, count, options_.out, y);
  }

  // Lists the algorithms with the row counts from which they apply.
  std::string algorithm() const override {
    std::string text;
    for (size_t i = 0; i < buckets_.size(); ++i) {
      const bool few = buckets_[i] <= few_rows_;
      if (few && i == 0) text += "own";
      if (few) continue;
      const bool first = i == 0 || buckets_[i - 1] <= few_rows_;
      if (!first && Same(algorithms_[i], algorithms_[i - 1])) continue;
      if (i > 0) text += "; from " + std::to_string(buckets_[i]) + " rows ";
      text += AlgorithmText(lt_, algorithms_[i]);
    }
    return text;
  }

 private:
  const CublasLt& lt_;
  const LinearOptions options_;
  const void* const weight_;
  const std::vector<int> buckets_;
  const std::unique_ptr<LtProduct> product_;
  const std::vector<LtAlgorithm> algorithms_;  // the algorithm of each bucket
  const FewRows few_;
  const int few_rows_;  // the largest row count that few_ computes; 0: none
};

}  // namespace

std::unique_ptr<Blas> Blas::Create(std::string* why) {
  const char* words = nullptr;
  const CublasLt* lt = LoadCublasLt(&words);
  if (lt == nullptr) {
    *why = words;
    return nullptr;
  }
  // Without a device cuBLASLt only reports that it is not initialised.
  if (DeviceCount(why) == 0) return nullptr;
  cublasLtHandle_t handle = nullptr;
  const cublasStatus_t status = lt->create(&handle);
  if (status != CUBLAS_STATUS_SUCCESS) {
    *why = std::string("cuBLASLt does not start: ") + lt->get_status_name(status);
    return nullptr;
  }
  return std::make_unique<LoadedBlas>(*lt, handle);
}

namespace {

// Creates a Linear with one algorithm for all row counts or, with per_bucket and few_rows, several
// that give the same bits. Returns nullptr and sets `why` on failure. Sets *none to true if the
// reason is that no algorithm passes the test.
std::unique_ptr<Linear> CreatePinned(const LoadedBlas& loaded, const LinearOptions& options,
                                     const void* weight, const void* bias,
                                     std::span<const int> buckets, bool* none, std::string* why) {
  *none = false;
  LtShape shape;
  shape.in = options.in;
  shape.out = options.out;
  shape.y_stride = options.y_stride == 0 ? options.out : options.y_stride;
  shape.type = options.type;
  shape.y_type = options.float_output ? ComputeType::kFloat32 : options.type;
  shape.bias = bias;
  shape.relu = options.activation == Activation::kRelu;
  std::unique_ptr<LtProduct> product =
      LtProduct::Create(loaded.lt(), loaded.handle(), shape, buckets, Blas::kWorkspaceBytes, why);
  if (product == nullptr) return nullptr;

  LtTrial trial(*product, shape, buckets, Blas::kWorkspaceBytes, weight);
  Chooser chooser(*product, trial, buckets.size());
  LtAlgorithm pinned{};
  bool found = false;
  Error error = trial.Prepare();
  if (error == Error::kNone) {
    error = chooser.Pin(OrderOfAsking(buckets, options.tune_rows), &pinned, &found);
  }
  std::vector<LtAlgorithm> algorithms(buckets.size(), pinned);
  for (size_t i = 0; options.per_bucket && found && i < algorithms.size(); ++i) {
    if (error == Error::kNone) error = chooser.Refine(i, pinned, &algorithms[i]);
  }
  FewRows few{.in = shape.in,
              .out = shape.out,
              .y_stride = shape.y_stride,
              .type = shape.type,
              .weight = weight,
              .bias = bias,
              .activation = options.activation};
  int few_rows = 0;
  if (options.few_rows && found && error == Error::kNone && shape.y_type == shape.type) {
    error = chooser.TryFew(buckets, &few, &few_rows);
  }
  if (error != Error::kNone) {
    *why = std::string("the trial of algorithms failed: ") + ErrorText(error);
    return nullptr;
  }
  if (!found) {
    *none = true;
    *why = chooser.WhyNone();
    return nullptr;
  }
  return std::make_unique<PinnedLinear>(loaded.lt(), options, weight, buckets, std::move(product),
                                        std::move(algorithms), few, few_rows);
}

// Consists of two Linears: one for row counts below first_of_upper, the other for first_of_upper
// and above.
class LinearOfTwoClasses : public Linear {
 public:
  LinearOfTwoClasses(int first_of_upper, std::unique_ptr<Linear> lower,
                     std::unique_ptr<Linear> upper)
      : first_of_upper_(first_of_upper), lower_(std::move(lower)), upper_(std::move(upper)) {}

  Error Run(Stream stream, void* workspace, const void* x, int64_t rows, const int32_t* count,
            void* y) const override {
    const Linear& linear = rows < first_of_upper_ ? *lower_ : *upper_;
    return linear.Run(stream, workspace, x, rows, count, y);
  }
  std::string algorithm() const override {
    return lower_->algorithm() + "; with other bits from " + std::to_string(first_of_upper_) +
           " rows " + upper_->algorithm();
  }
  int other_bits_from() const override { return first_of_upper_; }

 private:
  const int first_of_upper_;
  const std::unique_ptr<Linear> lower_;
  const std::unique_ptr<Linear> upper_;
};

}  // namespace

std::unique_ptr<Linear> Linear::Create(const Blas* blas, const LinearOptions& options,
                                       const void* weight, const void* bias,
                                       std::span<const int> buckets, std::string* why) {
  const char* unfit = WhyUnfit(options, weight, bias, buckets);
  if (unfit != nullptr) {
    *why = unfit;
    return nullptr;
  }
  const auto& loaded = static_cast<const LoadedBlas&>(*blas);
  bool none = false;
  std::unique_ptr<Linear> whole = CreatePinned(loaded, options, weight, bias, buckets, &none, why);
  if (whole != nullptr || !none) return whole;
  // Splits the buckets so that the upper class is as large as possible, because large row counts
  // take the most time and are the usual case under load.
  std::string ignored;
  for (size_t split = 1; split < buckets.size(); ++split) {
    auto upper =
        CreatePinned(loaded, options, weight, bias, buckets.subspan(split), &none, &ignored);
    if (upper == nullptr && !none) break;
    if (upper == nullptr) continue;
    auto lower = CreatePinned(loaded, options, weight, bias, buckets.first(split), &none, &ignored);
    // A later split would give a larger lower class, which would fail too.
    if (lower == nullptr) break;
    return std::make_unique<LinearOfTwoClasses>(buckets[split], std::move(lower), std::move(upper));
  }
  return nullptr;
}

}  // namespace dragoman::kernels::cuda
