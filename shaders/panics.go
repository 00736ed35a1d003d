package shaders

import "fmt"

func noTree(n int, err error) string {
	return fmt.Sprintf("shaders: a schedule of %d leaves cannot be built, which only a mistake in this package can cause: %v", n, err)
}

func noFormula(name string) string {
	return fmt.Sprintf("shaders: %s is not a kernel with a formula; correct its name in Published", name)
}
