package props

import (
	"sync"

	"gamma/corpus"
)

// loadEmbedded reads those of package corpus's files that are of type B. Tests find that there are no errors.
func loadEmbedded[B corpus.Body](o corpus.Options) []corpus.File[B] {
	files, _ := corpus.Load[B](corpus.Files, o)
	for i := range files {
		files[i].Path = "corpus/" + files[i].Path
	}
	return files
}

// embedded, embeddedTables and embeddedResidues return the cases that package corpus carries, read once.
var (
	embedded         = sync.OnceValue(func() []corpus.File[*corpus.Case] { return loadEmbedded[*corpus.Case](replayOptions) })
	embeddedTables   = sync.OnceValue(func() []corpus.File[*corpus.Table] { return loadEmbedded[*corpus.Table](replayOptions) })
	embeddedResidues = sync.OnceValue(func() []corpus.File[*corpus.Residues] { return loadEmbedded[*corpus.Residues](replayOptions) })
)
