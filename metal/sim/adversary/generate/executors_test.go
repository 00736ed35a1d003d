// Package generate writes executors_gen.go of package adversary. It imports nothing of it, so that it can run while that does not compile.
package generate

import (
	"bytes"
	_ "embed"
	"flag"
	"go/format"
	"os"
	"regexp"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write ../executors_gen.go anew")

//go:embed executors.tmpl
var executorsText string

// computed is a row of the table of opcodes that only compute, from which both executors are made: exec, which runs one thread, and the
// rows, which run all threads of a threadgroup.
type computed struct {
	Ops    []string // opcodes, without op
	Result string   // from the operands a and b, words of 64 bits
	When   string   // holds of operands that have a plain result; the others are left to ir.Eval
	Fits   string   // holds of r, the result, where it is a plain one
	Test   string   // what a comparison gives, as a bool, instead of Result
	Jumps  bool     // there is an opcode that compares and jumps
}

func op(names, result string) computed { return computed{Ops: strings.Fields(names), Result: result} }

func test(name, test string, jumps bool) computed {
	return computed{Ops: []string{name}, Result: "truth(" + test + ")", Test: test, Jumps: jumps}
}

func when(name, when, result string) computed {
	return computed{Ops: []string{name}, Result: result, When: when}
}

func fits(name, result, fits string) computed {
	return computed{Ops: []string{name}, Result: result, Fits: fits}
}

// table holds every opcode that only computes, but for Const, Select and the library's functions.
var table = []computed{
	op("Mov", "a"),
	op("Add32", "uint64(uint32(a + b))"),
	op("Sub32", "uint64(uint32(a - b))"),
	op("Mul32", "uint64(uint32(a) * uint32(b))"),
	fits("Add32S", "uint64(uint32(a + b))", "((a^r)&(b^r))>>31 == 0"),
	fits("Sub32S", "uint64(uint32(a - b))", "((a^b)&(a^r))>>31 == 0"),
	fits("Mul32S", "uint64(uint32(a) * uint32(b))", "int64(int32(a))*int64(int32(b)) == int64(int32(r))"),
	op("Shl32", "uint64(uint32(a) << (b & 31))"),
	op("Shr32", "uint64(uint32(a) >> (b & 31))"),
	op("Sar32", "uint64(uint32(int32(a) >> (b & 31)))"),
	op("MulHi32", "a * b >> 32"),
	op("Min32 Min64", "min(a, b)"),
	op("Max32 Max64", "max(a, b)"),
	when("Div32", "uint32(b) != 0", "uint64(uint32(a) / uint32(b))"),
	when("Rem32", "uint32(b) != 0", "uint64(uint32(a) % uint32(b))"),
	op("Not32", "uint64(^uint32(a))"),
	op("Add64", "a + b"),
	op("Sub64", "a - b"),
	op("Mul64", "a * b"),
	fits("Add64S", "a + b", "((a^r)&(b^r))>>63 == 0"),
	fits("Sub64S", "a - b", "((a^b)&(a^r))>>63 == 0"),
	op("Shl64", "a << (b & 63)"),
	op("Shr64", "a >> (b & 63)"),
	op("MulHi64", "high(a, b)"),
	op("And", "a & b"),
	op("Or", "a | b"),
	op("Xor", "a ^ b"),
	op("NotBool", "a ^ 1"),
	test("Eq", "a == b", true),
	test("Ne", "a != b", true),
	test("LtU", "a < b", true),
	test("LeU", "a <= b", true),
	test("LtI32", "int32(a) < int32(b)", true),
	test("LeI32", "int32(a) <= int32(b)", true),
	test("LtF32", "f32(a) < f32(b)", false),
	test("LeF32", "f32(a) <= f32(b)", false),
	test("EqF32", "f32(a) == f32(b)", false),
	test("NeF32", "f32(a) != f32(b)", false),
	op("AddF32", "bits32(float32(f32(a) + f32(b)))"),
	op("SubF32", "bits32(float32(f32(a) - f32(b)))"),
	op("MulF32", "bits32(float32(f32(a) * f32(b)))"),
	op("Low8", "uint64(uint8(a))"),
	op("Low16", "uint64(uint16(a))"),
	op("Low32", "uint64(uint32(a))"),
	op("Widen32", "uint64(int64(int32(a)))"),
	op("Bool", "truth(a != 0)"),
	op("U32ToF32", "uint64(math.Float32bits(float32(uint32(a))))"),
	op("I32ToF32", "uint64(math.Float32bits(float32(int32(a))))"),
}

// The template asks these.

func (c computed) Name() string  { return c.Ops[0] }
func (c computed) Cases() string { return "op" + strings.Join(c.Ops, ", op") }

// Unary reports whether the result needs no second operand.
func (c computed) Unary() bool { return !second.MatchString(c.Result) }

var second = regexp.MustCompile(`\bb\b`)

func (c computed) Kind() string {
	switch {
	case c.When+c.Fits != "":
		return "partial"
	case c.Unary():
		return "unary"
	}
	return "binary"
}

func (c computed) Load() string {
	if c.Unary() {
		return "a := regs[x.a]"
	}
	return "a, b := regs[x.a], regs[x.b]"
}

func (c computed) Jump() string {
	if !c.Jumps {
		return ""
	}
	return "opUnless" + c.Name()
}

// TestExecutors holds executors_gen.go to the table: with -update it writes it.
func TestExecutors(t *testing.T) {
	const file = "../executors_gen.go"
	var b bytes.Buffer
	require.NoError(t, template.Must(template.New("executors").Parse(executorsText)).Execute(&b, table))
	want, err := format.Source(b.Bytes())
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(file, want, 0o666))
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run go test ./metal/sim/adversary/generate -update")
}
