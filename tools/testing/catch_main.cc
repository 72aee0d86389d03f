// The main function of every unit test executable.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
