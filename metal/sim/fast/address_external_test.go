package fast_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/sim/engine"
	"gamma/model"
)

// TestAddressesThatWrap stores and loads at places whose byte offset is a multiple of 1<<64, or of 1<<48: beyond the buffer, not in it.
func TestAddressesThatWrap(t *testing.T) {
	for name, body := range map[string]string{
		"index": `%%24:i64 = const %d
			%%28:i64 = convert from u32 %%%d
			%%29:i64 = add %%24, %%28
			store u32 [%%2 + i64 %%29*4], %%21`,
		"stride": `%%24:i64 = const %d
			%%28:i64 = convert from u32 %%%d
			%%29:i64 = add %%24, %%28
			store u32 [%%2 + i64 %%29*16], %%21`,
		"load": `%%24:i64 = const %d
			%%28:i64 = convert from u32 %%%d
			%%29:i64 = add %%24, %%28
			%%25:u32 = load [%%1 + i64 %%29*4]
			store u32 [%%2 + u32 %%5*4], %%25`,
		"pointer": `%%24:i64 = const %d
			%%28:i64 = convert from u32 %%%d
			%%29:i64 = add %%24, %%28
			%%25:ptr = ptr_add [%%2 + i64 %%29*4]
			store u32 [%%25], %%21`,
		"twice": `%%24:i64 = const %d
			%%28:i64 = convert from u32 %%%d
			%%29:i64 = add %%24, %%28
			%%26:i64 = const 35184372088831
			%%27:ptr = ptr_add [%%2 + i64 %%26*4]
			%%25:ptr = ptr_add [%%27 + i64 %%29*4]
			store u32 [%%25 + i64 %%26*4 + 4], %%21`,
	} {
		for _, index := range []int64{1 << 62, 1 << 46} {
			for _, lane := range []int{5, 20} { // of each thread's, and the same for all
				t.Run(fmt.Sprint(name, index, lane), func(t *testing.T) {
					p := parsed(t, kernelText(fmt.Sprintf(body, index, lane)))
					args := bound()
					d := &engine.Dispatch{Grid: model.Size3{X: 4, Y: 1, Z: 1}, Group: model.Size3{X: 4, Y: 1, Z: 1}, Args: args}
					res, err := p.Run(d, engine.Options{Checks: true})
					require.NoError(t, err)
					require.Len(t, res.Findings, 1)
					require.Equal(t, model.FindingOutOfBounds, res.Findings[0].Kind)
					require.Equal(t, make([]byte, 256), args[1].Mem.Bytes)
				})
			}
		}
	}
}
