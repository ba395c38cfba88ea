// Observes operations, and parts of them that are worth a separate time, for measurements. Without
// a probe, as in production, it costs a branch before and one after.
//
// The thread that runs the operation makes the calls, never its helpers. For shared work they cover
// the pieces that this thread takes.
#pragma once

namespace dragoman::kernels {

class OpProbe {
 public:
  virtual ~OpProbe() = default;
  // A part that begins within another part ends before that part. `name` outlives the probe.
  virtual void Before(const char* name) = 0;
  virtual void After() = 0;
};

// The names of the parts that the CPU operations report.
namespace op_part {
inline constexpr char kOperands[] = "rows to operands";  // of products in int8 or bfloat16
inline constexpr char kActivation[] = "activation";      // one that no product applies itself
inline constexpr char kFold[] = "fold logits";           // the output layer without its product
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
