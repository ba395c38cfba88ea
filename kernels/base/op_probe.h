// Hears of operations as they run, and of what is worth a time of its own within them; for
// measuring. Without a probe, as in production, a branch before and one after are all it
// costs.
//
// Called by the thread that runs the operation, never by those that help it: of work that is
// shared it hears of the pieces that the own thread takes.
#pragma once

namespace dragoman {

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

}  // namespace dragoman
