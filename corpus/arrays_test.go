package corpus

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
)

const arraysHead = "gamma arrays v1\nlaw a.b\nkernel k\nexpect holds\n"

// TestArrays reads and writes arrays of every sort of elements.
func TestArrays(t *testing.T) {
	text := arraysHead + "axis m 2\naxis n 3\ninput x binary32 m n\nvalue x 0 0x1.8p+1    # 3\nvalue x 5 -inf\ninput s bfloat16\nvalue s 0 0x1p-1    # 0.5\n" +
		"input q int8 n\nvalue q 2 -128\ninput i uint64 n\nvalue i 0 9007199254740993\ninput b bool m\nvalue b 1 1\n"
	a, err := Parse[*Arrays]([]byte(text), Options{})
	require.NoError(t, err)
	require.Equal(t, []Axis{{"m", 2}, {"n", 3}}, a.Axes)
	require.Equal(t, []uint64{0, 0, 0xffffffffffffff80}, a.Inputs[2].Bits)
	require.Equal(t, []uint64{0x40400000, 0, 0, 0, 0, 0xff800000}, a.Inputs[0].Bits)
	again, err := Format(a, Options{})
	require.NoError(t, err)
	require.Equal(t, text, string(again))
	canonical, err := Canonical([]byte(strings.Replace(text, "0x1.8p+1    # 3", "0x3p0", 1)))
	require.NoError(t, err)
	require.Equal(t, text, string(canonical))

	// The order of lines does not count, nor does an element that is +0.
	head, rest, _ := strings.Cut(text, "axis m")
	lines := strings.Split(strings.TrimSuffix("axis m"+rest, "\n"), "\n")
	var back string
	for _, l := range lines {
		if strings.HasPrefix(l, "value") {
			back = l + "\n" + back
		}
	}
	for _, l := range lines {
		if !strings.HasPrefix(l, "value") {
			back += l + "\n"
		}
	}
	canonical, err = Canonical([]byte(head + back + "value q 0 0\n"))
	require.NoError(t, err)
	require.Equal(t, text, string(canonical))

	b := a.Clone()
	b.Inputs[0].Bits[1] = 1
	require.Zero(t, a.Inputs[0].Bits[1])
	one, err := FileName(a)
	require.NoError(t, err)
	two, err := FileName(b)
	require.NoError(t, err)
	require.NotEqual(t, one, two)
}

// TestArraysRecipe stores many elements by their recipe, and notices when it gives others.
func TestArraysRecipe(t *testing.T) {
	x := Array{Name: "x", Type: formula.Float(model.Binary32), Axes: []string{"n"}, Gen: "iota"}
	bits, sum, err := x.expand(Options{}, 1000)
	require.NoError(t, err)
	x.Bits = bits
	a := &Arrays{Header: Header{Law: "a.b", Kernel: "k"}, Axes: []Axis{{"n", 1000}}, Inputs: []Array{x}}
	text, err := Format(a, Options{})
	require.NoError(t, err)
	require.Contains(t, string(text), "gen x iota\nsha256 x "+sum+"\n")
	require.NotContains(t, string(text), "value")
	back, err := Parse[*Arrays](text, Options{})
	require.NoError(t, err)
	require.Equal(t, bits, back.Inputs[0].Bits)
	again, err := Canonical(text)
	require.NoError(t, err)
	require.Equal(t, string(text), string(again))
	_, err = Parse[*Arrays]([]byte(strings.Replace(string(text), sum, hex.EncodeToString(make([]byte, 32)), 1)), Options{})
	require.ErrorContains(t, err, "now expands to")

	// One element is another: the recipe is not of these any more.
	a.Inputs[0].Bits[7] = 0
	text, err = Format(a, Options{})
	require.NoError(t, err)
	require.NotContains(t, string(text), "gen")
	require.Equal(t, 998, strings.Count(string(text), "value x"))
}

// TestBadArrays names what is wrong and where.
func TestBadArrays(t *testing.T) {
	for text, want := range map[string]string{
		"axis n 3\naxis n 4\n":                 "6:6: axis n is given twice",
		"axis 3 n\n":                           "5:6: axis \"3\": after it stands a name",
		"axis n\n":                             "axis n: \"\" is not a decimal number",
		"input x\n":                            "has no type",
		"input x binary31\n":                   "no type is called",
		"input x real\n":                       "does not say how elements are stored",
		"input x int8 n\n":                     "each needs a line axis",
		"value x 0 1\n":                        "5:7: there is no line input x",
		"input x int8\nvalue x 0 128\n":        "6:11: value x 0: \"128\" is no int8",
		"input x bool\nvalue x 0 2\n":          "\"2\" is neither 0 nor 1",
		"input x uint8\nvalue x 1 2\n":         "lies outside the 1 elements",
		"input x binary32\nvalue x 0 1.5\n":    "is decimal, and values are hex floats",
		"input x binary32\ninput x binary32\n": "input x is given twice",
		"input x int8\ngen x iota\n":           "recipes are of floating-point numbers",
		"input x binary32\ngen x iota\n":       "has no digest; write: sha256 x ",
		"input x binary32\nsha256 x " + strings.Repeat("0", 64) + "\n": "no line gen",
		"input x binary32\ngen x iota\nvalue x 0 0x1p0\n":              "lists no values",
		"axis m 99999\naxis n 99999\ninput x int8 m n\n":               "all elements are at most",
		"axis n 268435456\ninput x int8 n\n":                           "more than the 134217728 allowed",
	} {
		_, err := Parse[*Arrays]([]byte(arraysHead+text), Options{})
		require.ErrorContains(t, err, want, text)
	}
	for _, a := range []*Arrays{
		{Axes: []Axis{{"", 1}}},
		{Axes: []Axis{{"n", 1}, {"n", 1}}},
		{Inputs: []Array{{Name: "x", Type: formula.Int(8)}}},
		{Inputs: []Array{{Name: "x", Bits: []uint64{0}}}},
		{Inputs: []Array{{Name: "x y", Type: formula.Int(8), Bits: []uint64{0}}}},
	} {
		a.Law, a.Kernel = "a.b", "k"
		_, err := Format(a, Options{})
		require.Error(t, err, "%v", a)
	}
}
