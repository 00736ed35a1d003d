package engine

import (
	"os"
	"path/filepath"
	"sync"

	"gamma/corpus"
)

// failures holds the lines of this process's failures, by the file that they are written to.
var failures struct {
	sync.Mutex
	lines map[string][]byte
}

// FailuresName is the file of failures beside the summary.
const FailuresName = "failures.jsonl"

// PublishFailure adds a failure of any kind to the file of this process's failures, which it writes anew. Nil adds nothing, but
// removes what an earlier process has left.
func PublishFailure(f Failure) {
	dir, err := RunDir()
	if err != nil {
		return
	}
	name := filepath.Join(dir, FailuresName)
	failures.Lock()
	defer failures.Unlock()
	if _, ours := failures.lines[name]; !ours {
		if failures.lines == nil {
			failures.lines = map[string][]byte{}
		}
		failures.lines[name] = nil
		_ = os.Remove(name)
	}
	if f == nil {
		return
	}
	line, err := f.JSON()
	if err != nil {
		return
	}
	failures.lines[name] = append(append(failures.lines[name], line...), '\n')
	_ = corpus.WriteFile(name, failures.lines[name])
}
