package props

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
)

// TestScalarIDs: the IDs that -gamma.law knows of scalar laws are those of the laws.
func TestScalarIDs(t *testing.T) {
	ids := []model.LawID{AccModel}
	for _, l := range RoundLaws() {
		ids = append(ids, l.ID)
	}
	require.ElementsMatch(t, ids, scalarIDs)
}
