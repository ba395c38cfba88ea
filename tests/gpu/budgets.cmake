# gpu_budgets: what ptxas said of every kernel of the build, against budgets.json. gpu_machine_code: the
# machine code itself. A build without CUDA has none to read, and skips both aloud; that the gates
# themselves work is tested in every build, on kernels that break the rules where there is a compiler.
find_program(DRAGOMAN_PYTHON python3 REQUIRED)

add_test(NAME gpu_budgets_fail_when_they_should
         COMMAND ${DRAGOMAN_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/ptxas_report_test.py)
add_test(NAME gpu_machine_code_fails_when_it_should
         COMMAND ${DRAGOMAN_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/machine_code_test.py)
if(NOT DRAGOMAN_HAVE_CUDA)
  foreach(gate gpu_budgets gpu_machine_code gpu_machine_code_of_planted_kernels)
    add_test(NAME ${gate} COMMAND ${CMAKE_COMMAND} -E echo "Skipped: this build has no CUDA")
    set_tests_properties(${gate} PROPERTIES SKIP_REGULAR_EXPRESSION "Skipped")
  endforeach()
  return()
endif()
set_tests_properties(gpu_budgets_fail_when_they_should PROPERTIES
                     ENVIRONMENT "DRAGOMAN_NVCC=${CMAKE_CUDA_COMPILER}")
get_property(reports GLOBAL PROPERTY DRAGOMAN_PTXAS_REPORTS)
list(TRANSFORM reports REPLACE "\\.ptxas$" "" OUTPUT_VARIABLE objects)
add_test(NAME gpu_budgets
         COMMAND ${DRAGOMAN_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/ptxas_report.py
                 ${CMAKE_CURRENT_SOURCE_DIR}/budgets.json ${reports})
add_test(NAME gpu_machine_code
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/machine_code.sh machine_code.py
                 ${CMAKE_CURRENT_SOURCE_DIR}/budgets.json ${objects})
add_test(NAME gpu_machine_code_of_planted_kernels
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/machine_code.sh machine_code_test.py Planted)
set_tests_properties(gpu_machine_code gpu_machine_code_of_planted_kernels PROPERTIES
                     ENVIRONMENT "DRAGOMAN_NVCC=${CMAKE_CUDA_COMPILER}"
                     SKIP_RETURN_CODE 77 TIMEOUT 600)
# Minutes on one processor: begun first, so that it does not end alone.
set_tests_properties(gpu_machine_code PROPERTIES COST 1000)
