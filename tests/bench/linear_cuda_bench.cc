// Measures the cost of pinning one algorithm of cuBLASLt: the time of the products of OPUS-MT base
// (and of the bundled model) on the current GPU, for every number of rows, with three choices:
//
//   pinned   one algorithm for all of them, as Linear does
//   agreed   the best offer for each that gives the pinned one's bits (LinearOptions::per_bucket)
//   free     cuBLASLt's own choice, without split-K
//
// "same" is how many of cuBLASLt's first 8 offers give the bits of a reference, which is the first
// steady offer for the largest number of rows. It shows whether different kernels sum in the same
// order.
//
//   linear_cuda_bench [float16|bfloat16|float32] [TUNE_ROWS]
//
// Prints the microseconds of one product, the mean over consecutive products on one stream. Weights
// and x are in L2, and launches overlap. Needs a GPU.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/cuda/device.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/lt_product.h"
#include "kernels/cuda/lt_trial.h"
#include "kernels/cuda/row_check.h"
#include "kernels/cuda/stream.h"
#include "kernels/ops/linear_cuda.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kOffers = 8;
constexpr int kRuns = 50;

const std::vector<int> kStepBuckets = {8,   16,  32,   64,   128,  192,  256, 384,
                                       512, 768, 1024, 1536, 2048, 3072, 4096};
const std::vector<int> kChunkBuckets = {8, 16, 32, 64, 128, 192, 256, 384, 512};

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "linear_cuda_bench: %s\n", what.c_str());
  std::exit(1);
}

void Check(Error error, const char* what) {
  if (error != Error::kNone) Fail(std::string(what) + ": " + ErrorText(error));
}

// Returns the mean microseconds of run().
template <class Run>
double Time(Stream stream, Run run) {
  Event begin;
  Event end;
  Check(begin.Create(Event::Timing::kOn), "event");
  Check(end.Create(Event::Timing::kOn), "event");
  for (int i = 0; i < 3; ++i) Check(run(), "product");
  Check(begin.Record(stream), "event");
  for (int i = 0; i < kRuns; ++i) Check(run(), "product");
  Check(end.Record(stream), "event");
  Check(end.Wait(), "event");
  float milliseconds = 0.0F;
  Check(end.MillisecondsSince(begin, &milliseconds), "event");
  return milliseconds * 1000.0 / kRuns;
}

struct Product {
  const char* name;
  int in;
  int out;
  bool logits;
};

// The outputs of the logits are vocabularies of 58,101 and 5,999, rounded as in weight_image.h.
constexpr Product kProducts[] = {
    {"base qkv", 512, 1536, false},     {"base out, q", 512, 512, false},
    {"base up", 512, 2048, false},      {"base down", 2048, 512, false},
    {"base logits", 512, 58104, true},  {"bundled qkv", 256, 768, false},
    {"bundled up", 256, 1024, false},   {"bundled down", 1024, 256, false},
    {"bundled logits", 256, 6000, true}};

// Times one product in its three ways and prints a line for each row count.
class ProductBench {
 public:
  ProductBench(const Blas* blas, const CublasLt& lt, cublasLtHandle_t handle, ComputeType type,
               int tune_rows, const Product& product)
      : blas_(blas), product_(product), buckets_(product.logits ? kChunkBuckets : kStepBuckets) {
    options_.in = product.in;
    options_.out = product.out;
    options_.type = type;
    options_.float_output = product.logits;
    options_.y_stride = (product.out + 7) / 8 * 8;
    options_.tune_rows = tune_rows;
    shape_.in = options_.in;
    shape_.out = options_.out;
    shape_.y_stride = options_.y_stride;
    shape_.type = type;
    shape_.y_type = product.logits ? ComputeType::kFloat32 : type;
    const int64_t rows = buckets_.back();
    Check(stream_.Create(StreamPriority::kHigh), "stream");
    Check(weight_.Allocate(int64_t{product.in} * product.out * ElementBytes(type)), "weights");
    Check(bias_.Allocate(product.out * ElementBytes(shape_.y_type)), "bias");
    Check(x_.Allocate(rows * product.in * ElementBytes(type)), "x");
    Check(y_.Allocate(rows * shape_.y_stride * ElementBytes(shape_.y_type)), "y");
    Check(workspace_.Allocate(Blas::kWorkspaceBytes), "workspace");
    Check(FillRandom(stream_.get(), type, int64_t{product.in} * product.out, weight_.data()), "W");
    Check(FillRandom(stream_.get(), shape_.y_type, product.out, bias_.data()), "bias");
    Check(FillRandom(stream_.get(), type, rows * product.in, x_.data()), "x");
    Check(stream_.Wait(), "operands");
    shape_.bias = bias_.data();
    std::string why;
    free_ = LtProduct::Create(lt, handle, shape_, buckets_, Blas::kWorkspaceBytes, &why);
    if (free_ == nullptr) Fail(why);
  }

  void Run() {
    const std::unique_ptr<Linear> pinned = Make(false);
    const std::unique_ptr<Linear> agreed = Make(true);
    std::printf("\n%s: %d x %d\n  pinned: %s\n  agreed: %s\n", product_.name, product_.in,
                product_.out, pinned->algorithm().c_str(), agreed->algorithm().c_str());
    std::printf("%8s %10s %10s %10s %6s\n", "rows", "pinned", "agreed", "free", "same");
    LtTrial trial(*free_, shape_, buckets_, Blas::kWorkspaceBytes, weight_.data());
    Check(trial.Prepare(), "trial");
    SetReference(trial);
    for (size_t i = 0; i < buckets_.size(); ++i) {
      const std::vector<LtAlgorithm> offers = free_->Offers(i, kOffers);
      if (offers.empty()) Fail("cuBLASLt offers nothing");
      int same = 0;
      for (const LtAlgorithm& offer : offers) {
        bool agrees = false;
        Check(trial.Agrees(i, offer, &agrees), "trial");
        same += agrees ? 1 : 0;
      }
      const double free = Time(stream_.get(), [&] {
        return free_->Run(stream_.get(), workspace_.data(), i, offers.front(), weight_.data(),
                          x_.data(), y_.data());
      });
      std::printf("%8d %10.2f %10.2f %10.2f %3d/%d\n", buckets_[i], TimeOf(*pinned, i),
                  TimeOf(*agreed, i), free, same, static_cast<int>(offers.size()));
    }
  }

 private:
  std::unique_ptr<Linear> Make(bool per_bucket) const {
    LinearOptions options = options_;
    options.per_bucket = per_bucket;
    options.few_rows = per_bucket;
    std::string why;
    std::unique_ptr<Linear> linear =
        Linear::Create(blas_, options, weight_.data(), bias_.data(), buckets_, &why);
    if (linear == nullptr) Fail(std::string(product_.name) + ": " + why);
    return linear;
  }

  double TimeOf(const Linear& linear, size_t bucket) const {
    return Time(stream_.get(), [&] {
      return linear.Run(stream_.get(), workspace_.data(), x_.data(), buckets_[bucket], nullptr,
                        y_.data());
    });
  }

  // Makes the first steady offer for the largest number of rows the reference of `trial`.
  void SetReference(LtTrial& trial) const {
    for (const LtAlgorithm& offer : free_->Offers(buckets_.size() - 1, kOffers)) {
      bool steady = false;
      Check(trial.Reference(offer, &steady), "trial");
      if (steady) return;
    }
    Fail("no offer gives a row the same bits at every place");
  }

  const Blas* const blas_;
  const Product product_;
  const std::vector<int> buckets_;
  LinearOptions options_;
  LtShape shape_;
  OwnedStream stream_;
  DeviceBuffer weight_, bias_, x_, y_, workspace_;
  std::unique_ptr<LtProduct> free_;
};

bool ReadType(const char* name, ComputeType* type) {
  for (const ComputeType each :
       {ComputeType::kFloat32, ComputeType::kFloat16, ComputeType::kBFloat16}) {
    if (std::strcmp(name, ComputeTypeName(each)) != 0) continue;
    *type = each;
    return true;
  }
  return false;
}

int Main(std::span<char*> args) {
  ComputeType type = ComputeType::kFloat16;
  if (args.size() > 1 && !ReadType(args[1], &type)) Fail(std::string("no type: ") + args[1]);
  const int tune_rows = args.size() > 2 ? std::atoi(args[2]) : LinearOptions().tune_rows;
  if (tune_rows <= 0) Fail("TUNE_ROWS is a number of rows");
  std::string why;
  const std::unique_ptr<Blas> blas = Blas::Create(&why);
  if (blas == nullptr) Fail(why);
  const char* words = nullptr;
  const CublasLt* lt = LoadCublasLt(&words);
  cublasLtHandle_t handle = nullptr;
  if (lt->create(&handle) != CUBLAS_STATUS_SUCCESS) Fail("cuBLASLt does not start");
  DeviceInfo info;
  Check(Describe(CurrentDevice(), &info), "device");
  std::printf("%s, %s, tuned for %d rows, cuBLASLt %zu; microseconds\n", info.name.c_str(),
              ComputeTypeName(type), tune_rows, lt->get_version());
  for (const Product& product : kProducts) {
    ProductBench(blas.get(), *lt, handle, type, tune_rows, product).Run();
  }
  lt->destroy(handle);
  return 0;
}

}  // namespace
}  // namespace dragoman::kernels::cuda

int main(int argc, char** argv) {
  return dragoman::kernels::cuda::Main({argv, static_cast<size_t>(argc)});
}
