package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// mostSizes is how many sizes of a range are checked; of one that has more these are both ends, powers of two and what is next to them, and sizes between.
const mostSizes = 32

// readSizes reads a size, or a range such as 1000..1024, as the sizes that are checked; none if it is neither.
func readSizes(text string) (list []int) {
	low, high, _ := strings.Cut(text, "..")
	if high == "" {
		high = low
	}
	from, err := strconv.Atoi(low)
	to, err2 := strconv.Atoi(high)
	if err != nil || err2 != nil || from < 1 || to < from || to > 1<<16 || strings.HasSuffix(text, "..") {
		return nil
	}
	if to-from < mostSizes {
		for n := from; n <= to; n++ {
			list = append(list, n)
		}
		return list
	}
	list = []int{from, to}
	add := func(n int) {
		if n > from && n < to && len(list) < mostSizes && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	for p := 1 << 16; p > 1 && len(list) < mostSizes-8; p /= 2 {
		add(p - 1)
		add(p)
		add(p + 1)
	}
	for i, room := 1, mostSizes-len(list); i <= room; i++ {
		n := from + (to-from)*i/(room+1)
		for slices.Contains(list, n) {
			n = from + (n-from+1)%(to-from)
		}
		add(n)
	}
	slices.Sort(list)
	return list
}

// over checks the kernel at all sizes that -n asks for, of several axes side by side, until something is found: then the record is of that size, and else of the last one.
func (k *kernel) over() *record {
	steps := 1
	for _, list := range k.spans {
		steps = max(steps, len(list))
	}
	all, end := *k, time.Now().Add(k.limit)
	whys, checked := map[string]string{}, 0
	for i := range steps {
		o := *all.options
		if o.axes = maps.Clone(o.axes); steps > 1 {
			o.limit, o.cases = time.Until(end)/time.Duration(steps-i), max(o.cases/steps, min(o.cases, 4))
		}
		for axis, list := range o.spans {
			o.axes[axis] = list[i%len(list)]
		}
		*k = all
		k.options = &o
		r := k.best()
		if steps == 1 || r.Refused != "" || len(r.Findings) > 0 {
			return r
		}
		checked++
		for name, why := range r.Why {
			if _, ok := whys[name]; !ok {
				whys[name] = fmt.Sprintf("%s (%s)", why, r.Launch)
			}
		}
		if i == steps-1 {
			for name, why := range whys {
				if r.Checks[name] == "ok" {
					r.Checks[name], r.Why[name] = "-", why
				}
			}
			r.Launch = fmt.Sprintf("%d sizes, the last %s", checked, r.Launch)
			return r
		}
	}
	return nil
}
