package props

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/props/internal/check"
	"gamma/props/internal/engine"
)

// TestScalarIDs: the IDs that -gamma.law knows of scalar laws are those of the laws.
func TestScalarIDs(t *testing.T) {
	ids := []model.LawID{AccModel}
	for _, l := range RoundLaws() {
		ids = append(ids, l.ID)
	}
	require.ElementsMatch(t, ids, engine.ScalarIDs)
	for _, l := range WrappingLaws() {
		if strings.HasPrefix(string(l.ID), "wrap.") {
			require.Contains(t, check.WrappingIDs, l.ID)
		}
	}
}
