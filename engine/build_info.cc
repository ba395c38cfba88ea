#include "engine/api/build_info.h"

#include "kernels/cpu/isa.h"

namespace dragoman::engine {

EngineBuild DescribeEngineBuild() {
  EngineBuild out;
  out.instruction_set = kernels::cpu::IsaName(kernels::cpu::ChosenIsa());
  for (const kernels::cpu::Isa isa : kernels::cpu::SupportedIsas())
    out.instruction_sets.emplace_back(kernels::cpu::IsaName(isa));
#ifdef DRAGOMAN_HAVE_CUDA
  out.cuda = true;
#endif
  return out;
}

}  // namespace dragoman::engine
