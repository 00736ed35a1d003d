package engine

import (
	"gamma/corpus"
	"gamma/props/internal/draw"
)

// WideCounts is how many counts of rows WideRows draws from: one beyond 2^8 and one beyond 2^16.
const WideCounts = 2

var wideRows = [WideCounts][]int{{257, 300, 513, 1000, 4097}, {1<<16 + 1, 1<<16 + 100, 70001, 1<<17 + 1}}

// WideRows draws a number of rows, of n elements each, beyond what an index of 8 bits counts, or of 16 if k is 1. ok is false on a device
// that takes fewer, and beyond 2^16 on all, whose runs take long, and without far. A batch of so many repeats a few: an odd number, so
// that an index that has lost its upper bits finds another row.
func (d *DeviceClaim) WideRows(k, n int, far bool, rng *draw.Splitmix) (rows int, ok bool) {
	rows = wideRows[k][rng.Below(len(wideRows[k]))]
	return rows, d == nil && (far || k == 0) || d != nil && k == 0 && (d.MaxN == 0 || rows*n <= d.MaxN)
}

// RecordedRows returns how many rows of n words a record holds that says so, and after how many they repeat, 0 if they do not; it is an
// error if it has not their words.
func RecordedRows(rows, period uint64, words []uint64, n int) (int, error) {
	have := rows
	if period > 0 {
		have = period
	}
	if rows > corpus.MaxTableBytes || have > rows || uint64(len(words)) != have*uint64(n) {
		return 0, ErrCutOff
	}
	return int(rows), nil
}
