package cuda_test

import (
	"os"
	"strings"
	"testing"

	"gamma/metal/cuda"
	"gamma/model"
	"gamma/props"
	"gamma/props/device"
)

// TestCUDALaws judges every shader on the GPU by the laws of values that judge it on the simulator. What the simulator's checkers find,
// and what it finds in orders that are drawn, is left to it.
func TestCUDALaws(t *testing.T) {
	dev := open(t, cuda.Options{})
	t.Log(dev.Found())
	cases := 40
	if os.Getenv("GAMMA_LEVEL") == "thorough" {
		cases = 1000
	}
	total, laws := 0, 0
	// law runs one law on one subject; an error is a law that says nothing about it.
	law := func(t *testing.T, id model.LawID, find func() (report string, judged int, err error)) {
		t.Helper()
		if strings.HasPrefix(string(id), "kernel.") {
			return
		}
		report, judged, err := find()
		switch {
		case err != nil && strings.Contains(err.Error(), "says nothing about"):
			return
		case err != nil:
			t.Error(err)
		case report != "":
			t.Error("\n" + report)
		}
		total += judged
		laws++
	}
	for _, s := range device.Subjects(dev) {
		name := ""
		switch s := s.(type) {
		case props.Reduction:
			name = s.Name
		case props.Dot:
			name = s.Name
		}
		t.Run(name, func(t *testing.T) {
			for _, l := range props.Laws() {
				law(t, l.ID, func() (string, int, error) {
					c, judged, _, err := props.Search(l, s, cases)
					if c == nil || err != nil {
						return "", judged, err
					}
					f, err := props.Examine(l, s, c)
					if err != nil {
						return "", judged, err
					}
					return f.Text(), judged, nil
				})
			}
		})
	}
	for _, o := range device.Operations(dev) {
		t.Run(o.Name, func(t *testing.T) {
			for _, l := range props.WordLaws() {
				law(t, l.ID, func() (string, int, error) {
					f, judged, err := props.FindWord(l, o, 100*cases)
					if f == nil {
						return "", judged, err
					}
					return f.Text(), judged, err
				})
			}
		})
	}
	for _, m := range device.Modulars(dev) {
		t.Run(m.Name, func(t *testing.T) {
			for _, l := range props.ModularLaws() {
				law(t, l.ID, func() (string, int, error) {
					f, judged, err := props.FindModular(l, m, 100*cases)
					if f == nil {
						return "", judged, err
					}
					return f.Text(), judged, err
				})
			}
		})
	}
	for _, n := range device.NTTs(dev) {
		t.Run(n.Name, func(t *testing.T) {
			for _, l := range props.NTTLaws() {
				law(t, l.ID, func() (string, int, error) {
					f, judged, err := props.FindNTT(l, n, cases)
					if f == nil {
						return "", judged, err
					}
					return f.Text(), judged, err
				})
			}
		})
	}
	t.Logf("%d laws on shaders, %d cases and rows judged", laws, total)
}
