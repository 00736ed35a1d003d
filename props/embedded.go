package props

import (
	"sync"

	"gamma/corpus"
)

// loadedCorpus is what package corpus embeds.
type loadedCorpus struct {
	files []corpus.File
	errs  []error
}

// loadEmbedded reads the embedded corpus once.
var loadEmbedded = sync.OnceValue(func() loadedCorpus {
	files, errs := corpus.Load(corpus.Files, replayOptions)
	for i := range files {
		files[i].Path = "corpus/" + files[i].Path
	}
	return loadedCorpus{files, errs}
})

// embedded returns the cases that package corpus carries.
func embedded() []corpus.File { return loadEmbedded().files }

// loadTables reads the embedded tables once.
var loadTables = sync.OnceValue(func() []corpus.TableFile {
	files, _ := corpus.LoadTables(corpus.Files) // package corpus tests that there are no errors
	for i := range files {
		files[i].Path = "corpus/" + files[i].Path
	}
	return files
})

// embeddedTables returns the tables that package corpus carries.
func embeddedTables() []corpus.TableFile { return loadTables() }

// loadEmbeddedResidues reads the embedded files of residues once.
var loadEmbeddedResidues = sync.OnceValue(func() []corpus.ResiduesFile {
	files, _ := corpus.LoadResidues(corpus.Files) // package corpus tests that there are no errors
	for i := range files {
		files[i].Path = "corpus/" + files[i].Path
	}
	return files
})

// embeddedResidues returns the files of residues that package corpus carries.
func embeddedResidues() []corpus.ResiduesFile { return loadEmbeddedResidues() }
