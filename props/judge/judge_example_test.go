package judge_test

import (
	"fmt"
	"strings"

	"gamma/props/judge"
)

// A program that is no test asks of each law of sums whether a kernel violates it.
func Example() {
	sum := judge.Reduction{Name: "mykernel.Sum", Run: func(x []float32) (s float32) {
		for _, v := range x[:len(x)/2*2] { // the last element of an odd number is lost
			s += v
		}
		return s
	}}
	law, err := judge.LawByID(judge.Laws(), "sum.enclosure")
	if err != nil {
		fmt.Println(err)
		return
	}
	report, _, err := judge.Find(law, sum, 1000)
	if err != nil || report == nil {
		fmt.Println("nothing was found:", err)
		return
	}
	first, _, _ := strings.Cut(report.Text(), ":")
	fmt.Println(first)
	// Output: mykernel.Sum violates sum.enclosure
}
