package ntt

import "math/bits"

// BitReverse permutes x from natural to bit-reversed order, or back: it swaps each pair of words whose places are each other's
// bits reversed.
//
// Shape:   len(x) a power of two; it returns an error otherwise.
func BitReverse[W Word](x []W) error {
	if err := checkSize(len(x)); err != nil {
		return err
	}
	permute(x)
	return nil
}

// permute is BitReverse for a length that is a power of two.
func permute[W Word](x []W) {
	switch {
	case len(x) < 4:
	case len(x) < tiled:
		n, j := len(x), 0
		for i := range x {
			if i < j {
				x[i], x[j] = x[j], x[i]
			}
			j = follower(i, j, n)
		}
	default:
		permuteTiles(x)
	}
}

// follower returns the reversal of i+1 in log2 n bits, for j that of i: where i+1 clears k ones and sets the bit above, it clears
// the k upper ones and sets the bit below.
func follower(i, j, n int) int { return j ^ (n - n>>(bits.TrailingZeros(^uint(i))+1)) }

// tiled is the length from which permute works in tiles, so that a line of the cache is read and written once.
const tiled = 1 << 7

// backwards reverses three bits.
var backwards = [8]int{0, 4, 2, 6, 1, 5, 3, 7}

// tile holds the words at the places whose middle bits are some b: eight rows a of eight neighbours k, where a are the upper three
// bits of a place and k the lower three.
type tile[W Word] [8][8]W

// turned reads the tile of b as it is written at the reversal of b: the word of row a at k goes to the reversed row k, reversed place a.
func (t *tile[W]) turned(x []W, b int) {
	for a := range 8 {
		row, r := (*[8]W)(x[a*(len(x)/8)+8*b:]), backwards[a]
		t[0][r], t[4][r], t[2][r], t[6][r] = row[0], row[1], row[2], row[3]
		t[1][r], t[5][r], t[3][r], t[7][r] = row[4], row[5], row[6], row[7]
	}
}

// write writes the tile of b.
func (t *tile[W]) write(x []W, b int) {
	for a := range 8 {
		*(*[8]W)(x[a*(len(x)/8)+8*b:]) = t[a]
	}
}

// permuteTiles is permute for 64 words or more.
func permuteTiles[W Word](x []W) {
	var s, t tile[W]
	n := len(x) / 64
	for b, c := 0, 0; b < n; b, c = b+1, follower(b, c, n) {
		if b > c {
			continue
		}
		s.turned(x, b)
		t.turned(x, c)
		s.write(x, c)
		t.write(x, b)
	}
}
