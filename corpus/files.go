package corpus

import "embed"

// Files are this project's own cases, in a directory for each law, so that a test binary replays
// them wherever it runs.
//
//go:embed *.*/*.case *.*/*.cases *.*/*.residues *.*/*.arrays
var Files embed.FS
