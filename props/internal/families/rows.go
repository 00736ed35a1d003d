package families

// RowsOf is a way to draw rows of words of a kind, whose generator is a G.
type RowsOf[G any] struct {
	Name string
	Text string // what its rows are, in a line
	// Special: rows of NaNs, infinities, the ends of the range and pairs that are not normalised, for laws about them.
	Special bool
	// Draw fills a row.
	Draw func(g G, row []uint64)
}

// ByName finds the families of lists by their names.
func ByName[G any](lists ...[]RowsOf[G]) map[string]*RowsOf[G] {
	m := map[string]*RowsOf[G]{}
	for _, list := range lists {
		for i := range list {
			m[list[i].Name] = &list[i]
		}
	}
	return m
}

// NamesOf returns the names of a list, with those of special rows or without.
func NamesOf[G any](list []RowsOf[G], special bool) (names []string) {
	for i := range list {
		if special || !list[i].Special {
			names = append(names, list[i].Name)
		}
	}
	return names
}
