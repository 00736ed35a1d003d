package families

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/draw"
)

var updateRecipes = flag.Bool("update-recipes", false, "rewrite testdata/recipes.txt")

// TestParseRecipe: String and ParseRecipe are inverse to each other, for every family and shape.
func TestParseRecipe(t *testing.T) {
	rng := draw.Splitmix(7)
	for _, family := range slices.Concat(Families(), Formulas()) {
		for range 100 {
			r := Recipe{
				Family: family.Name, N: rng.Below(5000), A: uint8(rng.Next()), B: uint8(rng.Next()), Seed: rng.Next(),
				Rows: rng.Below(4),
			}
			switch rng.Below(3) {
			case 0:
				r.Dot = true
			case 1:
				r.Squares = true
			}
			if r.Rows == 1 { // written as 0
				r.Rows = 0
			}
			if r.Rows > 1 {
				r.Period = rng.Below(r.Rows)
			}
			got, err := ParseRecipe(r.String())
			require.NoError(t, err)
			require.Equal(t, r, got)
			require.Equal(t, r.String(), got.String())
		}
	}
	for _, r := range []Recipe{
		{Family: "unit"},
		{Family: "unit", N: MaxRecipeN, A: 255, B: 255, Seed: math.MaxUint64, Dot: true},
		{Family: "unit", N: 1 << 14, Rows: 1 << 14},
	} {
		got, err := ParseRecipe(r.String())
		require.NoError(t, err)
		require.Equal(t, r, got)
	}
}

// TestParseRecipeErrors: what is no recipe is an error that says what is wrong and what would be right.
func TestParseRecipeErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   `props: an empty recipe; write a family and its parameters, such as "window n=8 a=0 b=0 seed=0"`,
		" \t":                                `props: an empty recipe; write a family and its parameters, such as "window n=8 a=0 b=0 seed=0"`,
		"windows n=8":                        `props: no family of inputs is called "windows"; known are ` + strings.Join(FamilyNames(), ", "),
		"unit n":                             `props: recipe word "n" is not a name, '=' and a decimal number`,
		"unit n=":                            `props: recipe word "n=" is not a name, '=' and a decimal number`,
		"unit n=-1":                          `props: recipe word "n=-1" is not a name, '=' and a decimal number`,
		"unit n=0x10":                        `props: recipe word "n=0x10" is not a name, '=' and a decimal number`,
		"unit n=268435457":                   `props: recipe parameter n is at most 268435456, not 268435457`,
		"unit n=99999999999":                 `props: recipe parameter n is at most 268435456, not 99999999999`,
		"unit n=1 a=256":                     `props: recipe parameter a is at most 255, not 256`,
		"unit n=1 b=1000":                    `props: recipe parameter b is at most 255, not 1000`,
		"unit n=1 c=1":                       `props: a recipe has no parameter "c"; it has n, a, b, seed, rows, period, dot and squares`,
		"unit n=8 n=9":                       `props: the recipe gives n twice`,
		"unit n=8 dot dot":                   `props: the recipe gives dot twice`,
		"unit n=16385 rows=16384":            `props: recipe asks for 16384 rows of 16385 leaves; at most 268435456 leaves in all`,
		"unit n=0 rows=65537":                `props: recipe asks for 65537 rows of no leaves; at most 65536`,
		"unit n=1 seed=18446744073709551616": `props: recipe word "seed=18446744073709551616" is not a name, '=' and a decimal number`,
	} {
		_, err := ParseRecipe(text)
		require.EqualError(t, err, want)
	}
	_, _, err := ExpandGen("unit n=8 a=0 b=0 seed=1", model.Binary32, 9)
	require.EqualError(t, err, "props: the recipe makes 8 leaves and the case has n 9")
}

// recipeFormats are those whose expansions are on file.
var recipeFormats = []model.Format{model.Binary32, model.Binary64, model.Binary16, model.E4M3}

// TestRecipesOnFile holds the expansion of every family to the bits on file: case files store recipes,
// and a changed generator would change what they mean.
func TestRecipesOnFile(t *testing.T) {
	sizes := []int{1, 5, 64, 1000}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# The first 16 hex digits of the sha256 of what recipes expand to, eight of each family, format, operation and length.\n")
	fmt.Fprintf(&b, "%-30s", "# family format op")
	for _, n := range sizes {
		fmt.Fprintf(&b, " %-16s", fmt.Sprintf("n=%d", n))
	}
	b.WriteByte('\n')
	for _, family := range slices.Concat(Families(), Formulas()) {
		for _, f := range recipeFormats {
			for _, op := range []string{"sum", "dot", "squares"} {
				fmt.Fprintf(&b, "%-30s", fmt.Sprintf("%s %s %s", family.Name, f, op))
				for _, n := range sizes {
					h := sha256.New()
					for k := range 8 {
						r := Recipe{Family: family.Name, N: n, A: uint8(37 * k), B: uint8(91 * k), Seed: uint64(k), Dot: op == "dot", Squares: op == "squares"}
						sum := corpus.Digest(r.Expand(f))
						h.Write(sum[:])
					}
					fmt.Fprintf(&b, " %x", h.Sum(nil)[:8])
				}
				b.WriteByte('\n')
			}
		}
	}
	const file = "testdata/recipes.txt"
	if *updateRecipes {
		require.NoError(t, os.WriteFile(file, b.Bytes(), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "run with -update-recipes to write it")
	require.Equal(t, string(want), b.String(), "a generator has changed: case files with these families would mean other inputs. "+
		"Give the new one another name, or run with -update-recipes and store the cases anew")
}

// TestExpand: rows of a recipe follow one another and differ, an expander that is used again gives the
// same bits as a new one, and a recipe of no leaves expands to none.
func TestExpand(t *testing.T) {
	var e Expander
	for _, family := range slices.Concat(Families(), Formulas()) {
		for _, f := range model.Formats() {
			for _, n := range []int{0, 1, 2, 3, 7, 100} {
				for _, rows := range []int{0, 1, 3} {
					r := Recipe{Family: family.Name, N: n, Rows: rows, A: 3, B: 77, Seed: uint64(n), Dot: n%2 == 1}
					x, y := r.Expand(f)
					require.Equal(t, n*max(rows, 1), x.Len(), r)
					require.Equal(t, f, x.Format)
					if r.Dot {
						require.Equal(t, x.Len(), y.Len())
					} else {
						require.Zero(t, y.Len())
					}
					x2, y2 := e.Expand(r, f)
					require.True(t, x.Equal(x2) && y.Equal(y2), "%v in %s: used memory shows", r, f)
				}
			}
		}
	}
	one := Recipe{Family: "window", N: 50, Seed: 1}
	three := one
	three.Rows = 3
	x, _ := one.Expand(model.Binary32)
	x3, _ := three.Expand(model.Binary32)
	require.True(t, x.Equal(x3.Slice(0, 50)), "the first row is that of a recipe of one row")
	require.False(t, x.Equal(x3.Slice(50, 100)))
}

// FuzzParseRecipe: any text is a recipe or an error, and a recipe survives being written.
func FuzzParseRecipe(f *testing.F) {
	f.Add("window n=1024 a=3 b=200 seed=7")
	f.Add("integers n=5 a=1 b=2 seed=3 rows=4 dot")
	f.Add("unit n=99999999999999999999")
	f.Add("bits n=9 squares")
	f.Add("unit dot=1 rows")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRecipe(text)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		again, err := ParseRecipe(r.String())
		require.NoError(t, err)
		require.Equal(t, r.String(), again.String())
		if r.N*max(r.Rows, 1) <= 1<<10 {
			x, y := r.Expand(model.Binary16)
			require.Equal(t, r.N*max(r.Rows, 1), x.Len())
			require.True(t, r.Dot || y.Len() == 0)
		}
	})
}
