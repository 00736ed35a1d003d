package page

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"gamma/props/internal/engine"
	"gamma/props/internal/lines"
)

// Failure is the report of a failure: what all kinds have in common, and the rest as facts.
type Failure struct {
	engine.JSONViolation
	Cause string
	Case  string // in the format of case files
	Facts []Fact
}

// Fact is one thing that a report says.
type Fact struct{ Name, Text string }

// Digits reports whether a fact has numbers by their digits, which stand below each other where all characters are as wide.
func (f Fact) Digits() bool {
	return strings.Contains(f.Text, "0x") || strings.Contains(f.Text, "nan:") || strings.IndexFunc(f.Text, unicode.IsLetter) < 0
}

// witnessFirst is the order of facts that most kinds have; others follow by name.
var witnessFirst = []string{
	"op", "function", "format", "bits", "n", "rows", "row", "formula", "modulus", "got", "computed", "expected", "want", "exact", "error", "limit", "bound", "bound_part", "ratio", "operands",
	"leaves", "inputs", "sizes", "length", "others", "hint", "observed", "schedule_note", "arithmetic",
}

// inputFacts are short, and stand on one line.
var inputFacts = []string{"op", "function", "format", "bits", "n", "rows", "row"}

// notShown are facts that are for programs.
var notShown = []string{"cause_kind", "oracle_confirmed", "evals", "exhausted", "original_n"}

// factNames are those that the page has other words for.
var factNames = map[string]string{"ratio": "error/bound"}

// maxItems is how many elements of a list are shown, and maxFact how many characters of a fact.
const (
	maxItems = 8
	maxFact  = 600
)

// readFailure reads a line of failures.jsonl.
func readFailure(text []byte) (*Failure, error) {
	f := &Failure{}
	all := map[string]any{}
	digits := json.NewDecoder(bytes.NewReader(text))
	digits.UseNumber()
	if err := (lines.Line{Text: text}).Decode(&f.JSONViolation); err != nil {
		return nil, err
	}
	if err := digits.Decode(&all); err != nil {
		return nil, err
	}
	for field := range reflect.TypeFor[engine.JSONViolation]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		delete(all, name)
	}
	maps.DeleteFunc(all, func(name string, _ any) bool { return slices.Contains(notShown, name) })
	f.Cause, _ = all["cause"].(string)
	f.Case, _ = all["case"].(string)
	delete(all, "cause")
	delete(all, "case")
	place := func(name string) int {
		if i := slices.Index(witnessFirst, name); i >= 0 {
			return i
		}
		return len(witnessFirst)
	}
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
	})
	var input []string
	for _, name := range names {
		if text := factText(all[name]); slices.Contains(inputFacts, name) {
			if text != "" && text != "0" && (name != "rows" || text != "1") {
				input = append(input, name+" "+text)
			}
			continue
		}
		if text := shortened(factText(all[name])); text != "" {
			f.Facts = append(f.Facts, Fact{cmp.Or(factNames[name], strings.ReplaceAll(name, "_", " ")), text})
		}
	}
	if len(input) > 0 {
		f.Facts = slices.Insert(f.Facts, 0, Fact{"input", strings.Join(input, ", ")})
	}
	return f, nil
}

// factText writes a value of JSON in words: a number of a report by its digits, a list element after element.
func factText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		if v {
			return "yes"
		}
		return ""
	case []any:
		var parts []string
		for i, x := range v {
			if i == maxItems {
				parts = append(parts, fmt.Sprintf("… %d more", len(v)-i))
				break
			}
			parts = append(parts, factText(x))
		}
		return strings.Join(parts, "\n")
	case map[string]any:
		switch {
		case v["leaf"] != nil:
			return leafText(v)
		case v["elements"] != nil:
			return arrayText(v)
		}
		if hex, ok := v["hex"].(string); ok {
			text := hex
			for _, name := range []string{"decimal", "bits"} {
				if more, ok := v[name].(string); ok && more != "" && more != hex {
					text += "  " + more
				}
			}
			if name, ok := v["name"].(string); ok {
				text = name + "  " + text
			}
			return text
		}
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if text := factText(v[name]); text != "" {
				parts = append(parts, strings.ReplaceAll(name, "_", " ")+" "+strings.ReplaceAll(text, "\n", ", "))
			}
		}
		return strings.Join(parts, "; ")
	}
	return fmt.Sprint(v)
}

// leafText writes an element of a sum, or a pair of factors, and after it what is known of it.
func leafText(v map[string]any) string {
	var parts []string
	for _, name := range []string{"x", "y"} {
		if text := factText(v[name]); text != "" {
			parts = append(parts, fmt.Sprintf("%s[%s] %s", name, factText(v["leaf"]), text))
		}
	}
	for _, note := range []string{"value", "place"} {
		parts = append(parts, factText(v[note]))
	}
	if note := factText(v["y_note"]); note != "" && note != factText(v["value"]) {
		parts = append(parts, "of y: "+note)
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// arrayText writes an input of a formula.
func arrayText(v map[string]any) string {
	axes := strings.ReplaceAll(factText(v["axes"]), "\n", ", ")
	return fmt.Sprintf("%s[%s] %s: %s", factText(v["name"]), axes, factText(v["type"]), strings.ReplaceAll(factText(v["elements"]), "\n", ", "))
}

// shortened cuts a text that is too long.
func shortened(s string) string {
	if r := []rune(s); len(r) > maxFact {
		return string(r[:maxFact]) + fmt.Sprintf(" … (%d more characters)", len(r)-maxFact)
	}
	return s
}
