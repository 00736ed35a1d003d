package stdlib

import (
	"testing"

	"gamma/metal/internal/msl/typed"
)

// BenchmarkResolve chooses among the 40 overloads of max, by exact arguments and by conversions.
func BenchmarkResolve(b *testing.B) {
	for name, args := range map[string][]Arg{
		"exact":   {floats(1), floats(2)},
		"convert": {floats(1, 2, 3, 4), arg("int")},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if _, err := Resolve("max", nil, args, typed.Pos{}, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
