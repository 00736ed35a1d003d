package word

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Parse reads a program. Statements are separated by semicolons or line ends:
//
//	func(xh, xl, y)
//	sh, sl = TwoSum(xh, y)
//	v = xl + sl
//	zh, zl = FastTwoSum(sh, v)
//	return zh, zl
//
// An expression has + - * / with their usual precedence, signs, parentheses, fma(a, b, c), sqrt(a), the constant 1, the constant
// splitter, 2^ceil(p/2)+1, and calls of the programs that lookup knows, each of which stands for its steps. lookup may be nil.
func Parse(src string, lookup func(name string) *Program) (*Program, error) {
	r := &reader{lookup: lookup, names: map[string]Operand{}, p: &Program{}}
	for line := range strings.FieldsFuncSeq(src, func(c rune) bool { return c == ';' || c == '\n' }) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := r.statement(line); err != nil {
			return nil, fmt.Errorf("word: statement %q: %w", line, err)
		}
	}
	if len(r.p.Results) == 0 {
		return nil, fmt.Errorf("word: the program has no return statement")
	}
	return r.p, nil
}

// MaxSteps bounds the length of a program.
const MaxSteps = 1000

// reader is a recursive-descent parser, over the tokens of one statement at a time.
type reader struct {
	lookup     func(name string) *Program
	names      map[string]Operand
	p          *Program
	statements int // numbered so far
	at         int // number of the statement that steps belong to
	toks       []string
	depth      int
}

// parseError is panicked with to leave a statement from any depth.
type parseError string

func (r *reader) fail(format string, args ...any) { panic(parseError(fmt.Sprintf(format, args...))) }

// statement reads one statement.
func (r *reader) statement(line string) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case parseError:
			err = errors.New(string(p))
		default:
			panic(p)
		}
	}()
	if len(r.p.Results) > 0 {
		r.fail("it comes after return")
	}
	r.statements++
	r.at = r.statements
	r.toks = tokens(line)
	r.read()
	if len(r.toks) > 0 {
		r.fail("%q is left over", strings.Join(r.toks, " "))
	}
	return nil
}

func (r *reader) read() {
	switch {
	case len(r.toks) > 0 && r.toks[0] == "func":
		if len(r.p.Inputs) > 0 || len(r.p.Steps) > 0 {
			r.fail("func comes first, and only once")
		}
		r.toks = r.toks[1:]
		r.expect("(")
		for r.peek() != ")" {
			name := r.name()
			r.names[name] = Operand{Value: len(r.p.Inputs)}
			r.p.Inputs = append(r.p.Inputs, name)
			if r.peek() == "," {
				r.next()
			}
		}
		r.expect(")")
	case len(r.toks) > 0 && r.toks[0] == "return":
		r.toks = r.toks[1:]
		for {
			r.p.Results = append(r.p.Results, r.one(r.sum()))
			if r.peek() != "," {
				break
			}
			r.next()
		}
	default:
		var names []string
		for {
			names = append(names, r.name())
			if r.peek() != "," {
				break
			}
			r.next()
		}
		r.expect("=")
		values := r.sum()
		if len(values) != len(names) {
			r.fail("%d names for %d values", len(names), len(values))
		}
		for i, n := range names {
			r.names[n] = values[i]
		}
	}
}

// peek returns the next token, or "".
func (r *reader) peek() string {
	if len(r.toks) == 0 {
		return ""
	}
	return r.toks[0]
}

func (r *reader) next() string {
	t := r.peek()
	if t == "" {
		r.fail("it ends too early")
	}
	r.toks = r.toks[1:]
	return t
}

func (r *reader) expect(t string) {
	if got := r.peek(); got != t {
		r.fail("found %q where %q belongs", got, t)
	}
	r.next()
}

func (r *reader) name() string {
	t := r.next()
	if !letter(rune(t[0])) && len(t) == 1 {
		r.fail("found %q where a name belongs", t)
	}
	return t
}

func letter(c rune) bool { return c == '_' || unicode.IsLetter(c) }

// tokens splits a statement into names, the digit 1, and single signs.
func tokens(line string) []string {
	var toks []string
	for i := 0; i < len(line); {
		j := i + 1
		switch c := rune(line[i]); {
		case c == ' ' || c == '\t' || c == '\r':
			i++
			continue
		case letter(c) || unicode.IsDigit(c):
			for j < len(line) && (letter(rune(line[j])) || unicode.IsDigit(rune(line[j])) || line[j] == '.') {
				j++
			}
		}
		toks = append(toks, line[i:j])
		i = j
	}
	return toks
}

func (r *reader) step(op StepOp, operands ...Operand) Operand {
	if len(r.p.Steps) >= MaxSteps {
		r.fail("more than %d steps", MaxSteps)
	}
	operands = append(operands, Operand{}, Operand{}, Operand{})
	r.p.Steps = append(r.p.Steps, Step{Op: op, A: operands[0], B: operands[1], C: operands[2], Statement: r.at})
	return Operand{Value: len(r.p.Inputs) + len(r.p.Steps) - 1}
}

func (r *reader) one(values []Operand) Operand {
	if len(values) != 1 {
		r.fail("%d values where one belongs", len(values))
	}
	return values[0]
}

func (r *reader) sum() []Operand {
	v := r.product()
	for r.peek() == "+" || r.peek() == "-" {
		minus := r.next() == "-"
		a, b := r.one(v), r.one(r.product())
		b.Neg = b.Neg != minus
		v = []Operand{r.step(StepAdd, a, b)}
	}
	return v
}

func (r *reader) product() []Operand {
	v := r.factor()
	for r.peek() == "*" || r.peek() == "/" {
		op := StepMul
		if r.next() == "/" {
			op = StepDiv
		}
		a := r.one(v)
		v = []Operand{r.step(op, a, r.one(r.factor()))}
	}
	return v
}

func (r *reader) factor() []Operand {
	if r.depth++; r.depth > 100 {
		r.fail("nested deeper than 100")
	}
	defer func() { r.depth-- }()
	switch r.peek() {
	case "-":
		r.next()
		v := r.one(r.factor())
		v.Neg = !v.Neg
		return []Operand{v}
	case "(":
		r.next()
		v := r.sum()
		r.expect(")")
		return v
	case "1":
		r.next()
		return []Operand{r.step(StepOne)}
	}
	name := r.name()
	if r.peek() != "(" {
		if name == "splitter" {
			return []Operand{r.step(StepSplit)}
		}
		v, ok := r.names[name]
		if !ok {
			r.fail("%s has no value yet", name)
		}
		return []Operand{v}
	}
	r.next()
	var args []Operand
	for r.peek() != ")" {
		args = append(args, r.one(r.sum()))
		if r.peek() != "," {
			break
		}
		r.next()
	}
	r.expect(")")
	return r.call(name, args)
}

// call returns the results of a function: fma, sqrt, or another program, whose steps it appends.
func (r *reader) call(name string, args []Operand) []Operand {
	switch {
	case name == "fma" && len(args) == 3:
		return []Operand{r.step(StepFma, args...)}
	case name == "sqrt" && len(args) == 1:
		return []Operand{r.step(StepSqrt, args...)}
	}
	var q *Program
	if r.lookup != nil {
		q = r.lookup(name)
	}
	if q == nil {
		r.fail("there is no function %s of %d operands", name, len(args))
	}
	if len(args) != len(q.Inputs) {
		r.fail("%s takes %d operands, not %d", name, len(q.Inputs), len(args))
	}
	values := slices.Clone(args)
	get := func(o Operand) Operand {
		v := values[o.Value]
		v.Neg = v.Neg != o.Neg
		return v
	}
	base, numbers := r.at, map[int]int{}
	for i := range q.Steps {
		s := &q.Steps[i]
		// The statements of a function are numbered apart from the one that calls it.
		if numbers[s.Statement] == 0 {
			r.statements++
			numbers[s.Statement] = r.statements
		}
		r.at = numbers[s.Statement]
		values = append(values, r.step(s.Op, get(s.A), get(s.B), get(s.C)))
	}
	r.at = base
	out := make([]Operand, len(q.Results))
	for i, o := range q.Results {
		out[i] = get(o)
	}
	return out
}
