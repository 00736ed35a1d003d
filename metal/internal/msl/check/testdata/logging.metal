#include <metal_stdlib>
#include <metal_logging>
using namespace metal;
constant os_log logger("app", "part");
constant os_log nothing; // ### nothing is a constant and needs an initialiser
constant os_log copy = logger;
constant os_log one("app"); // ### os_log takes a subsystem and a category
constant os_log numbers(1, 2); // ### os_log: int cannot be converted
struct S { int a; };
constexpr int positive(int x) { assert(x > 0); return x; }
constant int bad = positive(0); // ### the assertion x > 0 does not hold
constant char letters[] = "a\tb\x41\101\\\"";
static_assert(sizeof(letters) == 8 && letters[3] == 'A' && letters[4] == 'A' && letters[6] == '"' && letters[7] == 0, "escapes");
constant char two[2] = "ab"; // ### "ab" needs 3 elements, and char\[2\] has 2
constant uchar bytes[4] = "ab";
static_assert(bytes[1] == 'b' && bytes[2] == 0 && bytes[3] == 0, "the rest is zero");
int length(constant char* s) { int n = 0; while (s[n]) n++; return n; }
kernel void k(device int* o [[buffer(0)]], const device float* f [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  constant char* fmt = "i=%d";
  logger.log_debug(fmt, i); // ### log_debug takes a format in quotes
  logger.log_debug("%d"); // ### the format has more conversions than there are values
  logger.log_debug("%d", i, 2); // ### the format has no place for this value
  logger.log_debug("%s", "x"); // ### the format has a %s
  logger.log_debug("%*d", 1, 2); // ### the format has a %\*
  logger.log_debug("50%"); // ### the format has a %
  logger.log_debug("%d", S{1}); // ### a value to log
  logger.log_debug("%d", o); // ### values to log that are no numbers, such as device int\*
  logger.log_debug("%d", f[0]); // ### %d is for integers, and this is a float
  logger.log_debug("%f", i); // ### %f is for floats, and this is a uint
  logger.log_debug("%v3f", float4(1)); // ### %v3 is for vectors of 3, and this is a float4
  logger.log_debug(("%v4hlf and %v2d, %%" " %lu"), float4(1), int2(2), 3ul);
  logger.say("x"); // ### os_log has no member say
  os_log local("a", "b");
  local.log("text");
  os_log_default.log_fault("text");
  assert(i < 1u, 2); // the comma operator
  assert(S{1}); // ### assert: S is no truth value
  assert(float2(i)); // ### assert: float2 has several truth values
  char c = 'x' + "abc"[1];
  o[i] = length("four") + c + letters[0] + sizeof("abc");
  device char* p = "no"; // ### .
  auto lost = logger.log("x"); // ### auto cannot be void
}
