package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
)

// TestShares: searches of which half need next to nothing leave their time to the others, whatever their order, and the whole is as long as it may be.
func TestShares(t *testing.T) {
	const n, total = 40, 400 * time.Millisecond
	p := pool{read: true, expected: n}
	var long []time.Duration
	start := time.Now()
	for k := range n {
		share, end := p.begin(total, time.Hour)
		if k%2 == 0 {
			long = append(long, share)
			time.Sleep(share)
		}
		end()
	}
	require.InDelta(t, total.Seconds(), time.Since(start).Seconds(), 0.5*total.Seconds())
	require.GreaterOrEqual(t, long[0], total/n)
	require.Greater(t, long[len(long)-1], 2*long[0], "the last gets what others left")

	share, _ := (&pool{read: true}).begin(total, time.Hour)
	require.Equal(t, total/leastRest, share)
	share, _ = (&pool{read: true, announced: 30, begun: 10}).begin(total, time.Hour)
	require.Equal(t, total/40, share, "as many are expected of tests to come")
	for _, c := range []struct {
		tests  int
		looped bool
		rest   time.Duration
		why    string
	}{
		{6, false, 70, "ten of this test, and fifteen of each of four to come"},
		{2, false, 10, "no test is to come"},
		{1, false, 10, "a test whose source was not found"},
		{2, true, 80, "seven subjects more, of ten each"},
		{0, false, 20, "nothing is known of the tests"},
	} {
		names := map[string]bool{"TestA": true, "TestB": true}
		share, _ = (&pool{read: true, announced: 30, begun: 20, subjects: 3, names: names, tests: c.tests, looped: c.looped}).begin(total, time.Hour)
		require.Equal(t, total/c.rest, share, c.why)
	}
	share, _ = (&pool{read: true, expected: 1}).begin(total, time.Millisecond)
	require.Equal(t, time.Millisecond, share, "more than the budget of a law")
	share, _ = (&pool{read: true, expected: 1, spent: time.Hour}).begin(total, time.Hour)
	require.Equal(t, leastShare, share)
	share, _ = (&pool{}).begin(0, time.Hour)
	require.Equal(t, time.Hour, share, "there is no total")
}

// TestSharesTogether: two searches at a time get twice as much each.
func TestSharesTogether(t *testing.T) {
	p := pool{read: true, expected: 100}
	one, _ := p.begin(time.Second, time.Hour)
	two, _ := p.begin(time.Second, time.Hour)
	require.Greater(t, two, one+one/2)
}

// TestSearchesAreKept: a run knows how many searches the last one of the same tests had, and a file that is spoilt says nothing.
func TestSearchesAreKept(t *testing.T) {
	t.Setenv(OptDir.Env(), t.TempDir())
	dir, err := RunDir()
	require.NoError(t, err)
	require.NoError(t, (&pool{begun: 7}).keep(dir))
	require.Equal(t, 7, readSearches()[searchesKey()])
	t.Setenv(OptLaw.Env(), "sum.")
	require.Zero(t, readSearches()[searchesKey()])
	require.NoError(t, corpus.WriteFile(dir+"/"+searchesFile, []byte("{")))
	require.Empty(t, readSearches())
}
