// A library that says it is a driver, and has none of its functions.
extern "C" __attribute__((visibility("default"))) int cuDriverGetVersion(int *version) {
  *version = 12040;
  return 0;
}
