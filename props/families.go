package props

import (
	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/families"
)

type (
	// Family is one kind of input, made to provoke one kind of fault.
	Family = families.Family
	// Recipe is the few small draws that expand, by a local generator, into the values of a case.
	Recipe = families.Recipe
)

// Families lists every family of inputs that the laws draw from.
func Families() []Family {
	return families.Families()
}

// ParseRecipe is the inverse of Recipe.String.
func ParseRecipe(s string) (Recipe, error) {
	return families.ParseRecipe(s)
}

// ExpandGen expands a recipe that a case file holds; corpus calls it while it loads.
func ExpandGen(gen string, f model.Format, n int) (x, y corpus.Values, err error) {
	return families.ExpandGen(gen, f, n)
}
