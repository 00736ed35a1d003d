package formula_test

import (
	"fmt"
	"testing"

	"gamma/model/formula"
)

func axes(e *formula.Expr) string { return fmt.Sprint(e.Axes()) }

var _ = testing.Short
