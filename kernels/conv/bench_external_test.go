package conv_test

import (
	"fmt"
	"testing"

	"gamma/kernels/conv"
)

// BenchmarkConvolution runs the seed's configurations, and one of long rows, by each embedded profile; a pipeline's tables are made once.
func BenchmarkConvolution(b *testing.B) {
	sizes := [][4]int{{1, 16, 1 << 14, 32}}
	for _, s := range seeds {
		sizes = append(sizes, [4]int{s.batch, s.width, s.n, s.order})
	}
	for _, s := range sizes {
		o := layer(s[0], s[1], s[2], s[3])
		y := make([]float32, len(o.X))
		for _, name := range conv.Profiles() {
			b.Run(fmt.Sprintf("batch=%d/width=%d/N=%d/%s", s[0], s[1], s[2], name), func(b *testing.B) {
				p, err := conv.Load(name)
				if err != nil {
					b.Fatal(err)
				}
				l, err := conv.New(p, o.N)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(4 * len(o.X)))
				for b.Loop() {
					if err := l.Run(y, o); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
