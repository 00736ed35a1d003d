package merge

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/props/internal/engine"
)

// The decoder reads what encoding/json reads, or leaves it alone.
func TestDecoderReadsLines(t *testing.T) {
	d := newDecoder()
	for text, reads := range map[string]bool{
		`{"v":1,"kind":"block","run":"r","test":"T/k","device":"cpu","block":3,"seed":18446744073709551615,"law":"sum.a","subject":"k","replayed":1,"cases":2,"holds":3,"vacuous":4,` +
			`"violations":5,"beyond":6,"max_ratio":0.9999999999999991,"max_bound":"(1+v)^h-1","max_family":"f","max_n":7,"decided":{"a":1,"b":2},"left_out":{"c":3},"vacuous_reasons":{"d":4},` +
			`"seconds":1.5,"drawn_harder":8,"may_overflow":9,"refused":10,"unclaimed":11,"enough":12,"attacks":13,"attack_ratio":0.25,"anomalies":14,"differ":15}`: true,
		`{"v":1,"kind":"block","law":"sum.a","decided":{}}`: false,
		`{"law":"a\"b"}`:              false,
		`{"law":"a","remarks":["x"]}`: false,
		`{"law":"a","measures":[{"text":"{n lane}, {x}","sums":[1],"tops":[0.5]},{"text":"x"}],"cases":1}`:                                                                                              true,
		`{"law":"a","profile":{"spread":[1,2],"bands":[{"n":0,"cases":3,"ratio":0.25},{"n":2,"cases":4,"ratio":1e-05,"error":1.5,"at":3,"limits":{"(1+u)^h-1":2.5,"b":3}}],"unit":"u·Σ|x|"},"cases":1}`: true,
		`{"law":"a","profile":{}}`:                            false,
		`{"law":"a","profile":{"bands":[{"n":0,"depth":1}]}}`: false,
		`{"law":"a","measures":[{"text":"x","sums":[]}]}`:     false,
		`{"law":"a","measures":[{"text":"x","sums":[1]}`:      false,
		`{"law":"a","cases":-1}`:                              false,
		`{"law":"a","cases":99999999999999999999}`:            false,
		`{"law":"a","cases":1`:                                false,
		`{"law":"a","cases":1}}`:                              false,
		`{"law":"a","decided":{"x":1}`:                        false,
		`{"law":"a" "cases":1}`:                               false,
		`{"law":"","cases":1}`:                                false,
		`{"law":"a","max_ratio":x}`:                           false,
		`{}`:                                                  false, ``: false, `[]`: false, `{"law`: false, `{"law":`: false,
	} {
		b, ok := d.read([]byte(text))
		require.Equal(t, reads, ok, text)
		if !ok {
			continue
		}
		var want engine.Block
		require.NoError(t, json.Unmarshal([]byte(text), &want))
		require.NoError(t, want.Unpack())
		b.Tally = b.LawStats.Tally
		got, err := json.Marshal(b)
		require.NoError(t, err)
		wanted, err := json.Marshal(&want)
		require.NoError(t, err)
		require.Equal(t, string(wanted), string(got))
	}
}
