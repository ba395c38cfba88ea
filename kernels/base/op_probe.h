// Told of operations as they run, and of parts within them that are worth a time of their own; for
// measurements. Without a probe, as in production, it costs a branch before and one after.
//
// Called by the thread that runs the operation, never by its helpers: of shared work it is told of
// the pieces that its own thread takes.
#pragma once

namespace dragoman::kernels {

class OpProbe {
 public:
  virtual ~OpProbe() = default;
  // A part that begins within another one ends before it. `name` outlives the probe.
  virtual void Before(const char* name) = 0;
  virtual void After() = 0;
};

// The names of the parts that the CPU's operations report within themselves.
namespace op_part {
inline constexpr char kOperands[] = "rows to operands";  // of products in a narrower type
inline constexpr char kActivation[] = "activation";      // one that no product applies itself
inline constexpr char kFold[] = "fold logits";           // all of an output layer but its product
}  // namespace op_part

// Probes the code from here to the end of the block; does nothing where `probe` is nullptr.
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
