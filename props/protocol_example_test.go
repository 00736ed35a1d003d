package props_test

import (
	"fmt"

	"gamma/model"
	"gamma/oracle"
	"gamma/props"
)

// kept is an exact accumulator with a fault: an infinity outlives Reset.
type kept struct{ oracle.Acc32 }

func (a *kept) Reset() {
	if a.IsFinite() {
		a.Acc32.Reset()
	}
}

func (a *kept) Merge(b *kept) { a.Acc32.Merge(&b.Acc32) }

func (a *kept) Cmp(b *kept) (order int, ordered bool) { return a.Acc32.Cmp(&b.Acc32) }

// An accumulator is judged by sequences of commands, the shortest of which that fails is shown.
func ExampleAccumulatorSubject() {
	acc := props.AccumulatorSubject[float32, *kept]{Name: "mykernel.Kept", New: func() *kept { return new(kept) }}
	// In a test: func TestPropKept(t *testing.T) { acc.Check(t) }
	f, err := acc.Find()
	if err != nil || f == nil {
		fmt.Println("nothing was found:", err)
		return
	}
	for _, c := range f.Commands {
		fmt.Println(c)
	}
	// Output:
	// a.Add(inf)
	// a.Reset()
}

// ring is a queue of three places, which forgets that it is full.
type ring struct {
	items [3]int
	first int
	count int
}

func (r *ring) push(v int) {
	r.items[(r.first+r.count)%3] = v
	r.count = min(r.count+1, 3)
}

func (r *ring) pop() int {
	v := r.items[r.first]
	r.first, r.count = (r.first+1)%3, r.count-1
	return v
}

// push and pop are commands of a queue; their model is the list of what is in it.
type push struct{ v int }

func (c push) String() string        { return fmt.Sprintf("push(%d)", c.v) }
func (c push) Possible(s []int) bool { return len(s) < 4 }
func (c push) Next(s []int) []int    { return append(s[:len(s):len(s)], c.v) }
func (c push) Run(q *ring) (string, func([]int) string) {
	q.push(c.v)
	return c.String(), func([]int) string { return "" }
}

type pop struct{}

func (pop) String() string        { return "pop()" }
func (pop) Possible(s []int) bool { return len(s) > 0 }
func (pop) Next(s []int) []int    { return s[1:] }
func (pop) Run(q *ring) (string, func([]int) string) {
	v, rest := q.pop(), q.count
	return fmt.Sprintf("pop() = %d", v), func(s []int) string {
		if rest != len(s) {
			return fmt.Sprintf("%d are left, and the model has %d", rest, len(s))
		}
		return ""
	}
}

// Any system with a model is judged so: here a queue of three items that accepts a fourth, in place of the first.
func ExampleProtocol() {
	queue := props.Protocol[[]int, *ring]{
		Name: "mykernel.Ring", Law: model.LawID("queue.model"), Statement: "the queue has as many items as its model",
		Start: func() []int { return nil }, New: func() *ring { return new(ring) },
		Draw: func(_ []int, below func(n int) int) props.ProtocolCommand[[]int, *ring] {
			if below(3) == 0 {
				return pop{}
			}
			return push{below(10)}
		},
	}
	// In a test: func TestPropRing(t *testing.T) { queue.Check(t) }
	f, err := queue.Find()
	if err != nil || f == nil {
		fmt.Println("nothing was found:", err)
		return
	}
	for _, c := range f.Commands {
		fmt.Println(c)
	}
	fmt.Println(f.Verdict.Reason)
	// Output:
	// push(9)
	// push(6)
	// push(7)
	// push(2)
	// pop() = 2
	// 2 are left, and the model has 3
}
