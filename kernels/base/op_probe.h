// Observes operations and their parts, to measure the time that each takes. In production
// operations have no probe. Each part then costs two branches, one before it and one after it.
//
// Only the thread that runs the operation calls the probe, never its helpers. If helpers share the
// work, the calls cover only the pieces that this thread does itself.
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
// An activation that is computed in a separate pass after its product.
inline constexpr char kActivation[] = "activation";
inline constexpr char kFold[] = "fold logits";  // the output layer without its product
}  // namespace op_part

// Reports the code between its definition and the end of its block to `probe`, if not nullptr.
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
