# Installed files, and the Debian package that 'cpack' makes of them (deploy/package/build.sh).
# Packed is what was built: the tests need not be.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY TRUE)

install(TARGETS dragomand dragoman RUNTIME DESTINATION bin)
# `dragoman fetch`.
install(DIRECTORY client/fetch DESTINATION lib/dragoman FILES_MATCHING PATTERN "*.py"
        PATTERN __pycache__ EXCLUDE)
# A folder to put on PATH, with the names of Marian's programs.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/package)
foreach(program marian-decoder marian-scorer)
  file(CREATE_LINK ../../../bin/dragoman ${PROJECT_BINARY_DIR}/package/${program} SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/package/${program} DESTINATION lib/dragoman/marian)
endforeach()
install(DIRECTORY deploy/models/de-en DESTINATION share/dragoman/models
        FILES_MATCHING PATTERN "*.json" PATTERN "*.spm" PATTERN "*.safetensors" PATTERN "README.md")
# Where dragomand looks for it (--language-model auto).
install(DIRECTORY deploy/models/lid.176 DESTINATION share/dragoman/models)
install(FILES README.md .github/SECURITY.md deploy/package/copyright DESTINATION share/doc/dragoman)
install(FILES deploy/systemd/gpu.conf deploy/systemd/tls.conf DESTINATION share/doc/dragoman/systemd)
install(FILES deploy/systemd/dragomand.service deploy/systemd/dragomand.socket DESTINATION lib/systemd/system)
install(FILES deploy/systemd/dragomand.json DESTINATION /etc/dragoman)
# Programs for another kind of machine run under an emulator here, and their libraries are packages of the sysroot.
set(emulated)
set(sysroot)
if(CMAKE_CROSSCOMPILING)
  string(JOIN " " emulator ${CMAKE_CROSSCOMPILING_EMULATOR})
  set(emulated "--emulator \"${emulator}\"")
  set(sysroot "--sysroot \"${CMAKE_SYSROOT}\"")
endif()
# The SBOM is made of the binaries as they are packed: stripped, which CPack does as it installs them.
install(CODE "execute_process(
  COMMAND python3 ${PROJECT_SOURCE_DIR}/deploy/package/sbom.py --version ${PROJECT_VERSION} ${sysroot}
          --output ${PROJECT_BINARY_DIR}/sbom.spdx.json
          --model ${PROJECT_SOURCE_DIR}/deploy/models/de-en/model.safetensors
          --model ${PROJECT_SOURCE_DIR}/deploy/models/lid.176/lid.176.ftz
          \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin/dragomand\" \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin/dragoman\"
  COMMAND_ERROR_IS_FATAL ANY)")
install(FILES ${PROJECT_BINARY_DIR}/sbom.spdx.json DESTINATION share/doc/dragoman)

# Completion and manual pages, from the flags of the programs as they are when the package is made.
install(CODE "file(REMOVE_RECURSE ${PROJECT_BINARY_DIR}/cli)
execute_process(
  COMMAND python3 -B ${PROJECT_SOURCE_DIR}/deploy/package/cli_files.py --output ${PROJECT_BINARY_DIR}/cli ${emulated}
          --dragoman $<TARGET_FILE:dragoman> --dragomand $<TARGET_FILE:dragomand>
  COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY ${PROJECT_BINARY_DIR}/cli/ DESTINATION share)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME dragoman)
set(CPACK_PACKAGE_CONTACT "The Dragoman authors <dragoman@invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "translation server for MarianMT and OPUS-MT models, over gRPC")
set(CPACK_PACKAGE_DESCRIPTION
"dragomand serves encoder-decoder translation models from one decoding batch that never
stops; dragoman is its command line. With a small German-English model.")
# Debian's name of what was compiled for.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
else()
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE amd64)
endif()
set(CPACK_PACKAGE_FILE_NAME "dragoman_${PROJECT_VERSION}_${CPACK_DEBIAN_PACKAGE_ARCHITECTURE}")
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# `dragoman fetch`: the program; Firefox's models; s3://.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, zstd")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-boto3")
if(CMAKE_CROSSCOMPILING)
  # dpkg-shlibdeps takes the sysroot for a package that is being built (deploy/cross/packages.sh).
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
      "${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE};${CMAKE_SYSROOT}/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
endif()
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    "${PROJECT_SOURCE_DIR}/deploy/package/conffiles;${PROJECT_SOURCE_DIR}/deploy/package/postinst;${PROJECT_SOURCE_DIR}/deploy/package/prerm;${PROJECT_SOURCE_DIR}/deploy/package/postrm")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
include(CPack)
