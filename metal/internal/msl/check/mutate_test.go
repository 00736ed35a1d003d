package check

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
)

var word = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*|[0-9][0-9a-zA-Z.]*|"[^"\n]*"|'[^'\n]*'|//[^\n]*|#[^\n]*|<<=?|>>=?|[-+*/%&|^=!<>]=|&&|\|\||\+\+|--|->|::|\s+|.`)

// TestMutatedSources checks sources of which a few words were exchanged, doubled or left out: whatever comes
// out, there is an answer with a place, soon.
func TestMutatedSources(t *testing.T) {
	n := 1500
	if os.Getenv("GAMMA_LEVEL") == "thorough" {
		n = 60000
	}
	var parts [][]string
	var pool []string
	for _, pattern := range []string{"testdata/*.metal", "testdata/run/*.metal"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range files {
			if strings.Contains(name, "bounds") {
				continue // slow by intent
			}
			src, err := os.ReadFile(name)
			require.NoError(t, err)
			for _, part := range strings.Split(string(src), "// ------\n") {
				words := word.FindAllString(part, -1)
				parts = append(parts, words)
				for _, w := range words {
					if strings.TrimSpace(w) != "" && w[0] != '#' && !strings.HasPrefix(w, "//") {
						pool = append(pool, w)
					}
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(3, 1))
	clean := 0
	for i := range n {
		words := append([]string(nil), parts[r.IntN(len(parts))]...)
		for range 1 + r.IntN(3) {
			at := r.IntN(len(words))
			switch r.IntN(5) {
			case 0:
				words[at] = ""
			case 1:
				words[at] = pool[r.IntN(len(pool))]
			case 2:
				words[at] += " " + pool[r.IntN(len(pool))]
			case 3:
				words[at], words[r.IntN(len(words))] = words[r.IntN(len(words))], words[at]
			case 4:
				to := min(at+r.IntN(12), len(words))
				from := r.IntN(len(words))
				words[from] += strings.Join(words[at:to], "")
			}
		}
		src := strings.Join(words, "")
		begin := time.Now()
		prog, errs := checkSource("m.metal", src, ir.ContractOn)
		if d := time.Since(begin); d > 5*time.Second {
			t.Fatalf("case %d took %v:\n%s", i, d, src)
		}
		for _, e := range errs {
			if strings.Contains(e.Msg, "the checker failed inside") || e.Pos.Line == 0 || e.Msg == "" {
				t.Fatalf("case %d: %v\n%s", i, e, src)
			}
		}
		require.Equal(t, prog == nil, errs.Errors() > 0)
		if prog != nil {
			clean++
		}
	}
	require.NotZero(t, clean)
	t.Logf("%d of %d are right", clean, n)
}
