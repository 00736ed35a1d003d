package sumtree

import (
	"fmt"
	"strconv"
	"strings"

	"gamma/model"
)

// Parse reads a tree as Tree.String writes it; the package comment has the grammar. Errors name the column.
//
// Cost: memory of the order of the text's length and the leaves that it names, at most MaxLeaves.
func Parse(s string) (*Tree, error) { return ParseLimit(s, MaxLeaves) }

// ParseLimit is Parse for text that is not trusted: more than limit leaves, or more than limit
// leaves named by shapes and ranges, are an error before memory is allocated for them.
func ParseLimit(s string, limit int) (*Tree, error) {
	if strings.Contains(s, "/") && !strings.ContainsAny(s, "(#*") {
		return parseNamed(s, limit)
	}
	p := parser{s: s, limit: limit}
	t, err := p.tree()
	if err != nil {
		return nil, fmt.Errorf("sumtree: column %d of tree %.60q: %w", p.at+1, s, err)
	}
	return t, nil
}

// parseNamed reads a shape with its leaf count.
func parseNamed(s string, limit int) (*Tree, error) {
	cut := strings.LastIndexByte(s, '/')
	n, err := number(s[cut+1:], 31)
	if err != nil {
		return nil, fmt.Errorf("sumtree: column %d of tree %.60q: the leaf count: %w", cut+2, s, err)
	}
	nm, name := named{}, s[:cut]
	for f, prefix := range formPrefix {
		if rest, ok := strings.CutPrefix(name, prefix); ok && prefix != "" {
			nm.form, name = form(f), rest
		}
	}
	if nm.shape, err = ParseShape(name); err != nil {
		return nil, err
	}
	if most := limit >> min(nm.form, 1); n > uint64(most) {
		return nil, fmt.Errorf("sumtree: column %d of tree %.60q: more than %d leaves", cut+2, s, limit)
	}
	return nm.tree(int(n)), nil
}

// parser reads a tree in parentheses. It keeps its own stack, so that depth costs no more than
// length.
type parser struct {
	s     string
	at    int
	limit int
	named int // leaves named so far
	b     Builder
}

// call is an open parenthesis, with what comes before it and inside it.
type call struct {
	kind  Kind
	group bool // plain parentheses
	star  bool // a product waits for its right operand
	solid bool // the last kid is a whole term, which "*" may follow
	label *label
	kids  []Ref
}

// label is what a node has besides its kind.
type label struct {
	f    model.Format
	a    Adder
	name string
}

func (p *parser) tree() (*Tree, error) {
	stack := []call{{}} // the bottom one is the text itself
	for {
		p.space()
		c := &stack[len(stack)-1]
		switch {
		case p.at == len(p.s) || p.s[p.at] == '#':
			return p.end(stack)
		case p.s[p.at] == ')':
			if len(stack) == 1 {
				return nil, fmt.Errorf("no parenthesis is open here")
			}
			r, err := p.close(c)
			if err != nil {
				return nil, err
			}
			p.at++
			stack = stack[:len(stack)-1]
			p.put(&stack[len(stack)-1], r)
		case p.s[p.at] == '*':
			if !c.solid || c.star {
				return nil, fmt.Errorf("no term precedes this *")
			}
			c.star = true
			p.at++
		case p.s[p.at] >= '0' && p.s[p.at] <= '9':
			if err := p.leaves(c); err != nil {
				return nil, err
			}
		default:
			next, err := p.open()
			if err != nil {
				return nil, err
			}
			stack = append(stack, next)
		}
	}
}

func (p *parser) space() {
	for p.at < len(p.s) && p.s[p.at] == ' ' {
		p.at++
	}
}

// put appends a term to a call, or multiplies the last one by it.
func (p *parser) put(c *call, r Ref) {
	if c.star {
		last := len(c.kids) - 1
		c.kids[last] = p.b.Product(c.kids[last], r)
		c.star = false
	} else {
		c.kids = append(c.kids, r)
	}
	c.solid = true
}

// number reads the digits here.
func (p *parser) number(most int) (int, error) {
	from := p.at
	for p.at < len(p.s) && p.s[p.at] >= '0' && p.s[p.at] <= '9' {
		p.at++
	}
	v, err := number(p.s[from:p.at], 31)
	if err == nil && v > uint64(most) {
		err = fmt.Errorf("%d is more than %d", v, most)
	}
	if err != nil {
		p.at = from
		return 0, err
	}
	return int(v), nil
}

// leaves reads a leaf or a run of leaves.
func (p *parser) leaves(c *call) error {
	from, err := p.number(p.limit - 1)
	if err != nil {
		return err
	}
	to, run := from, strings.HasPrefix(p.s[p.at:], "..")
	if run {
		if c.star {
			return fmt.Errorf("a run of leaves cannot be multiplied; use parentheses")
		}
		p.at += 2
		if to, err = p.number(p.limit - 1); err != nil {
			return err
		}
	}
	step := 1
	if to < from {
		step = -1
	}
	count := (to-from)*step + 1
	if p.named += count; p.named > p.limit {
		return fmt.Errorf("more than %d leaves", p.limit)
	}
	if !run {
		p.put(c, p.b.Leaf(from))
		return nil
	}
	for i := from; ; i += step {
		c.kids = append(c.kids, p.b.Leaf(i))
		if i == to {
			break
		}
	}
	c.solid = false
	return nil
}

// open reads what stands before a parenthesis, and the parenthesis.
func (p *parser) open() (c call, err error) {
	from := p.at
	for p.at < len(p.s) && (p.s[p.at] >= 'a' && p.s[p.at] <= 'z' || p.at > from && p.s[p.at] >= '0' && p.s[p.at] <= '9') {
		p.at++
	}
	switch word := p.s[from:p.at]; word {
	case "":
		c.group = true
	case "fma":
		c.kind = Fma
	case "any":
		c.kind = AnyOrder
	case "fused":
		c.kind, c.label = Fused, new(label)
		if strings.HasPrefix(p.s[p.at:], "{") {
			length := strings.IndexByte(p.s[p.at:], '}')
			if length < 0 {
				return c, fmt.Errorf("the adder's { is not closed")
			}
			if c.label.a, err = parseAdder(p.s[p.at+1 : p.at+length]); err != nil {
				return c, err
			}
			p.at += length + 1
		}
	case "opaque":
		c.kind, c.label = Opaque, new(label)
		if strings.HasPrefix(p.s[p.at:], `"`) {
			quoted, err := strconv.QuotedPrefix(p.s[p.at:])
			if err != nil {
				return c, fmt.Errorf("the name is not a Go string: %w", err)
			}
			if c.label.name, err = strconv.Unquote(quoted); err != nil {
				return c, fmt.Errorf("the name is not a Go string: %w", err)
			}
			p.at += len(quoted)
		}
	default:
		c.kind, c.label = Round, new(label)
		if c.label.f, err = model.FormatByName(word); err != nil {
			p.at = from
			return c, fmt.Errorf("no node is called %.20q; there are fma, any, fused, opaque and formats: %w", word, err)
		}
	}
	if !strings.HasPrefix(p.s[p.at:], "(") {
		return c, fmt.Errorf("expected a leaf, a parenthesis or the name of a node with a parenthesis after it")
	}
	p.at++
	return c, nil
}

// close makes the node of a call whose parenthesis ends here.
func (p *parser) close(c *call) (Ref, error) {
	n := len(c.kids)
	switch {
	case c.star:
		return 0, fmt.Errorf("no term follows the *")
	case n == 0:
		return 0, fmt.Errorf("the parentheses hold nothing")
	case c.group:
		r := c.kids[0]
		for _, k := range c.kids[1:] {
			r = p.b.Add(r, k)
		}
		return r, p.b.err
	}
	switch c.kind {
	case Fma:
		if n != 3 {
			return 0, fmt.Errorf("fma takes 3 operands, not %d", n)
		}
		return p.b.Fma(c.kids[0], c.kids[1], c.kids[2]), p.b.err
	case Round:
		if n != 1 {
			return 0, fmt.Errorf("%s takes 1 operand, not %d", c.label.f, n)
		}
		return p.b.Round(c.label.f, c.kids[0]), p.b.err
	case Fused:
		return p.b.Fused(c.label.a, c.kids...), p.b.err
	case AnyOrder:
		return p.b.AnyOrder(c.kids...), p.b.err
	}
	return p.b.Opaque(c.label.name, c.kids...), p.b.err
}

// end reads the leaf count and builds.
func (p *parser) end(stack []call) (*Tree, error) {
	c := &stack[0]
	switch {
	case len(stack) > 1:
		return nil, fmt.Errorf("%d parentheses are not closed", len(stack)-1)
	case c.star:
		return nil, fmt.Errorf("no term follows the *")
	case len(c.kids) != 1:
		return nil, fmt.Errorf("a tree is one term, not %d", len(c.kids))
	}
	if p.at < len(p.s) {
		p.at++
		least := p.b.max
		n, err := p.number(p.limit)
		if err != nil {
			return nil, err
		}
		if n < least {
			return nil, fmt.Errorf("the leaf count %d is not more than leaf %d", n, least-1)
		}
		p.b.Leaves(n)
		if p.at != len(p.s) {
			return nil, fmt.Errorf("text after the leaf count")
		}
	}
	return p.b.Build(c.kids[0])
}
