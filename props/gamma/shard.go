package main

import (
	"encoding/json"
	"fmt"
	"os"

	"gamma/props/internal/engine"
)

// shard is the part of the kernels that this call checks, and the file of what is found; gamma merge puts these files together.
type shard struct {
	part   engine.Part
	ledger *engine.Ledger
	met    int          // kernels so far, this part's or not
	on     engine.Where // the kernel that is checked now
}

// openShard opens the file of -shard in the folder of -dir.
func (o *options) openShard() (*shard, error) {
	part, ok := engine.ParsePart(o.shard)
	switch {
	case !ok || part.Of == 0:
		return nil, fmt.Errorf("-shard is %q; it is I/N, such as 3/16", o.shard)
	case o.dir == "":
		return nil, fmt.Errorf("-shard %s needs -dir, a folder that all shards write to", part)
	case o.resume != "":
		return nil, fmt.Errorf("-resume says nothing with -shard, which goes on where it was")
	case o.suggest:
		return nil, fmt.Errorf("-shard is of gamma check")
	}
	if err := os.MkdirAll(o.dir, 0o755); err != nil {
		return nil, err
	}
	settings := fmt.Sprintf("check %q %q %q %q %q %q %q%s", o.files, o.kernels, o.claim, o.formula, o.process, o.mlx, o.only, o.again)
	l, err := engine.OpenLedger(o.dir, "gamma", settings, part)
	return &shard{part: part, ledger: l}, err
}

// takes reports whether a kernel is to be checked by this call, and returns what is on file of it.
func (s *shard) takes(file, kernel string) (r *record, takes bool, err error) {
	number := s.met
	s.met++
	// Merged results are in the order of tests.
	w := engine.Work{Where: engine.Where{Test: fmt.Sprintf("kernel %06d", number), Device: "sim", Subject: file + "#" + kernel}, Of: 1}
	if err := s.ledger.Plan(w); err != nil || !s.part.Has(uint64(number), 0) {
		return nil, false, err
	}
	if b := s.ledger.Find(w.Where, 0); b != nil {
		r = &record{}
		return r, true, json.Unmarshal(b.Record, r)
	}
	s.on = w.Where
	return nil, true, nil
}

// add puts what was found of the kernel that takes was asked of last on file.
func (s *shard) add(r *record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return s.ledger.Add(&engine.Block{Test: s.on.Test, Device: s.on.Device, Stat: engine.Stat{LawStats: &engine.LawStats{Subject: s.on.Subject}}, Record: line})
}
