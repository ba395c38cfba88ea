// Observes operations, and those of their parts that are worth a separate measurement of time. An
// operation without a probe, as in production, pays for one branch before and one after each part.
//
// Only the thread that runs the operation calls the probe, never its helpers. If helpers share the
// work, the calls cover the pieces that this thread takes.
#pragma once

namespace dragoman::kernels {

class OpProbe {
 public:
  virtual ~OpProbe() = default;
  // Parts nest: a part that begins within another part ends before that part. REQUIRES: `name`
  // outlives the probe.
  virtual void Before(const char* name) = 0;
  virtual void After() = 0;
};

// The names of the parts that the CPU operations report.
namespace op_part {
// Rows are converted to the operands of int8 or bfloat16.
inline constexpr char kOperands[] = "rows to operands";
// An activation in a separate pass after its product.
inline constexpr char kActivation[] = "activation";
inline constexpr char kFold[] = "fold logits";  // the output layer without its product
}  // namespace op_part

// Probes the code from here to the end of the block. Does nothing if `probe` is nullptr.
class Probed {
 public:
  Probed(OpProbe* probe, const char* name) : probe_(probe) {
    if (probe_ != nullptr) [[unlikely]] {
      probe_->Before(name);
    }
  }
  ~Probed() {
    if (probe_ != nullptr) [[unlikely]] {
      probe_->After();
    }
  }
  Probed(const Probed&) = delete;
  Probed& operator=(const Probed&) = delete;

 private:
  OpProbe* const probe_;
};

}  // namespace dragoman::kernels
