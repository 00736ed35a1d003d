package check

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/msl/preprocess"
	"gamma/metal/internal/msl/syntax"
	"gamma/metal/msl/ir"
)

// BenchmarkProgram measures the check of a file of templates.
func BenchmarkProgram(b *testing.B) {
	for _, name := range []string{"style_a", "style_d"} {
		b.Run(name+".metal", func(b *testing.B) {
			src, err := os.ReadFile("testdata/" + name + ".metal")
			require.NoError(b, err)
			toks, errs := preprocess.Run(string(src), preprocess.Options{})
			require.NoError(b, errs.Err())
			for b.Loop() {
				b.StopTimer()
				f, _ := syntax.Parse(toks)
				b.StartTimer()
				if _, errs := Program(f, Options{FP: ir.ContractOn}); errs.Errors() > 0 {
					b.Fatal(errs)
				}
			}
			b.SetBytes(int64(len(src)))
		})
	}
}
