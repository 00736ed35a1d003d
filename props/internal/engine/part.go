package engine

import (
	"fmt"
	"hash/fnv"
	"math"
	"strconv"
	"strings"
	"time"
)

// Part is a part of the work, which is cut into numbered blocks: the I-th of Of parts, from 1 on, or with Alone block number I of each law. The zero value
// is no part: the work is not cut.
type Part struct {
	I, Of int
	Alone bool
}

// mostParts is how many parts there may be.
const mostParts = 1 << 16

// ParsePart reads I/N. The empty text is no part.
func ParsePart(text string) (p Part, ok bool) {
	if text == "" {
		return p, true
	}
	i, of, _ := strings.Cut(text, "/")
	var err, err2 error
	p.I, err = strconv.Atoi(i)
	p.Of, err2 = strconv.Atoi(of)
	return p, err == nil && err2 == nil && 1 <= p.I && p.I <= p.Of && p.Of <= mostParts
}

// String returns I/N, or @K.
func (p Part) String() string {
	if p.Alone {
		return fmt.Sprintf("@%d", p.I)
	}
	return fmt.Sprintf("%d/%d", p.I, p.Of)
}

// On reports whether the work is cut.
func (p Part) On() bool { return p.Of > 0 || p.Alone }

// Has reports whether a block belongs to the part: blocks of one law go to one part after the other, and a hash of the law says to which the first goes, so
// that the parts of many laws with few blocks are as large as those of one law with many.
func (p Part) Has(hash uint64, block int) bool {
	if p.Alone {
		return block == p.I
	}
	return (hash%uint64(p.Of)+uint64(block))%uint64(p.Of) == uint64(p.I-1)
}

// HashOf returns a hash of what names a law of a subject in a run.
func HashOf(names ...string) uint64 {
	h := fnv.New64a()
	for _, name := range names {
		h.Write([]byte(name))
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// endless is the budget of a search that no time ends.
const endless time.Duration = math.MaxInt64 / 2

// readParts reads the options that cut the work. What would make it depend on time, or on the shard, what is judged is an error.
func (s *Settings) readParts(bad func(o *Option, want string) error) error {
	switch OptSweep.String() {
	case "":
	case "all":
		s.Sweep = true
	default:
		return bad(OptSweep, "all; -gamma.shard=I/N divides a sweep")
	}
	text, ok := OptShard.String(), false
	if k, alone := strings.CutPrefix(text, "@"); alone {
		n, err := strconv.Atoi(k)
		s.Shard, ok = Part{I: n, Alone: true}, err == nil && n >= 0
	} else {
		s.Shard, ok = ParsePart(text)
	}
	switch {
	case !ok:
		return bad(OptShard, fmt.Sprintf("I/N with 1 <= I <= N <= %d, such as 3/16, or @K for block K alone", mostParts))
	case !s.Shard.On():
		return nil
	case s.CaseFile != "": // one case is not cut
		s.Shard = Part{}
		return nil
	}
	const with = "props: -gamma.%s (or %s) is %q, which does not go with -gamma.shard: %s"
	for _, o := range []*Option{OptBudget, OptTotal} {
		if text := o.String(); text != "" && text != noTotal {
			return fmt.Errorf(with, o.Name, o.Env(), text, "what is judged would depend on time; say by -gamma.checks how much there is")
		}
	}
	if text := OptSeed.String(); text == "random" {
		return fmt.Errorf(with, OptSeed.Name, OptSeed.Env(), text, "each shard would have a seed of its own; say a number")
	}
	s.Budget, s.Total = endless, 0
	return nil
}
