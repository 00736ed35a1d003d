package merge

import (
	"bytes"
	"hash/maphash"
	"math/bits"
	"strconv"

	"gamma/model"
	"gamma/props/internal/engine"
)

// decoder reads lines of blocks of one law into memory that it keeps, some twenty times as fast as encoding/json does. It reads what engine.Ledger writes;
// what it does not know, it leaves to encoding/json.
type decoder struct {
	block   engine.Block
	stats   engine.LawStats
	strings map[string]string
	maps    [3]map[string]int // of the last block, to be used again
	rest    []byte
	ok      bool
}

func newDecoder() *decoder {
	d := &decoder{strings: map[string]string{}}
	for i := range d.maps {
		d.maps[i] = map[string]int{}
	}
	return d
}

// read returns the block of a line, valid until the next, or ok = false.
func (d *decoder) read(line []byte) (b *engine.Block, ok bool) {
	s := &d.stats
	d.block, d.stats, d.rest, d.ok = engine.Block{}, engine.LawStats{}, line, true
	d.block.LawStats = s
	for sep := byte('{'); d.ok && d.take(sep); sep = ',' {
		key := d.text()
		if !d.take(':') {
			break
		}
		d.field(key)
	}
	return &d.block, d.ok && string(bytes.TrimSpace(d.rest)) == "}" && s.Law != ""
}

// field reads a value.
func (d *decoder) field(key []byte) {
	b, s := &d.block, &d.stats
	switch string(key) {
	case "v":
		b.Version = d.number()
	case "kind":
		b.Kind = d.name()
	case "run":
		b.Run = d.name()
	case "test":
		b.Test = d.name()
	case "device":
		b.Device = d.name()
	case "block":
		b.Number = d.number()
	case "seed":
		b.Seed, d.ok = unsigned(d.token())
	case "law":
		s.Law = model.LawID(d.name())
	case "subject":
		s.Subject = d.name()
	case "replayed":
		s.Replayed = d.number()
	case "cases":
		s.Cases = d.number()
	case "holds":
		s.Holds = d.number()
	case "vacuous":
		s.Vacuous = d.number()
	case "violations":
		s.Violations = d.number()
	case "beyond":
		s.Beyond = d.number()
	case "attacks":
		s.Attacks = d.number()
	case "attack_ratio":
		s.AttackRatio = d.float()
	case "anomalies":
		s.Anomalies = d.number()
	case "differ":
		s.Differ = d.number()
	case "max_ratio":
		s.MaxRatio = d.float()
	case "max_bound":
		s.MaxBound = d.name()
	case "max_family":
		s.MaxFamily = d.name()
	case "max_n":
		s.MaxN = d.number()
	case "decided":
		s.Decided = d.counts(0)
	case "left_out":
		s.LeftOut = d.counts(1)
	case "vacuous_reasons":
		s.Reasons = d.counts(2)
	case "seconds":
		s.Seconds = d.float()
	case "drawn_harder":
		s.Harder = d.number()
	case "may_overflow":
		s.Overflows = d.number()
	case "refused":
		s.Refusals = d.number()
	case "unclaimed":
		s.Unclaimed = d.number()
	case "enough":
		s.Enough = d.number()
	case "profile":
		s.Profile = d.profile()
	case "measures":
		d.list(func() { s.Measures = append(s.Measures, d.measure()) })
	default:
		d.ok = false
	}
}

// take reads one byte that has to come.
func (d *decoder) take(c byte) bool {
	if len(d.rest) == 0 || d.rest[0] != c {
		return false
	}
	d.rest = d.rest[1:]
	return true
}

// text reads a text without escapes.
func (d *decoder) text() []byte {
	if !d.take('"') {
		d.ok = false
		return nil
	}
	i := bytes.IndexByte(d.rest, '"')
	if i < 0 || bytes.IndexByte(d.rest[:i], '\\') >= 0 {
		d.ok = false
		return nil
	}
	text := d.rest[:i]
	d.rest = d.rest[i+1:]
	return text
}

// name reads a text, of which there is one copy.
func (d *decoder) name() string {
	text := d.text()
	if s, ok := d.strings[string(text)]; ok {
		return s
	}
	s := string(text)
	if len(d.strings) < 1<<16 {
		d.strings[s] = s
	}
	return s
}

// token reads a number as it is written.
func (d *decoder) token() []byte {
	i := 0
	for i < len(d.rest) && d.rest[i] != ',' && d.rest[i] != '}' && d.rest[i] != ']' {
		i++
	}
	text := d.rest[:i]
	d.rest = d.rest[i:]
	return text
}

// unsigned reads an integer that is not negative.
func unsigned(text []byte) (n uint64, ok bool) {
	for _, c := range text {
		hi, lo := bits.Mul64(n, 10)
		if c < '0' || c > '9' || hi != 0 || lo+uint64(c-'0') < lo {
			return 0, false
		}
		n = lo + uint64(c-'0')
	}
	return n, len(text) > 0
}

// number reads an integer.
func (d *decoder) number() int {
	n, ok := unsigned(d.token())
	d.ok = d.ok && ok && n < 1<<62
	return int(n)
}

// float reads a number.
func (d *decoder) float() float64 {
	x, err := strconv.ParseFloat(string(d.token()), 64)
	d.ok = d.ok && err == nil
	return x
}

// counts reads counts by name.
func (d *decoder) counts(k int) map[string]int {
	m := d.maps[k]
	clear(m)
	for sep := byte('{'); d.ok && d.take(sep); sep = ',' {
		name := d.name()
		d.ok = d.ok && d.take(':')
		m[name] = d.number()
	}
	d.ok = d.ok && d.take('}')
	return m
}

// list reads a list of one element or more.
func (d *decoder) list(element func()) {
	for sep := byte('['); d.ok && d.take(sep); sep = ',' {
		element()
	}
	d.ok = d.ok && d.take(']')
}

// object reads an object, value the value of each key.
func (d *decoder) object(value func(key string)) {
	for sep := byte('{'); d.ok && d.take(sep); sep = ',' {
		key := d.name()
		if d.ok = d.ok && d.take(':'); d.ok {
			value(key)
		}
	}
	d.ok = d.ok && d.take('}')
}

// measure reads a measure.
func (d *decoder) measure() (m engine.Measure) {
	d.object(func(key string) {
		switch key {
		case "text":
			m.Text = d.name()
		case "sums":
			d.list(func() { m.Sums = append(m.Sums, d.number()) })
		case "tops":
			d.list(func() { m.Tops = append(m.Tops, d.float()) })
		default:
			d.ok = false
		}
	})
	return m
}

// profile reads a profile.
func (d *decoder) profile() *engine.Profile {
	var p engine.Profile
	d.object(func(key string) {
		switch key {
		case "spread":
			d.list(func() { p.Spread = append(p.Spread, d.number()) })
		case "bands":
			d.list(func() { p.Bands = append(p.Bands, d.band()) })
		case "unit":
			p.Unit = d.name()
		default:
			d.ok = false
		}
	})
	return &p
}

// band reads a band of a profile.
func (d *decoder) band() (b engine.Band) {
	d.object(func(key string) {
		switch key {
		case "n":
			b.N = d.number()
		case "cases":
			b.Cases = d.number()
		case "ratio":
			b.Ratio = engine.Drawn(d.float())
		case "error":
			b.Error = engine.Drawn(d.float())
		case "at":
			b.At = d.number()
		case "limits":
			b.Limits = map[string]engine.Drawn{}
			d.object(func(name string) { b.Limits[name] = engine.Drawn(d.float()) })
		default:
			d.ok = false
		}
	})
	return b
}

var hashing = maphash.MakeSeed()

// sumOf returns a hash of what a block says, as engine.Block.Equal compares it, from its line where that is of one law.
func sumOf(b *engine.Block, line []byte) uint64 {
	if b.Law == "" {
		return b.Sum()
	}
	if len(b.Failures) > 0 {
		if i := bytes.Index(line, []byte(`,"failures":[`)); i >= 0 {
			line = line[:i]
		}
	}
	line = bytes.TrimRight(line, "}\n")
	before, after, _ := bytes.Cut(line, []byte(`,"seconds":`))
	_, after, _ = bytes.Cut(after, []byte{','})
	return bits.RotateLeft64(maphash.Bytes(hashing, before), 1) ^ maphash.Bytes(hashing, after)
}
