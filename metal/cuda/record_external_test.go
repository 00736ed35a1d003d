package cuda_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gamma/metal"
	"gamma/model"
)

// record is what one test found on one GPU. It is written to GAMMA_DIR as gpu-TestName.json; the files that are kept lie below
// testdata/results, and RESULTS.md is made of them.
type record struct {
	heading
	Rows []*row `json:",omitempty"`

	mu    sync.Mutex
	start time.Time
}

// heading is what a record says of the run as a whole.
type heading struct {
	Test      string
	Card      string // and Driver: what Properties says
	Driver    string
	Behaviour string   `json:",omitempty"` // what kernels were printed for, "" for strict arithmetic
	Date      string   // of the run, UTC
	Level     string   // of GAMMA_LEVEL: quick or thorough
	Cores     int      // of the host
	Seconds   float64  // of the test
	Failed    bool     `json:",omitempty"`
	Notes     []string `json:",omitempty"`
}

// row is what was found of one shader, or of one measurement.
type row struct {
	Shader string
	Laws   int `json:",omitempty"` // that said something of it
	Cases  int `json:",omitempty"` // cases, rows of words, or points
	// Worst is the greatest error as a part of its bound, and By the law or input that gave it.
	Worst float64 `json:",omitempty"`
	By    string  `json:",omitempty"`
	// Same counts the results that have the simulator's bits, Differ those that have not, by the class of the reason.
	Same   int               `json:",omitempty"`
	Differ map[string]int    `json:",omitempty"`
	Cells  map[string]string `json:",omitempty"` // by column, of tables
	Note   string            `json:",omitempty"`

	laws map[model.LawID]bool
}

// The classes of reasons why a result differs from the simulator's.
const (
	differOrder = "order open"
)

// explained says what a class of differences comes of.
var explained = map[string]string{
	differOrder: "the claim names no order of additions, the GPU adds in one of its own, and TestCUDALaws and TestCUDARepeat hold what it gives to the bound",
}

// newRecord begins a record of a test, which is written when the test ends.
func newRecord(t testing.TB, d metal.Device) *record {
	t.Helper()
	p := d.Properties()
	r := &record{start: time.Now(), heading: heading{
		Test: t.Name(), Card: p.Name, Driver: p.Detail, Date: time.Now().UTC().Format("2006-01-02 15:04"), Level: "quick", Cores: runtime.GOMAXPROCS(0),
	}}
	if thorough() {
		r.Level = "thorough"
	}
	if b := p.Behaviour; b.Contract != 0 || b.Flush.Any() || b.Rewrites.Reassociate {
		b.Order = ""
		r.Behaviour = b.String()
	}
	t.Cleanup(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.Seconds, r.Failed = float64(time.Since(r.start).Round(10*time.Millisecond))/1e9, t.Failed()
		dir := os.Getenv("GAMMA_DIR")
		if dir == "" || p.Kind != "cuda" {
			return
		}
		if err := r.save(dir); err != nil {
			t.Error(err)
		}
	})
	return r
}

// thorough reports whether tests are to take their time.
func thorough() bool { return os.Getenv("GAMMA_LEVEL") == "thorough" }

func (r *record) save(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	slices.SortStableFunc(r.Rows, func(a, b *row) int { return strings.Compare(a.Shader, b.Shader) })
	text, err := r.text()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "gpu-"+strings.ReplaceAll(r.Test, "/", "-")+".json"), text, 0o644)
}

// text is the record as JSON, a line a row.
func (r *record) text() ([]byte, error) {
	text, err := json.MarshalIndent(&r.heading, "", " ")
	if err != nil || len(r.Rows) == 0 {
		return append(text, '\n'), err
	}
	text = append(bytes.TrimSuffix(text, []byte("\n}")), ",\n \"Rows\": ["...)
	for i, x := range r.Rows {
		one, err := json.Marshal(x)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(text, "\n  "...), one...)
	}
	return append(text, "\n ]\n}\n"...), nil
}

// on changes the row of a shader, which it makes first if there is none.
func (r *record) on(shader string, change func(*row)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, x := range r.Rows {
		if x.Shader == shader {
			change(x)
			return
		}
	}
	x := &row{Shader: shader}
	r.Rows = append(r.Rows, x)
	change(x)
}

// note adds a line to what is said of the test as a whole, and logs it.
func (r *record) note(t testing.TB, line string) {
	t.Helper()
	t.Log(line)
	r.mu.Lock()
	r.Notes = append(r.Notes, line)
	r.mu.Unlock()
}

// judged counts cases of a law, with the greatest error over its bound, on an input.
func (x *row) judged(law model.LawID, cases int, worst float64, input string) {
	if x.laws == nil {
		x.laws = map[model.LawID]bool{}
	}
	x.laws[law] = true
	x.Laws = len(x.laws)
	x.Cases += cases
	by := string(law)
	if input != "" {
		by += ", " + input
	}
	x.worst(by, worst)
}

func (x *row) worst(by string, ratio float64) {
	if ratio > x.Worst {
		x.Worst, x.By = ratio, by
	}
}

// differs counts results that have not the simulator's bits.
func (x *row) differs(class string, n int) {
	if x.Differ == nil {
		x.Differ = map[string]int{}
	}
	x.Differ[class] += n
}

// cell sets a column of a table.
func (x *row) cell(column, text string) {
	if x.Cells == nil {
		x.Cells = map[string]string{}
	}
	x.Cells[column] = text
}
