package oracle

import (
	"bytes"
	"encoding/gob"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDyadicPassesBetweenProcesses(t *testing.T) {
	for _, d := range []Dyadic{{}, FromInt(1), FromInt(-12), FromFloat64(-0x1.fp-1070), FromFloat64(0x1p1000)} {
		var b bytes.Buffer
		require.NoError(t, gob.NewEncoder(&b).Encode(struct{ D Dyadic }{d}))
		var got struct{ D Dyadic }
		require.NoError(t, gob.NewDecoder(&b).Decode(&got))
		require.Zero(t, d.Cmp(got.D), "%s became %s", d, got.D)
	}
	require.Error(t, new(Dyadic).GobDecode(nil))
}
