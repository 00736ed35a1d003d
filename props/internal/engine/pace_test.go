package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPace: an input is begun if the last of its size fitted what is left, or if there was none what smaller ones let expect.
func TestPace(t *testing.T) {
	const s = time.Second
	type took struct {
		n    int
		time time.Duration
	}
	for _, c := range []struct {
		text  string
		known []took
		n     int
		needs time.Duration // 0: nothing is expected, and it is begun
	}{
		{"nothing is known", nil, 1 << 22, 0},
		{"its size", []took{{1024, 2 * s}}, 1024, 2 * s},
		{"the last of its size", []took{{1024, 8 * s}, {1024, 2 * s}}, 1024, 2 * s},
		{"the last of its size was quick", []took{{1024, 8 * s}, {1024, s / 5000}}, 1024, 0},
		{"a smaller one", []took{{1024, 2 * s}}, 512, 0},
		{"as long as a smaller one at least", []took{{1024, 2 * s}}, 4096, 2 * s},
		{"in proportion, since a small one was quick", []took{{16, s / 5000}, {1024, 2 * s}}, 4096, 8 * s},
		{"a greater one was quick", []took{{1024, 2 * s}, {1 << 15, s / 5000}}, 4096, 0},
		{"each takes a second, and more if it is larger", []took{{1, s}, {1025, 2 * s}, {512, 9 * s}}, 2049, 3 * s},
	} {
		p := pace{start: time.Now().Add(-99 * s / 10)}
		for _, k := range c.known {
			p.note(k.n, k.time)
		}
		require.True(t, p.fits(c.n, 10*s+c.needs+s/2), c.text)
		require.Equal(t, c.needs == 0, p.fits(c.n, 10*s+c.needs*3/4), c.text)
	}
}
