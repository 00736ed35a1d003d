package sumtree_test

import (
	"io"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/sumtree"
)

// randomTree builds a tree of every kind of node over about size operands. Leaves may be missing
// or doubled.
func randomTree(rng *rand.Rand, size int) *sumtree.Tree {
	var b sumtree.Builder
	var refs []sumtree.Ref
	for range size {
		refs = append(refs, b.Leaf(rng.IntN(2*size)))
	}
	take := func() sumtree.Ref {
		i := rng.IntN(len(refs))
		r := refs[i]
		refs[i] = refs[len(refs)-1]
		refs = refs[:len(refs)-1]
		return r
	}
	some := func() (out []sumtree.Ref) {
		for range 1 + rng.IntN(min(len(refs), 5)) {
			out = append(out, take())
		}
		return out
	}
	formats := model.Formats()
	for step := 0; len(refs) > 1 || step < 3; step++ {
		var r sumtree.Ref
		switch k := rng.IntN(9); {
		case k == 0:
			r = b.Round(formats[rng.IntN(len(formats))], take())
		case k == 1:
			a := sumtree.Adder{
				Pairs: rng.IntN(2) == 0, Cut: rng.IntN(2) == 0, Raw: rng.IntN(2) == 0, Late: rng.IntN(2) == 0,
				Extra: rng.IntN(5) - 2, MinExp: -rng.IntN(3), Align: model.Rounding(rng.IntN(5)), Rounding: model.Rounding(rng.IntN(5)),
			}
			if rng.IntN(2) == 0 {
				a.Out = formats[rng.IntN(len(formats))]
			}
			r = b.Fused(a, some()...)
		case k == 2:
			r = b.AnyOrder(some()...)
		case k == 3:
			r = b.Opaque([]string{"", "tanh", "a\"b(/)#", "\xff"}[rng.IntN(4)], some()...)
		case len(refs) < 2:
			continue
		case k == 4 && len(refs) > 2:
			r = b.Fma(take(), take(), take())
		case k == 5:
			r = b.Product(take(), take())
		default:
			r = b.Add(take(), take())
		}
		refs = append(refs, r)
	}
	t, err := b.Build(refs[0])
	if err != nil {
		panic(err)
	}
	return t
}

func TestParseRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		want := randomTree(rng, 1+rng.IntN(30))
		text := want.String()
		got, err := sumtree.Parse(text)
		require.NoError(t, err, text)
		require.True(t, want.Equal(got), text)
		require.Equal(t, text, got.String())
	}
	for _, s := range shapesOf() {
		for _, n := range []int{0, 1, 2, 3, 4, 7, 8, 9, 33, 129, 1000} {
			for _, want := range []*sumtree.Tree{s.Tree(n), s.DotTree(n), s.FmaTree(n)} {
				for _, text := range []string{want.String(), want.Explicit()} {
					if n == 0 && text == want.Explicit() {
						continue // the empty tree has a name only
					}
					got, err := sumtree.Parse(text)
					require.NoError(t, err, text)
					require.True(t, want.Equal(got), text)
				}
			}
		}
	}
}

// numbers counts the numbers and suffixes of a name.
func numbers(name string) int { return strings.Count(name, "/") + strings.Count(name, "@") }

// TestStringRecognises: a tree read from parentheses is written by its shape's name, or by a
// shorter one that gives the same tree.
func TestStringRecognises(t *testing.T) {
	for _, s := range shapesOf() {
		if strings.HasPrefix(s.String(), "random") || strings.Contains(s.String(), "perm") {
			continue
		}
		for _, n := range []int{1, 2, 3, 5, 8, 17, 64, 100, 200, 257, 1000} {
			for i, tree := range []*sumtree.Tree{s.Tree(n), s.DotTree(n), s.FmaTree(n)} {
				anonymous, err := sumtree.Parse(tree.Explicit())
				require.NoError(t, err)
				got := anonymous.String()
				require.LessOrEqual(t, numbers(got), numbers(s.String())+1, "%s, n = %d: %s", s, n, got)
				require.NotContains(t, got, "(", "%s, n = %d, form %d", s, n, i)
			}
		}
	}
	for text, want := range map[string]string{
		"(0 1)":                          "left/2",
		"0":                              "left/1",
		"pairwise/8/8":                   "left/8",
		"((0 1) (2 3))":                  "pairwise/4",
		"(((0 4) (1 5)) ((2 6) (3 7)))":  "lanes/4/8",
		"((0 2) 1)":                      "halving/3",
		"(0..9 11)":                      "(0..9 11)",
		"(0 1)#3":                        "(0 1)#3",
		"(5..0)":                         "left@reverse/6",
		"(0*2 1*3)":                      "dot:left/2",
		"fma(1 3 0*2)":                   "fma:left/2",
		"(((0 1)))":                      "left/2",
		"0*1*2":                          "0*1*2",
		"0*(1*2)":                        "0*(1*2)",
		"down/32/100":                    "down/32/100",
		"random/splits/7/3":              "right/3",
		" binary16( ( 0 1 ) ) ":          "binary16((0 1))",
		"fused{pairs,cut,extra=2}(0..4)": "fused{pairs,cut,extra=2}(0..4)",
		`opaque"x y"(0)`:                 `opaque"x y"(0)`,
		"any(3 2 1 0)":                   "any(3..0)",
	} {
		tree, err := sumtree.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, tree.String())
	}
}

func TestParseErrors(t *testing.T) {
	for text, place := range map[string]string{
		"":                                "column 1",
		"()":                              "column 2",
		"(0 1":                            "column 5",
		"(0 1))":                          "column 6",
		"0 1":                             "column 4",
		"(0 x)":                           "column 4",
		"(0 binary7(1))":                  "column 4",
		"(0 fma(1 2))":                    "column 11",
		"binary16(0 1)":                   "column 13",
		"(0 00)":                          "column 4",
		"(0 99999999999)":                 "column 4",
		"(0 67108864)":                    "column 4",
		"*":                               "column 1",
		"(0*)":                            "column 4",
		"(0 *1..3)":                       "column 6",
		"(0..3*4)":                        "column 6",
		"(0..)":                           "column 5",
		"(0 1)#1":                         "column 8",
		"(0 1)#2x":                        "column 8",
		"fused{cut,cut}(0)":               "column 6",
		"fused{extra=99999}(0)":           "column 6",
		"fused{cut(0)":                    "column 6",
		"fused{foo}(0)":                   "column 6",
		`opaque"x(0)`:                     "column 7",
		"any":                             "column 4",
		"left/x":                          "column 6",
		"left/67108865":                   "column 6",
		"dot:left/33554433":               "column 10",
		"nope/3":                          "nope",
		"left/8/3":                        "left/8",
		"left":                            "left",
		strings.Repeat("(", 1<<20):        "column 1048577",
		strings.Repeat("(", 1<<20) + "0*": "column 1048579",
	} {
		_, err := sumtree.Parse(text)
		require.Error(t, err, "%.60s", text)
		require.ErrorContains(t, err, place)
		require.Less(t, len(err.Error()), 600)
	}
}

func TestParseLimit(t *testing.T) {
	for text, ok := range map[string]bool{
		"left/1000": true, "left/1001": false, "dot:left/500": true, "dot:left/501": false, "fma:numpy/501": false,
		"(0..999)": true, "(0..1000)": false, "(0..999 0)": false, "(999 1000)": false, "0#1000": true, "0#1001": false,
		"(0..9 0..9)": true, "((((0..600)) (0..600)))": false,
	} {
		_, err := sumtree.ParseLimit(text, 1000)
		require.Equal(t, ok, err == nil, text)
	}
}

// TestDeep: nothing recurses over the height of a tree. With a stack of 256 KiB even two words a
// level would be too much.
func TestDeep(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(256 << 10))
	n := 1 << 17
	if thorough() {
		n = 1 << 22
	}
	for _, s := range []sumtree.Shape{sumtree.Left(), sumtree.Right(), sumtree.Left().Reverse()} {
		tree := s.Tree(n)
		require.Equal(t, n-1, tree.Height())
		got, err := sumtree.Parse(tree.Explicit())
		require.NoError(t, err)
		require.True(t, tree.Equal(got))
		require.Equal(t, tree.String(), got.String())
		require.NoError(t, got.Check())
		require.True(t, got.Sorted().IsPermutation())
		require.Equal(t, n-1, slices.Max(got.Depths()))
		require.NoError(t, got.WriteText(io.Discard, 50))
		require.NoError(t, got.WriteSVG(io.Discard, 50))
	}
	deep := strings.Repeat("binary32(", n) + "0" + strings.Repeat(")", n)
	tree, err := sumtree.Parse(deep)
	require.NoError(t, err)
	require.True(t, deep == tree.String())
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"left/8", "pairwise/8/100@reverse", "left@perm/7/9", "(0 (1 2) 3..5)#9", "fma(0 1 2*3)", "binary16((0 1))",
		`opaque"\xff"(any(0 1) fused{pairs,cut,extra=-1,align=zero,out=e4m3,round=up,raw,late,minexp=-3}(1 2))`,
		"dot:xor/4/9", "pairwise/1", "fma:random/nary/3/1/7", "random/shapes/18446744073709551615/5", "0..5", "((((((",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := sumtree.ParseShape(text); err == nil {
			if again, err := sumtree.ParseShape(s.String()); err != nil || again != s {
				t.Fatalf("%q reads as %q, which reads as %q, %v", text, s, again, err)
			}
			require.True(t, text == s.String() || strings.HasPrefix(text, "pairwise/1"), text)
			require.Equal(t, s.Tree(37).Height(), s.Height(37))
		}
		tree, err := sumtree.ParseLimit(text, 1<<12)
		if err != nil {
			return
		}
		again := tree.String()
		got, err := sumtree.Parse(again)
		require.NoError(t, err, again)
		require.True(t, tree.Equal(got), again)
		require.Equal(t, again, got.String())
		if tree.LeafCount() > 0 {
			got, err = sumtree.Parse(tree.Explicit())
			require.NoError(t, err)
			require.True(t, tree.Equal(got), tree.Explicit())
		}
	})
}
