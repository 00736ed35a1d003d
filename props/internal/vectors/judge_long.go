package vectors

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"
	"unsafe"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/platform"
	"gamma/props/internal/verdict"
)

const (
	// longBytes are those of a vector that a signed index of bytes in 32 bits does not reach the end of. As many zeros lie before the vector, where
	// such an index leads when it is negative.
	longBytes uint64 = 1 << 31
	// longCases are judged in a search: each takes a kernel as long as it takes to read so much memory.
	longCases = 4
	// longPart of a vector tells how long the kernel takes for all of it, which has to be well below what a call may take: longShare of that.
	longPart = 32
	// longTree is the number of leaves of the schedule that shows to which formats the one of a long vector rounds, which is too large to build.
	longTree  = 1 << 20
	longShare = 5
)

// longLaw is the law about vectors that are longer than an index of 32 bits counts bytes.
func longLaw(op engine.Op, id model.LawID, term string) Law {
	return Law{
		ID: id, Op: op,
		Statement:  "among zeros, in a vector of more than 2^31 bytes, terms have the same " + term + ", rounded once",
		Hypotheses: "every partial sum is exact; the kernel takes such vectors, in a fifth of -gamma.timeout; level thorough",
		Source:     "0 is neutral, and every partial sum is representable [IEEE 754-2019] §6.3, §4.3",
		Kills:      []string{"index of bytes in 32 bits"},
		Families:   []string{"integers"},
		MaxN:       64,
		Thorough:   true,
		Applies: func(c *model.Claim) string {
			return Unless(!c.Mean, "a mean depends on how many leaves there are")
		},
		Judge: judgeLong,
	}
}

// shortAlone says why a kernel is given no vector so long, in a search or at all, "" if it is.
func (s *Kernel) shortAlone(search bool) string {
	n := s.longElements()
	switch {
	case search && s.long == 0:
		return "vectors of 2 GiB are judged at -gamma.level=thorough"
	case s.apart:
		return "a kernel in a process of its own is sent no vector of 2 GiB"
	case s.Device != nil || s.Rows || s.Follows:
		return "a kernel on a device, of rows, or of a given schedule is given no vector of 2 GiB"
	case s.Claim.MaxN > 0 && uint64(s.Claim.MaxN) < n:
		return fmt.Sprintf("the claim takes at most %d leaves", s.Claim.MaxN)
	case ^uint(0)>>32 == 0:
		return "addresses have 32 bits"
	}
	return ""
}

// longElements returns how many elements a long vector has.
func (s *Kernel) longElements() uint64 {
	return cmp.Or(s.long, longBytes)/uint64(elementBytes(s.Claim.In)) + 77
}

func elementBytes(f model.Format) int {
	switch bits := f.Bits(); {
	case bits > 32:
		return 8
	case bits > 16:
		return 4
	}
	return 2
}

// judgeLong runs the kernel on the case's terms among zeros in a long vector.
func judgeLong(t *Trial) verdict.Verdict {
	if why := t.sub.shortAlone(false); why != "" {
		return verdict.Unclaimed(why)
	}
	if s := t.sub.Schedule; s != nil {
		if tree := s(longTree + draw.Missing(longTree, t.sub.Claim.Multiple)); tree != nil {
			t.detour = detourOf(tree, &t.Claimed)
		}
	}
	v := judgeIntegers(t)
	switch {
	case v.Fails():
		return verdict.NotMet("the terms alone have another sum, which is what the law of integers is about")
	case v.Outcome != verdict.Holds:
		return v
	case t.Length == 0:
		return verdict.NotMet("there are no terms")
	}
	n := int(t.sub.longElements())
	n += draw.Missing(n, t.sub.Claim.Multiple)
	place := longPlaces(t.Length, n, t.C.Seed)
	long := make([]corpus.Values, 2)
	for k, v := range []corpus.Values{t.x, t.y} {
		if v.Len() == 0 || k == 1 && t.sub.Squares {
			continue
		}
		var err error
		if long[k], err = t.zeros(k, v, n); err != nil {
			return verdict.Unclaimed("the system gives no vector of 2 GiB: " + err.Error())
		}
		for i, at := range place {
			long[k].Set(at, v.At(i))
		}
		defer func() {
			for _, at := range place {
				long[k].Set(at, 0)
			}
		}()
	}
	x, y := long[0], long[1]
	own := make([]uint64, 1)
	call := func(n int) *verdict.Breakage {
		defer func(n int) { t.Length = n }(t.Length)
		t.Length = n
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		some := y
		if y.Len() > 0 {
			some = y.Slice(0, n)
		}
		return t.call(x.Slice(0, n), some, own)
	}
	part, takes := n/longPart, time.Hour
	part -= part % max(t.sub.Claim.Multiple, 1)
	for range 3 { // others use the processor, too
		start := time.Now()
		if b := call(part); b != nil {
			return verdict.Breaks(b)
		}
		takes = min(takes, longPart*time.Since(start))
	}
	if limit := t.sub.timeout / longShare; limit > 0 && takes > limit {
		return verdict.Unclaimed(fmt.Sprintf("the kernel would take about %v: longer than %v, a fifth of -gamma.timeout", takes.Round(time.Second/10), limit))
	}
	if b := call(n); b != nil {
		return verdict.Breaks(b)
	}
	t.results[t.row] = own[0]
	w := judgeIntegers(t)
	if w.Fails() {
		w.Reason = fmt.Sprintf("in a vector of %d elements, zeros but for these terms, from element %d to element %d: %s", n, place[0], place[len(place)-1], w.Reason)
	}
	return w
}

// longPlaces says where terms lie in a long vector, in ascending order: at its beginning, about its middle, and up to its last element.
func longPlaces(terms, n int, seed uint64) []int {
	list := make([]int, terms)
	for i := range list {
		switch list[i] = i; {
		case 2*i >= terms || i == terms-1:
			list[i] = n - terms + i
		case 4*i >= terms && draw.Mix(seed)&1 == 0:
			list[i] = n/2 + i
		}
	}
	return list
}

// zeros returns n elements of v's type that are all 0: memory of the system's, which is there when it is written, of vector k. It is kept, since
// where a page is first read may take longer than all that is read later.
func (t *Trial) zeros(k int, v corpus.Values, n int) (long corpus.Values, err error) {
	bytes := cmp.Or(t.sub.long, longBytes)
	if t.long[k] == nil {
		memory, err := platform.MapZeros(int(bytes + uint64(n*elementBytes(v.Format))))
		if err != nil {
			return long, err
		}
		runtime.AddCleanup(t, func(memory []byte) { _ = platform.Unmap(memory) }, memory)
		t.long[k] = memory
		touched := byte(0)
		for i := int(bytes); i < len(memory); i += 4096 {
			touched |= memory[i]
		}
		if touched != 0 {
			panic("props: memory that the system says is 0 is not")
		}
	}
	long.Format = v.Format
	switch first := unsafe.Pointer(&t.long[k][bytes]); {
	case v.F32 != nil:
		long.F32 = unsafe.Slice((*float32)(first), n)
	case v.F64 != nil:
		long.F64 = unsafe.Slice((*float64)(first), n)
	default:
		long.Bits = unsafe.Slice((*uint16)(first), n)
	}
	return long, nil
}
