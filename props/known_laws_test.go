package props

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/judge"
)

// TestLawsAreKnown: -gamma.law knows the laws of every kind, and no others.
func TestLawsAreKnown(t *testing.T) {
	ids := slices.Concat([]model.LawID{model.AccModel}, idsOf(judge.Laws()), idsOf(judge.WordLaws()), idsOf(judge.ModularLaws()), idsOf(judge.NTTLaws()), idsOf(RoundLaws()), idsOf(judge.WrappingLaws()), idsOf(judge.FormulaLaws()), idsOf(judge.FFTLaws()))
	require.Greater(t, len(ids), 100)
	for _, id := range ids {
		require.True(t, engine.LawBegins(string(id)), id)
	}
	require.False(t, engine.LawBegins("sum.no"))
}

func idsOf[J, C any](list []LawOf[J, C]) (ids []model.LawID) {
	for _, l := range list {
		ids = append(ids, l.ID)
	}
	return ids
}

// TestCoveredNames: what a law covers is no law, and -gamma.law says which one judges it.
func TestCoveredNames(t *testing.T) {
	names := engine.CoveredNames()
	require.NotEmpty(t, names)
	for i, c := range names {
		require.False(t, engine.LawBegins(c.Name), c.Name)
		require.True(t, engine.LawBegins(string(c.Law)), c.Law)
		require.Contains(t, engine.NoSuchLaw(c.Name), "law "+string(c.Law)+" judges it")
		require.True(t, i == 0 || names[i-1].Name < c.Name, "%s has two laws", c.Name)
	}
	require.NotContains(t, engine.NoSuchLaw("fft.im"), "judges it")
}
