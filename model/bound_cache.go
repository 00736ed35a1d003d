package model

import "sync"

// boundKey is what the bounds of a claim depend on.
type boundKey struct {
	in, acc, out Format
	compensation Compensation
	folds, block int
	fusion       Fusion
	mean         bool
	rounding     Rounding
	mixed        bool
	flush        Flush
	n, h         int
	dot          bool
}

// boundCache remembers the bounds of recent claims and lengths: a law needs the same ones again and
// again, and 256-bit arithmetic is slow.
var boundCache = struct {
	sync.RWMutex
	m map[boundKey][]Bound
}{m: map[boundKey][]Bound{}}

// boundCacheLen is the size at which the cache is emptied.
const boundCacheLen = 1 << 13

// recall returns compute's bounds for c, n and h, from the cache where it has them.
func recall(c Claim, n, h int, dot bool, compute func(Claim, int, int) []Bound) []Bound {
	if c.In.IsZero() {
		panic(noInput)
	}
	if n < 0 {
		panic(badLength)
	}
	c = c.WithDefaults(c.In)
	key := boundKey{
		c.In, c.Acc, c.Out, c.Compensation, c.Folds, c.Block, c.Fusion, c.Mean, c.Rounding, c.Mixed, c.Flush, n, h, dot,
	}
	boundCache.RLock()
	list, ok := boundCache.m[key]
	boundCache.RUnlock()
	if ok {
		return list
	}
	list = compute(c, n, h)
	list = list[:len(list):len(list)]
	boundCache.Lock()
	if len(boundCache.m) >= boundCacheLen {
		clear(boundCache.m)
	}
	boundCache.m[key] = list
	boundCache.Unlock()
	return list
}
