package lower

import (
	"slices"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// funcInfo is what is known of a function before it is inlined anywhere.
type funcInfo struct {
	// memory: variables that need an address, and reference parameters that have to be bound to memory.
	memory map[*typed.Var]bool
	// written: variables assigned to after their initialisation.
	written map[*typed.Var]bool
	// refLike: pointer parameters used only to be followed: references by another name.
	refLike map[*typed.Var]bool
	// needs and gives are, of reference parameters, the scalars that may be read before they are written here, and those that
	// are written on every path.
	needs, gives map[*typed.Var][]bool
	first        map[*typed.Var]int // their first slots
	whole        bool               // all of it is known
	returns      int
	lastReturn   bool // the last statement is the only return
	// result is, of functions whose only return gives the address of a place (in the source, a reference), that place:
	// calls that follow the address at once need none.
	result *region
}

// set is a set of scalars of variables, numbered by storage.slots.
type set []uint64

func (s set) has(i int) bool { return i>>6 < len(s) && s[i>>6]>>(i&63)&1 != 0 }

func (s *set) add(i int) {
	for i>>6 >= len(*s) {
		*s = append(*s, 0)
	}
	(*s)[i>>6] |= 1 << (i & 63)
}

func (s set) remove(i int) {
	if i>>6 < len(s) {
		s[i>>6] &^= 1 << (i & 63)
	}
}

func (s set) clone() set { return append(set(nil), s...) }

// flow is what is surely written at a point of the program; dead: the point is not reached.
type flow struct {
	s    set
	dead bool
}

func (f flow) clone() flow { return flow{f.s.clone(), f.dead} }

// meet is the flow where a and b join.
func meet(a, b flow) flow {
	switch {
	case a.dead:
		return b
	case b.dead:
		return a
	}
	n := min(len(a.s), len(b.s))
	s := make(set, n)
	for i := range s {
		s[i] = a.s[i] & b.s[i]
	}
	return flow{s: s}
}

// maxSlots bounds the scalars that are followed in one function; variables beyond it live in memory.
const maxSlots = 8192

// storage walks one function in the order of execution.
type storage struct {
	l     *lowerer
	info  *funcInfo
	slots map[*typed.Var]int // first slot
	next  int
	// alias is the place that a local reference is bound to.
	alias map[*typed.Var]typed.Place
	at    flow
	// where break and continue go, innermost last; returns joins all returns.
	breaks, continues []*flow
	returns           flow
	uses, follows     map[*typed.Var]int
	refResult         bool
}

// info returns what is known of fn.
func (l *lowerer) info(fn *typed.Func) *funcInfo {
	if i, ok := l.infos[fn]; ok {
		if !i.whole {
			l.recurs(fn)
		}
		return i
	}
	l.looking = append(l.looking, fn)
	info := l.look(fn)
	if l.recursive[fn] {
		info = l.look(fn) // now that it is known
	}
	l.looking = l.looking[:len(l.looking)-1]
	info.whole = true
	return info
}

// look finds what is to know of fn.
func (l *lowerer) look(fn *typed.Func) *funcInfo {
	info := &funcInfo{
		memory: map[*typed.Var]bool{}, written: map[*typed.Var]bool{}, refLike: map[*typed.Var]bool{},
		needs: map[*typed.Var][]bool{}, gives: map[*typed.Var][]bool{}, first: map[*typed.Var]int{},
	}
	l.infos[fn] = info
	s := &storage{
		l: l, info: info, slots: map[*typed.Var]int{}, alias: map[*typed.Var]typed.Place{},
		returns: flow{dead: true}, uses: map[*typed.Var]int{}, follows: map[*typed.Var]int{},
	}
	if fn.Body == nil {
		return info
	}
	if !l.recursive[fn] {
		s.findRefLike(fn)
	}
	s.refResult = givesPlace(fn)
	for _, p := range fn.Params {
		if p.Ref || info.refLike[p] {
			s.track(p, referent(p))
		} else if inMemory(p.Type) && !isPointer(p.Type) {
			info.memory[p] = true
		}
		if l.recursive[fn] && !p.Ref {
			info.written[p] = true // by the calls of itself
		}
		if isVolatile(p) {
			info.memory[p], info.written[p] = true, true
		}
	}
	s.stmts(fn.Body.Stmts)
	end := meet(s.at, s.returns)
	for _, p := range fn.Params {
		if slot, ok := s.slots[p]; ok {
			gives := make([]bool, count(referent(p)))
			for i := range gives {
				gives[i] = end.dead || end.s.has(slot+i)
			}
			info.gives[p] = gives
			info.first[p] = slot
		}
	}
	if n := len(fn.Body.Stmts); n > 0 && info.returns == 1 {
		_, info.lastReturn = fn.Body.Stmts[n-1].(*typed.Return)
	}
	return info
}

func isPointer(t typed.Type) bool {
	_, ok := t.(*typed.Pointer)
	return ok
}

// referent returns the type of what a reference or pointer parameter stands for.
func referent(p *typed.Var) typed.Type {
	if !p.Ref {
		if t, ok := p.Type.(*typed.Pointer); ok {
			return t.Elem
		}
	}
	return p.Type
}

// track gives the scalars of v slots, if they are few enough.
func (s *storage) track(v *typed.Var, t typed.Type) bool {
	n := count(t)
	if n > maxRegisters || s.next+n > maxSlots {
		return false
	}
	if _, ok := s.slots[v]; !ok {
		s.slots[v] = s.next
		s.next += n
	}
	return true
}

// findRefLike finds the pointer parameters to thread memory that are followed and never used otherwise.
func (s *storage) findRefLike(fn *typed.Func) {
	if !slices.ContainsFunc(fn.Params, threadPointer) {
		return
	}
	s.countUses(fn.Body)
	for _, p := range fn.Params {
		if threadPointer(p) && s.uses[p] == s.follows[p] {
			s.info.refLike[p] = true
		}
	}
}

// threadPointer reports whether p is a pointer to thread memory.
func threadPointer(p *typed.Var) bool {
	t, ok := p.Type.(*typed.Pointer)
	return ok && !p.Ref && t.Space == ir.Thread && !t.Volatile && !typed.HoldsVolatile(t.Elem) && !p.Volatile
}

// region is the scalars of one variable that a place is; root nil: of none.
type region struct {
	root  *typed.Var
	slots []int // by scalar of the place; nil if root is not followed
}

// resolve finds the variable after a place, and evaluates what is inside it on the way.
func (s *storage) resolve(p typed.Place) region {
	switch p := p.(type) {
	case *typed.VarPlace:
		v := p.Var
		if v.Ref {
			if b, ok := s.alias[v]; ok {
				return s.again(b)
			}
		}
		return s.all(v)
	case *typed.Deref:
		if a := addressee(p.Ptr); a != nil && sameType(a.PlaceType(), p.PlaceType()) {
			return s.resolve(a)
		}
		if v := loadedVar(p.Ptr); v != nil && s.info.refLike[v] {
			return s.all(v)
		}
		if c := placeCall(p.Ptr); c != nil {
			return s.call(c.Func, c.Args, c.Places, nil)
		}
		s.expr(p.Ptr)
	case *typed.FieldPlace:
		r := s.resolve(p.X)
		t := p.X.PlaceType().(*typed.Struct)
		if t.Union {
			s.toMemory(r)
			return region{}
		}
		return r.part(fieldLeaf(t, p.Index), count(p.PlaceType()))
	case *typed.IndexPlace:
		r := s.resolve(p.X)
		s.expr(p.I)
		n := 0
		switch t := p.X.PlaceType().(type) {
		case *typed.Array:
			n = t.Len
		case *typed.Vector:
			n = t.N
		}
		i, ok := s.l.knownIndex(p.I, n)
		if !ok {
			s.toMemory(r)
			return region{}
		}
		c := count(p.PlaceType())
		return r.part(i*c, c)
	case *typed.SwizzlePlace:
		r := s.resolve(p.X)
		if r.slots == nil {
			return r
		}
		slots := make([]int, len(p.Comps))
		for i, c := range p.Comps {
			if c >= len(r.slots) {
				return region{root: r.root}
			}
			slots[i] = r.slots[c]
		}
		return region{r.root, slots}
	case *typed.TempPlace:
		s.expr(p.X)
	case *typed.SeqPlace:
		for _, e := range p.Effects {
			s.effect(e)
		}
		return s.resolve(p.X)
	case *typed.CondPlace:
		s.expr(p.C)
		before := s.at.clone()
		a := s.resolve(p.T)
		s.toMemory(a)
		after := s.at
		s.at = before
		b := s.resolve(p.F)
		s.toMemory(b)
		s.at = meet(after, s.at)
	}
	return region{}
}

// again resolves the place that a reference is bound to, without evaluating it anew.
func (s *storage) again(p typed.Place) region {
	at := s.at.clone()
	r := s.resolve(p)
	s.at = at
	return r
}

func (s *storage) all(v *typed.Var) region {
	first, ok := s.slots[v]
	if !ok {
		return region{root: v}
	}
	end := first + count(referentOf(v, s.info))
	return region{v, slotNumbers[first:end:end]}
}

// slotNumbers holds the number of each slot, so that regions of neighbours share it; nobody writes to a region's.
var slotNumbers = func() (n [maxSlots]int) {
	for i := range n {
		n[i] = i
	}
	return n
}()

func referentOf(v *typed.Var, info *funcInfo) typed.Type {
	if info.refLike[v] {
		return referent(v)
	}
	return v.Type
}

func (r region) part(from, n int) region {
	if r.slots == nil || from+n > len(r.slots) {
		return region{root: r.root}
	}
	return region{r.root, r.slots[from : from+n]}
}

func (s *storage) toMemory(r region) {
	if r.root != nil {
		s.info.memory[r.root] = true
		s.info.written[r.root] = true
	}
}

// read notes that the scalars of r are read.
func (s *storage) read(r region) {
	if r.root == nil || s.at.dead {
		return
	}
	for _, slot := range r.slots {
		if s.at.s.has(slot) {
			continue
		}
		v := r.root
		if v.Ref || s.info.refLike[v] {
			need := s.info.needs[v]
			if need == nil {
				need = make([]bool, count(referent(v)))
				s.info.needs[v] = need
			}
			need[slot-s.slots[v]] = true
		} else {
			s.info.memory[v] = true
		}
	}
}

// write notes that the scalars of r are written.
func (s *storage) write(r region) {
	if r.root == nil {
		return
	}
	s.info.written[r.root] = true
	if s.at.dead {
		return
	}
	for _, slot := range r.slots {
		s.at.s.add(slot)
	}
}

// effect walks an expression whose value is not used.
func (s *storage) effect(e typed.Expr) {
	if c := placeCall(e); c != nil {
		s.call(c.Func, c.Args, c.Places, nil)
		return
	}
	if a, ok := e.(*typed.AddrOf); ok {
		s.resolve(a.X)
		return
	}
	s.expr(e)
}

// expr walks an expression in the order of evaluation.
func (s *storage) expr(e typed.Expr) {
	if p := asPlace(e); p != nil {
		s.read(s.resolve(p))
		return
	}
	switch e := e.(type) {
	case *typed.AddrOf:
		s.toMemory(s.resolve(e.X))
	case *typed.CondExpr:
		s.branch(e.C, func() { s.expr(e.T) }, func() { s.expr(e.F) })
	case *typed.Logical:
		rest := func() { s.expr(e.R) }
		if e.Or {
			s.branch(e.L, func() {}, rest)
		} else {
			s.branch(e.L, rest, func() {})
		}
	case *typed.AssignExpr:
		s.expr(e.X)
		s.write(s.resolve(e.To))
	case *typed.CompoundExpr:
		s.expr(e.X)
		r := s.resolve(e.To)
		s.read(r)
		s.write(r)
	case *typed.IncDec:
		r := s.resolve(e.To)
		s.read(r)
		s.write(r)
	case *typed.Call:
		s.toMemory(s.call(e.Func, e.Args, e.Places, nil))
	case *typed.ConstructExpr:
		s.call(e.Func, e.Args, e.Places, nil)
	case *typed.AtomicExpr:
		s.expr(e.Ptr)
		if e.X != nil {
			s.expr(e.X)
		}
		if e.Expected != nil {
			r := s.resolve(e.Expected)
			s.read(r)
			s.write(r)
		}
	case *typed.SeqExpr:
		for _, x := range e.Effects {
			s.effect(x)
		}
		if e.X != nil {
			s.expr(e.X)
		}
	case *typed.TwoResults:
		s.expr(e.X)
		s.write(s.resolve(e.Out))
	default:
		typed.EachPart(e, func(part any) { s.expr(part.(typed.Expr)) })
	}
}

// branch walks one of two sides; a condition that is known picks it.
func (s *storage) branch(c typed.Expr, then, els func()) {
	if bits, _, ok := s.l.known(c); ok {
		if bits != 0 {
			then()
		} else {
			els()
		}
		return
	}
	s.expr(c)
	before := s.at.clone()
	then()
	after := s.at
	s.at = before
	els()
	s.at = meet(after, s.at)
}

// call walks a call; this is the object that a constructor makes, if it is a variable. It returns the place that the
// function gives, if it gives one.
func (s *storage) call(fn *typed.Func, args []typed.Expr, places []typed.Place, this *region) region {
	info := s.l.info(fn)
	bound := make([]region, len(fn.Params))
	for i, p := range fn.Params {
		switch {
		case i == 0 && this != nil:
			bound[0] = *this
		case i < len(places) && places[i] != nil:
			bound[i] = s.resolve(places[i])
		case i < len(args) && args[i] != nil:
			if info.refLike[p] {
				if a := addressee(args[i]); a != nil {
					bound[i] = s.resolve(a)
					continue
				}
				if v := loadedVar(args[i]); v != nil && s.info.refLike[v] {
					bound[i] = s.all(v)
					continue
				}
			}
			s.expr(args[i])
			continue
		default:
			continue
		}
	}
	for i, p := range fn.Params {
		r := bound[i]
		if r.root == nil {
			continue
		}
		if info.memory[p] {
			s.toMemory(r)
		}
		if need := info.needs[p]; need != nil && len(need) == len(r.slots) {
			part := region{root: r.root}
			for j, n := range need {
				if n {
					part.slots = append(part.slots, r.slots[j])
				}
			}
			s.read(part)
		}
	}
	for i, p := range fn.Params {
		r := bound[i]
		if r.root == nil || !info.written[p] {
			continue
		}
		part := region{root: r.root}
		if gives := info.gives[p]; len(gives) == len(r.slots) {
			for j, g := range gives {
				if g {
					part.slots = append(part.slots, r.slots[j])
				}
			}
		}
		s.write(part)
	}
	return given(fn, info, bound)
}

// given translates the place that a function gives from its parameters to what they are bound to.
func given(fn *typed.Func, info *funcInfo, bound []region) region {
	if info.result == nil || info.result.root == nil {
		return region{}
	}
	for i, p := range fn.Params {
		if p != info.result.root {
			continue
		}
		r := region{root: bound[i].root}
		for _, slot := range info.result.slots {
			j := slot - info.first[p]
			if j >= len(bound[i].slots) {
				return region{root: r.root}
			}
			r.slots = append(r.slots, bound[i].slots[j])
		}
		return r
	}
	return region{}
}

// givesPlace reports whether the only return of fn, at its end, gives the address of a place.
func givesPlace(fn *typed.Func) bool {
	n := len(fn.Body.Stmts)
	if !isPointer(fn.Result) || n == 0 {
		return false
	}
	last, ok := fn.Body.Stmts[n-1].(*typed.Return)
	return ok && last.X != nil && addressee(last.X) != nil && countReturns(fn.Body) == 1
}

// countReturns counts the returns in a statement.
func countReturns(st typed.Stmt) int {
	n := 0
	if _, ok := st.(*typed.Return); ok {
		n++
	}
	typed.EachPart(st, func(part any) {
		if st, ok := part.(typed.Stmt); ok {
			n += countReturns(st)
		}
	})
	return n
}

// placeCall returns the call whose result e is, if the function gives a place.
func placeCall(e typed.Expr) *typed.Call {
	switch e := e.(type) {
	case *typed.Call:
		if e.Func.Body != nil && givesPlace(e.Func) {
			return e
		}
	case *typed.PtrConvert:
		if requalifies(e) {
			return placeCall(e.X)
		}
	}
	return nil
}

func (s *storage) stmts(list []typed.Stmt) {
	for _, st := range list {
		s.stmt(st)
	}
}

func (s *storage) stmt(st typed.Stmt) {
	switch st := st.(type) {
	case *typed.Block:
		s.stmts(st.Stmts)
	case *typed.VarStmt:
		s.declare(st)
	case *typed.ExprStmt:
		s.effect(st.X)
	case *typed.If:
		s.branch(st.Cond, func() { s.stmt(st.Then) }, func() {
			if st.Else != nil {
				s.stmt(st.Else)
			}
		})
	case *typed.Loop:
		s.loop(st)
	case *typed.Switch:
		s.expr(st.X)
		entry := s.at.clone()
		out := flow{dead: true}
		s.breaks = append(s.breaks, &out)
		hasDefault := false
		s.at = flow{dead: true}
		for i := range st.Cases {
			c := &st.Cases[i]
			hasDefault = hasDefault || c.Default
			s.at = meet(s.at, entry).clone()
			s.stmts(c.Stmts)
		}
		s.breaks = s.breaks[:len(s.breaks)-1]
		s.at = meet(s.at, out)
		if !hasDefault {
			s.at = meet(s.at, entry)
		}
		s.at = s.at.clone()
	case *typed.Break:
		if n := len(s.breaks); n > 0 {
			*s.breaks[n-1] = meet(*s.breaks[n-1], s.at.clone())
		}
		s.at = flow{dead: true}
	case *typed.Continue:
		if n := len(s.continues); n > 0 {
			*s.continues[n-1] = meet(*s.continues[n-1], s.at.clone())
		}
		s.at = flow{dead: true}
	case *typed.Return:
		s.info.returns++
		switch {
		case s.refResult:
			r := s.resolve(addressee(st.X))
			if r.root != nil && !r.root.Ref && !s.info.refLike[r.root] {
				s.toMemory(r)
				r = region{}
			}
			s.info.result = &r
		case st.X != nil:
			s.expr(st.X)
		}
		s.returns = meet(s.returns, s.at.clone())
		s.at = flow{dead: true}
	}
}

func (s *storage) loop(st *typed.Loop) {
	if st.Init != nil {
		s.stmt(st.Init)
	}
	out, next := flow{dead: true}, flow{dead: true}
	test := func() {
		if st.Cond == nil {
			return
		}
		bits, _, known := s.l.known(st.Cond)
		if !known {
			s.expr(st.Cond)
		}
		if !known || bits == 0 {
			out = meet(out, s.at.clone())
		}
		if known && bits == 0 {
			s.at = flow{dead: true}
		}
	}
	if !st.TestAfter {
		test()
	}
	s.breaks = append(s.breaks, &out)
	s.continues = append(s.continues, &next)
	s.stmt(st.Body)
	s.breaks = s.breaks[:len(s.breaks)-1]
	s.continues = s.continues[:len(s.continues)-1]
	s.at = meet(s.at, next).clone()
	if st.Post != nil {
		s.effect(st.Post)
	}
	if st.TestAfter {
		test()
	}
	s.at = out.clone()
}

func (s *storage) declare(st *typed.VarStmt) {
	v := st.Var
	switch {
	case v.Ref:
		if st.Bind != nil {
			s.alias[v] = st.Bind
			r := s.resolve(st.Bind)
			if isVolatile(v) {
				s.toMemory(r)
			}
		}
		return
	case v.Space != ir.Thread:
		return
	}
	big := inMemory(v.Type) || isVolatile(v)
	c, constructed := st.Init.(*typed.ConstructExpr)
	if big || (st.Init == nil || constructed) && !s.track(v, v.Type) {
		s.info.memory[v] = true
	}
	if st.Init == nil || constructed {
		s.info.written[v] = true
		for i := range count(v.Type) {
			if first, ok := s.slots[v]; ok {
				s.at.s.remove(first + i)
			}
		}
	}
	switch {
	case constructed:
		r := s.all(v)
		s.call(c.Func, c.Args, c.Places, &r)
	case st.Init != nil:
		s.expr(st.Init)
	}
}
