package shaders

import "fmt"

func noTree(n int, err error) string {
	return fmt.Sprintf("shaders: a schedule of %d leaves cannot be built, which only a mistake in this package can cause: %v", n, err)
}
