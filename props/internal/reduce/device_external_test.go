package reduce_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/reduce"
	"gamma/props/internal/verdict"
)

// list is an input of so many elements, and what it runs under.
type list struct {
	at verdict.Setting
	n  int
}

type lists struct{}

func (lists) Setting(in list) (verdict.Setting, int) { return in.at, in.n }

func (lists) Under(in list, at verdict.Setting) list { return list{at, in.n} }

func (lists) Record(b []byte, in list) []byte { return fmt.Append(b, in.n) }

// TestSettingsStayThoseOfTheDevice: no input is evaluated under a behaviour or launch that the subject does not admit for its length.
func TestSettingsStayThoseOfTheDevice(t *testing.T) {
	in := list{n: 40, at: verdict.Setting{Behaviour: model.Behaviour{Contract: model.ContractFast, Order: "stages", Seed: 99}, Launch: model.Launch1D(10, 4)}}
	declared := func(n int) []model.Launch {
		return []model.Launch{model.Launch1D((n+7)/8, 8), model.Launch1D((n+3)/4, 4), model.Launch1D(max((n+1)/2, 1), 2)}
	}
	for name, tt := range map[string]struct {
		device engine.DeviceClaim
		want   verdict.Setting
	}{
		"simulator": {engine.DeviceClaim{Launches: declared, Admits: model.Behaviour{Contract: model.ContractFast, Order: "stages"}}, verdict.Setting{Launch: model.Launch1D(3, 2)}},
		"hardware": {
			engine.DeviceClaim{Launches: declared, Hardware: true, Admits: model.Behaviour{Contract: model.ContractFast}},
			verdict.Setting{Behaviour: in.at.Behaviour, Launch: model.Launch1D(3, 2)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := reduce.New(in, lists{}, func(in list) bool {
				require.NoError(t, tt.device.Accepts(in.n, in.at))
				return in.n >= 6
			}, reduce.Options[list]{Device: &tt.device})
			got, s := r.Run(func() {
				r.Until(func() { // an element less
					r.Try(list{r.Cur.at, r.Cur.n - 1})
				})
				r.Plain()
			})
			require.True(t, s.Reproduced)
			require.Equal(t, 6, got.n)
			require.Equal(t, tt.want, got.at)
		})
	}
}
