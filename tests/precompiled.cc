// The library that holds the tests' precompiled headers (CMakeLists.txt) needs a source.
