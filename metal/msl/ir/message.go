package ir

import (
	"fmt"
	"math"
	"strings"
)

// verbs end the conversions of a Note's text.
const verbs = "duxXocfFeEgGaA"

// Verbs returns the parts of the text of a Note: each but the last ends with a verb, a conversion of one value as printf has it.
// The verbs are d for signed integers, u, x, X, o for unsigned ones and c for a character, each as 64 bits, and f, F, e, E, g, G, a, A for the
// bits of a binary32; %% is a percent sign.
func Verbs(text string) []string {
	var parts []string
	from := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		if i+1 < len(text) && text[i+1] == '%' {
			i++
			continue
		}
		end := strings.IndexAny(text[i:], verbs)
		if end < 0 {
			break // no verb
		}
		i += end
		parts = append(parts, text[from:i+1])
		from = i + 1
	}
	return append(parts, text[from:])
}

// Message returns what in, an Assert or a Note whose operands have these values, says.
func (k *Kernel) Message(in *Instr, values [4]uint64) string {
	text := k.Texts[in.Imm]
	if in.Op == Assert {
		return "the assertion " + text + " does not hold"
	}
	var s strings.Builder
	parts := Verbs(text)
	last := min(len(parts)-1, len(values))
	for i, part := range parts[:last] {
		at, verb := strings.LastIndexByte(part, '%'), len(part)-1
		s.WriteString(plain(part[:at]))
		s.WriteString(conversion(part[at:verb], part[verb], values[i]))
	}
	s.WriteString(plain(parts[last]))
	return s.String()
}

func plain(text string) string { return strings.ReplaceAll(text, "%%", "%") }

// conversion is one value; flags are the verb's with the percent sign.
func conversion(flags string, verb byte, v uint64) string {
	switch verb {
	case 'd':
		return fmt.Sprintf(flags+"d", int64(v))
	case 'u':
		return fmt.Sprintf(flags+"d", v)
	case 'x', 'X', 'o':
		return fmt.Sprintf(flags+string(verb), v)
	case 'c':
		return fmt.Sprintf(flags+"c", rune(byte(v)))
	}
	f := float64(math.Float32frombits(uint32(v)))
	switch {
	case verb == 'a':
		verb = 'x'
	case verb == 'A':
		verb = 'X'
	case (verb == 'g' || verb == 'G') && !strings.Contains(flags, "."):
		flags += ".6"
	}
	return fmt.Sprintf(flags+string(verb), f)
}
