#include "engine/api/build_info.h"

#include "kernels/cpu/isa.h"

namespace dragoman {

EngineBuild DescribeEngineBuild() {
  EngineBuild out;
  out.instruction_set = cpu::IsaName(cpu::ChosenIsa());
  for (const cpu::Isa isa : cpu::SupportedIsas()) out.instruction_sets.emplace_back(IsaName(isa));
#ifdef DRAGOMAN_HAVE_CUDA
  out.cuda = true;
#endif
  return out;
}

}  // namespace dragoman
