package nn

import "gamma/model/formula"

// EmbeddingFormula is of a table with v rows along d, and n indices of rows, 32 bits with a sign: a row of zeros where there is no such row.
var EmbeddingFormula = formula.Gather(
	formula.Matrix("table", "v", "d"), "v", formula.Input("index", formula.Int(32), "n"), formula.Const(0))

func embeddings() []Kernel {
	return []Kernel{{Name: "nn.Embedding", Formula: EmbeddingFormula, Run: func(a Arrays) {
		Embedding(a.Float32("dst"), a.Float32("table"), a.Int32("index"), a.Size("v"), a.Size("d"))
	}}}
}

// Embedding writes row index_i of a table for each i, and zeros where index_i is below 0 or not below v.
//
// Shape:   table is v by d, dst len(index) by d, by rows; it panics otherwise.
// Error:   none: numbers are moved.
// Special: a NaN keeps its bits, a zero its sign.
// Alias:   dst overlaps neither.
func Embedding(dst, table []float32, index []int32, v, d int) {
	sameLength("table", len(table), v*d)
	sameLength("dst", len(dst), len(index)*d)
	for i, at := range index {
		row := dst[i*d:][:d]
		if at < 0 || int(at) >= v {
			clear(row)
			continue
		}
		copy(row, table[int(at)*d:])
	}
}
