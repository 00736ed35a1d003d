package preprocess

import (
	"maps"
	"strconv"
	"strings"
	"sync"

	"gamma/metal/internal/msl/token"
)

// predefined are the macros of the compiler and of metal_stdlib. The constants M_* are the real numbers
// rounded to the type; the others are limits of the types.
const predefined = `
__METAL__ 1
__METAL_MACOS__ 1
__clang__ 1
__METAL_PRECISE_MATH__ 0
__METAL_FAST_MATH__ 1
__METAL_MAYBE_FAST_MATH__ 2
__CHAR_BIT__ 8
__INT_MAX__ 2147483647
__LONG_MAX__ 0x7fffffffffffffffL
__LITTLE_ENDIAN__ 1
__extension__
METAL_FUNC inline __attribute__((__always_inline__))
METAL_INTERNAL inline __attribute__((__always_inline__))
METAL_CONST_ARG(x)
assert(...) __assert((__VA_ARGS__), #__VA_ARGS__)
CHAR_BIT 8
SCHAR_MAX 127
SCHAR_MIN (-128)
CHAR_MAX SCHAR_MAX
CHAR_MIN SCHAR_MIN
UCHAR_MAX 255
SHRT_MAX 32767
SHRT_MIN (-32768)
USHRT_MAX 65535
INT_MAX 2147483647
INT_MIN (-2147483647 - 1)
UINT_MAX 4294967295u
LONG_MAX 0x7fffffffffffffffL
LONG_MIN (-0x7fffffffffffffffL - 1L)
ULONG_MAX 0xffffffffffffffffUL
INFINITY __builtin_inff()
NAN __builtin_nanf("")
HUGE_VALF __builtin_inff()
HUGE_VALH ((half)__builtin_inff())
FLT_RADIX 2
FLT_DIG 6
FLT_MANT_DIG 24
FLT_MAX_10_EXP 38
FLT_MAX_EXP 128
FLT_MIN_10_EXP (-37)
FLT_MIN_EXP (-125)
FLT_MAX 0x1.fffffep+127f
FLT_MIN 0x1p-126f
FLT_EPSILON 0x1p-23f
MAXFLOAT 0x1.fffffep+127f
HALF_RADIX 2
HALF_DIG 3
HALF_MANT_DIG 11
HALF_MAX_10_EXP 4
HALF_MAX_EXP 16
HALF_MIN_10_EXP (-4)
HALF_MIN_EXP (-13)
HALF_MAX 0x1.ffcp+15h
HALF_MIN 0x1p-14h
HALF_EPSILON 0x1p-10h
MAXHALF 0x1.ffcp+15h
M_E_F 0x1.5bf0a8p+1f
M_LOG2E_F 0x1.715476p+0f
M_LOG10E_F 0x1.bcb7b2p-2f
M_LN2_F 0x1.62e43p-1f
M_LN10_F 0x1.26bb1cp+1f
M_PI_F 0x1.921fb6p+1f
M_PI_2_F 0x1.921fb6p+0f
M_PI_4_F 0x1.921fb6p-1f
M_1_PI_F 0x1.45f306p-2f
M_2_PI_F 0x1.45f306p-1f
M_2_SQRTPI_F 0x1.20dd76p+0f
M_SQRT2_F 0x1.6a09e6p+0f
M_SQRT1_2_F 0x1.6a09e6p-1f
M_E_H 0x1.5cp+1h
M_LOG2E_H 0x1.714p+0h
M_LOG10E_H 0x1.bccp-2h
M_LN2_H 0x1.63p-1h
M_LN10_H 0x1.26cp+1h
M_PI_H 0x1.92p+1h
M_PI_2_H 0x1.92p+0h
M_PI_4_H 0x1.92p-1h
M_1_PI_H 0x1.46p-2h
M_2_PI_H 0x1.46p-1h
M_2_SQRTPI_H 0x1.20cp+0h
M_SQRT2_H 0x1.6ap+0h
M_SQRT1_2_H 0x1.6ap-1h
`

// predefinedBfloat are there from Metal 3.1 on.
const predefinedBfloat = `
__HAVE_BFLOAT__ 1
HUGE_VALBF ((bfloat)__builtin_inff())
BFLT_RADIX 2
BFLT_DIG 2
BFLT_MANT_DIG 8
BFLT_MAX_10_EXP 38
BFLT_MAX_EXP 128
BFLT_MIN_10_EXP (-37)
BFLT_MIN_EXP (-125)
BFLT_MAX 0x1.fep+127bf
BFLT_MIN 0x1p-126bf
BFLT_EPSILON 0x1p-7bf
MAXBFLOAT 0x1.fep+127bf
M_E_BF 0x1.5cp+1bf
M_LOG2E_BF 0x1.72p+0bf
M_LOG10E_BF 0x1.bcp-2bf
M_LN2_BF 0x1.62p-1bf
M_LN10_BF 0x1.26p+1bf
M_PI_BF 0x1.92p+1bf
M_PI_2_BF 0x1.92p+0bf
M_PI_4_BF 0x1.92p-1bf
M_1_PI_BF 0x1.46p-2bf
M_2_PI_BF 0x1.46p-1bf
M_2_SQRTPI_BF 0x1.2p+0bf
M_SQRT2_BF 0x1.6ap+0bf
M_SQRT1_2_BF 0x1.6ap-1bf
`

// predefinedNames and bfloatNames are what every run knows: keywords, other spellings, builtins and
// macros. A run works on a copy of the map. The macros are shared: a run copies one before it expands it.
var (
	predefinedNames = sync.OnceValue(func() map[string]name { return namesOf(predefined) })
	bfloatNames     = sync.OnceValue(func() map[string]name { return namesOf(predefined + predefinedBfloat[1:]) })
)

func namesOf(lines string) map[string]name {
	names := map[string]name{}
	for w := range token.Keywords {
		names[w] = name{keyword: true}
	}
	for w, punct := range alternatives {
		if classes[w[0]]&classStart != 0 {
			names[w] = name{punct: punct}
		}
	}
	for w, b := range builtins {
		names[w] = name{m: &macro{name: w, builtin: b}}
	}
	p := &processor{names: names}
	for line := range strings.Lines(lines[1:]) {
		w, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		p.defineOption(w, text)
		w, _, _ = strings.Cut(w, "(")
		names[w].m.shared = true
	}
	return names
}

// predefine makes the names of one run.
func (p *processor) predefine() {
	version := p.opts.Version
	cplusplus := "201402L"
	if version >= 400 {
		cplusplus = "201703L"
	}
	if version >= 310 {
		p.names = maps.Clone(bfloatNames())
	} else {
		p.names = maps.Clone(predefinedNames())
	}
	for w, text := range map[string]string{"__METAL_VERSION__": strconv.Itoa(version), "__cplusplus": cplusplus} {
		t := token.Token{Kind: kindNumber, Text: text}
		p.names[w] = name{m: &macro{name: w, isPlain: true, plain: []token.Token{t}, body: []piece{{tok: t, param: -1}}}}
	}
}
