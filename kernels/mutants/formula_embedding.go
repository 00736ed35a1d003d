package mutants

import "gamma/kernels/nn"

// embeddings returns faults of the look-up of rows: each in what it makes of an index.
func embeddings() []Formula {
	// row says which row of v is read for an index; ok = false says that zeros are.
	look := func(name, fault string, row func(i int32, v int) (at int, ok bool)) Formula {
		return of("Embedding", name, fault, func(a nn.Arrays) {
			dst, table, v, d := a.Float32("dst"), a.Float32("table"), a.Size("v"), a.Size("d")
			for i, index := range a.Int32("index") {
				clear(dst[i*d:][:d])
				if at, ok := row(index, v); ok {
					copy(dst[i*d:][:d], table[at*d:])
				}
			}
		})
	}
	inside := func(at, v int) (int, bool) { return at, at >= 0 && at < v }
	return []Formula{
		look("LastRow", "the last row of the table is taken to be beyond it", func(i int32, v int) (int, bool) { return inside(int(i), v-1) }),
		look("FirstRow", "index 0 gives zeros, as if it were padding", func(i int32, v int) (int, bool) { return int(i), i > 0 && int(i) < v }),
		look("End", "index v gives the last row, and others beyond the table zeros", func(i int32, v int) (int, bool) {
			if int(i) == v {
				return v - 1, true
			}
			return inside(int(i), v)
		}),
		look("Clamps", "an index beyond the table gives the row at its end", func(i int32, v int) (int, bool) { return max(0, min(v-1, int(i))), true }),
		look("FromEnd", "a negative index counts from the end, as Python's do", func(i int32, v int) (int, bool) {
			if i < 0 {
				return inside(int(i)+v, v)
			}
			return inside(int(i), v)
		}),
		look("Modulo", "the index is taken modulo v, without a sign", func(i int32, v int) (int, bool) { return int(uint32(i) % uint32(v)), true }),
		look("Magnitude", "the index loses its sign", func(i int32, v int) (int, bool) { return inside(max(int(i), -int(i)), v) }),
		look("Index8", "the index is kept in 8 bits", func(i int32, v int) (int, bool) { return inside(int(int8(i)), v) }),
		look("Index16", "the index is kept in 16 bits", func(i int32, v int) (int, bool) { return inside(int(int16(i)), v) }),
		of("Embedding", "NoFill", "a row without an index of the table is left as it was", func(a nn.Arrays) {
			dst, table, v, d := a.Float32("dst"), a.Float32("table"), a.Size("v"), a.Size("d")
			for i, index := range a.Int32("index") {
				if at, ok := inside(int(index), v); ok {
					copy(dst[i*d:][:d], table[at*d:])
				}
			}
		}),
	}
}
