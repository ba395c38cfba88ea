# gpu_budgets: what ptxas said of every kernel of the build, against budgets.json. A build without CUDA
# has none to read, and skips it aloud; that the gate itself works is tested in every build.
find_program(DRAGOMAN_PYTHON python3 REQUIRED)

add_test(NAME gpu_budgets_fail_when_they_should
         COMMAND ${DRAGOMAN_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/ptxas_report_test.py)
if(NOT DRAGOMAN_HAVE_CUDA)
  add_test(NAME gpu_budgets COMMAND ${CMAKE_COMMAND} -E echo "Skipped: this build has no CUDA")
  set_tests_properties(gpu_budgets PROPERTIES SKIP_REGULAR_EXPRESSION "Skipped")
  return()
endif()
set_tests_properties(gpu_budgets_fail_when_they_should PROPERTIES
                     ENVIRONMENT "DRAGOMAN_NVCC=${CMAKE_CUDA_COMPILER}")
get_property(reports GLOBAL PROPERTY DRAGOMAN_PTXAS_REPORTS)
add_test(NAME gpu_budgets
         COMMAND ${DRAGOMAN_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/ptxas_report.py
                 ${CMAKE_CURRENT_SOURCE_DIR}/budgets.json ${reports})
