// What NVRTC opens by its bare name, for tests.
int builtinsAnswer(void) { return 42; }
