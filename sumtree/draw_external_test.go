package sumtree_test

import (
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/sumtree"
)

func text(t *testing.T, tree *sumtree.Tree, lines int) string {
	var b strings.Builder
	require.NoError(t, tree.WriteText(&b, lines))
	return b.String()
}

func parse(t *testing.T, s string) *sumtree.Tree {
	tree, err := sumtree.Parse(s)
	require.NoError(t, err)
	return tree
}

func TestWriteText(t *testing.T) {
	require.Equal(t, `lanes/4/20: 20 leaves, height 6
+
├─ +
│  ├─ + 0 4 8 12 16
│  └─ + 1 5 9 13 17
└─ +
   ├─ + 2 6 10 14 18
   └─ + 3 7 11 15 19
`, text(t, parse(t, "lanes/4/20"), 40))
	require.Equal(t, `tree: 12 leaves, height 6
+
├─ + 0 1
├─ fma
│  ├─ 2 3
│  └─ binary16
│     └─ + 4 5
├─ any 8..10
└─ 11
`, text(t, parse(t, "((0 1) fma(2 3 binary16((4 5))) any(8 9 10) 11)"), 40))
	require.Equal(t, `pairwise/1024: 1024 leaves, height 10
+
├─ +
│  ├─ + … 256 leaves, height 8
│  └─ + … 256 leaves, height 8
└─ + … 512 leaves, height 9
`, text(t, parse(t, "pairwise/1024"), 7))
	require.Equal(t, "left/1000000: 1000000 leaves, height 999999\n+ 0..999999\n", text(t, parse(t, "left/1000000"), 10))
	require.Equal(t, "left/1: 1 leaf, height 0\n0\n", text(t, parse(t, "left/1"), 10))
	require.Equal(t, "left/0: 0 leaves, height 0\n", text(t, parse(t, "left/0"), 10))
}

// TestDrawingsStaySmall: whatever the tree, a drawing keeps to its room, and the picture is XML with
// one edge for each item but the root.
func TestDrawingsStaySmall(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	trees := []*sumtree.Tree{
		parse(t, "left/200000"), parse(t, "right/200000"), parse(t, "random/shapes/1/100000"),
		parse(t, "lanes/1000/5000"), parse(t, "any(0..5000)"), parse(t, `opaque"<&>\""(0 1)`), parse(t, "0#9"), parse(t, "left/0"),
	}
	for range 200 {
		trees = append(trees, randomTree(rng, 1+rng.IntN(60)))
	}
	for _, tree := range trees {
		for _, room := range []int{0, 3, 20, 60} {
			got := text(t, tree, room)
			require.LessOrEqual(t, strings.Count(got, "\n"), max(room, 2), got)
			var b strings.Builder
			require.NoError(t, tree.WriteSVG(&b, room))
			edges, items := 0, 0
			for d := xml.NewDecoder(strings.NewReader(b.String())); ; {
				tok, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err)
				if e, ok := tok.(xml.StartElement); ok {
					class := ""
					for _, a := range e.Attr {
						if a.Name.Local == "class" {
							class = a.Value
						}
					}
					switch {
					case class == "edge":
						edges++
					case class == "fold" || class == "leaf" || strings.HasPrefix(class, "node"):
						items++
					}
				}
			}
			if tree.LeafCount() > 0 {
				require.Equal(t, items-1, edges)
			}
			require.Less(t, b.Len(), 2000+60*400)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestDrawingErrors(t *testing.T) {
	require.ErrorIs(t, sumtree.Left().Tree(9).WriteText(failing{}, 9), io.ErrClosedPipe)
	require.ErrorIs(t, sumtree.Left().Tree(9).WriteSVG(failing{}, 9), io.ErrClosedPipe)
}
