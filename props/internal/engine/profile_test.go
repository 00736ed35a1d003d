package engine

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/props/internal/verdict"
)

// TestSpreadOf: each ratio is counted by its power of two, whatever it is.
func TestSpreadOf(t *testing.T) {
	for _, row := range []struct {
		ratio float64
		want  int
	}{
		{0, 0},
		{math.NaN(), 0},
		{1, 1},
		{1 + 0x1p-52, 1},
		{math.Inf(1), 1},
		{1 - 0x1p-53, 1},
		{0.5, 1},
		{math.Nextafter(0.5, 0), 2},
		{0.25, 2},
		{0x1p-39, 39},
		{math.Nextafter(0x1p-39, 0), 40},
		{0x1p-1074, 40},
	} {
		require.Equal(t, row.want, spreadOf(row.ratio), "%v", row.ratio)
	}
}

// drawnProfiles makes profiles of the same law: each of some inputs that hold.
func drawnProfiles(rng *rand.Rand, parts int) (all *LawStats, list []*LawStats) {
	all = &LawStats{}
	for range parts {
		list = append(list, &LawStats{})
	}
	for range 400 {
		n, ratio := rng.IntN(1<<rng.IntN(12)), float64(rng.IntN(9))/8
		v := verdict.Held("b", ratio)
		r := Reach{Unit: "u", Error: ratio * float64(n)}
		r.Bound("b", float64(n))
		r.Bound("c", math.Inf(1))
		for _, s := range []*LawStats{all, list[rng.IntN(parts)]} {
			s.Add(&v, "", n)
			s.Reached(n, &r)
		}
	}
	return all, list
}

// TestProfilesMerge: parts of a search, merged in any order, have the profile of the whole, on file, too.
func TestProfilesMerge(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 18))
		all, list := drawnProfiles(rng, 1+rng.IntN(5))
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		merged, read := &Profile{}, &Profile{}
		for _, s := range list {
			if s.Profile == nil {
				continue
			}
			merged.Merge(s.Profile)
			text, err := json.Marshal(s.Profile)
			require.NoError(t, err)
			part := &Profile{}
			require.NoError(t, json.Unmarshal(text, part))
			read.Merge(part)
		}
		require.Equal(t, all.Profile, merged, "seed %d", seed)
		want, err := json.Marshal(all.Profile)
		require.NoError(t, err)
		got, err := json.Marshal(read)
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(got))
		cases := 0
		for _, n := range merged.Spread {
			cases += n
		}
		require.Equal(t, all.Holds, cases)
	}
}

// TestProfileOfRows: of a batch each row is counted, and a law without a bound has no profile.
func TestProfileOfRows(t *testing.T) {
	var rows RowTally
	st := &LawStats{}
	for range 2 {
		rows.Begin()
		worst := verdict.Held("b", 0.75)
		none, half := verdict.Held("b", 0), verdict.Held("b", 0.3)
		rows.See(&none, 7)
		rows.See(&worst, 1)
		rows.See(&half, 1)
		rows.Into(st, &worst, "", 9)
	}
	require.Equal(t, &Profile{Spread: []int{14, 2, 2}}, st.Profile)
	bare := &LawStats{}
	v := verdict.Held("", 0)
	bare.Add(&v, "", 3)
	require.Nil(t, bare.Profile)
}

// twin is a failure with a JSON twin.
type twin struct{ Failure }

func (twin) JSON() ([]byte, error) { return []byte(`{"subject":"s","command":"go test"}`), nil }

// TestLinesOfSummary: the first line of a subject says what it promises, and that of a violated law has its report.
func TestLinesOfSummary(t *testing.T) {
	s := &SubjectSummary{Subject: "s", Promise: Promise{Claim: "c", Tree: "left"}, Laws: []*LawStats{{Law: "a"}, {Law: "b", Violations: 1, Failure: twin{}}}}
	text, err := s.inJSON()
	require.NoError(t, err)
	var lines []map[string]any
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		one := map[string]any{}
		require.NoError(t, json.Unmarshal([]byte(line), &one))
		lines = append(lines, one)
	}
	require.Len(t, lines, 2)
	require.Equal(t, map[string]any{"claim": "c", "tree": "left"}, lines[0]["promise"])
	require.NotContains(t, lines[0], "failures")
	require.NotContains(t, lines[1], "promise")
	require.Equal(t, []any{map[string]any{"subject": "s", "command": "go test"}}, lines[1]["failures"])
	require.Equal(t, "b", lines[1]["law"])
}
