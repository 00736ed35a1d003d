package engine

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gamma/props/internal/report"
)

// Measure is a sentence of what a kind has to say of all inputs together, with the numbers in it apart, so that those of other inputs are added to them: in
// Text, {n} stands for the next of Sums, {n noun} for that number of nouns, and {x} for the next of Tops.
type Measure struct {
	Text string    `json:"text"`
	Sums []int     `json:"sums,omitempty"` // are added
	Tops []float64 `json:"tops,omitempty"` // of each the largest is kept, cut off after four digits
}

// placed are the places of numbers in a text.
var placed = regexp.MustCompile(`\{(?:x|n(?: [a-z ]+)?)\}`)

// String returns the sentence.
func (m *Measure) String() string {
	sums, tops := m.Sums, m.Tops
	return placed.ReplaceAllStringFunc(m.Text, func(place string) (text string) {
		noun, sum := strings.CutPrefix(place[:len(place)-1], "{n")
		switch {
		case sum && len(sums) > 0:
			if text = strconv.Itoa(sums[0]); noun != "" {
				text = report.Plural(sums[0], noun[1:])
			}
			sums = sums[1:]
			return text
		case !sum && len(tops) > 0:
			text = strconv.FormatFloat(tops[0], 'g', -1, 64)
			tops = tops[1:]
			return text
		}
		return place
	})
}

// check says what is wrong with a measure that a line has.
func (m *Measure) check() error {
	sums, tops := 0, 0
	for _, place := range placed.FindAllString(m.Text, -1) {
		if place == "{x}" {
			tops++
		} else {
			sums++
		}
	}
	if sums != len(m.Sums) || tops != len(m.Tops) {
		return fmt.Errorf("measure %q has %d and %d numbers", m.Text, len(m.Sums), len(m.Tops))
	}
	for _, n := range m.Sums {
		if n < 0 || n > mostCounted {
			return fmt.Errorf("measure %q has the count %d", m.Text, n)
		}
	}
	return nil
}

// Measure notes numbers of a sentence: see Measure. Each text has one number of them.
func (s *LawStats) Measure(text string, sums []int, tops ...float64) {
	m := Measure{text, sums, slices.Clone(tops)}
	for i, x := range m.Tops {
		m.Tops[i] = cutOff(x)
	}
	s.measure(&m)
}

// cutOff returns x > 0 with four digits, the rest cut off, so that what was reached is no less, and what lies below a bound does not round to it; of all else 0.
func cutOff(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	digits, exp, _ := strings.Cut(strconv.FormatFloat(min(x, math.MaxFloat64), 'e', -1, 64), "e")
	x, _ = strconv.ParseFloat(digits[:min(len(digits), len("1.234"))]+"e"+exp, 64)
	return x
}

// measure adds what other inputs gave; the order of measures does not depend on that in which they are added.
func (s *LawStats) measure(m *Measure) {
	i, known := slices.BinarySearchFunc(s.Measures, m.Text, func(m Measure, text string) int {
		return cmp.Or(cmp.Compare(len(m.Text), len(text)), strings.Compare(m.Text, text)) // stage 2 comes before stage 10
	})
	if !known {
		s.Measures = slices.Insert(s.Measures, i, Measure{m.Text, slices.Clone(m.Sums), slices.Clone(m.Tops)})
		return
	}
	of := &s.Measures[i]
	for k := range of.Sums {
		of.Sums[k] += m.Sums[k]
	}
	for k := range of.Tops {
		of.Tops[k] = max(of.Tops[k], m.Tops[k])
	}
}

// Remark notes a sentence without a number of other inputs, once.
func (s *LawStats) Remark(text string) {
	if i, known := slices.BinarySearch(s.Remarks, text); !known {
		s.Remarks = slices.Insert(s.Remarks, i, text)
	}
}

// sentences returns what there is to say of all inputs together.
func (s *LawStats) sentences() []string {
	list := slices.Clip(s.Remarks)
	for i := range s.Measures {
		list = append(list, s.Measures[i].String())
	}
	if n := s.LeftOutLate; n > 0 {
		list = append(list, fmt.Sprintf("%s of up to %d elements not begun: by what those before took, they would have ended after the time was over", report.Plural(n, "input"), s.LateN))
	}
	return list
}
