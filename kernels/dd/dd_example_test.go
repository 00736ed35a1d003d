package dd_test

import (
	"fmt"

	"gamma/kernels/dd"
)

func Example() {
	x, err := dd.Parse[float64]("0.1")
	if err != nil {
		panic(err)
	}
	y := x.Times(x).Over(dd.FromInt64[float64](3)).Root()
	fmt.Println(y.Text(31))
	// Output: 0.0577350269189625764509148780502
}

func ExampleParse() {
	_, err := dd.Parse[float32]("1.2.3")
	fmt.Println(err)
	// Output: dd: character 4 of "1.2.3" is '.', where the end belongs
}
