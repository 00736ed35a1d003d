package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"

	"gamma/corpus"
	"gamma/props/internal/engine"
	"gamma/props/internal/merge"
)

const mergeUsage = `gamma merge [-o FILE] FILE|FOLDER…

Puts together what the shards of a run have found: files blocks-*.jsonl, or folders with such files below them. Prints the table that one run prints, and
with -o writes a line of JSON for each law of each subject. What is missing, doubled, torn or of another run is named, and then nothing is printed or
written. Exit code: 0 nothing found, 1 violations, or tests that failed, 2 a wrong call, or files that are not one whole run.

`

// mergeShards is gamma merge: it returns the exit code.
func mergeShards(args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("gamma merge", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() { fmt.Fprint(stderr, mergeUsage); f.PrintDefaults() }
	out := f.String("o", "", "write lines of JSON to this `file`, whole or not at all")
	wrong := func(err error) int {
		fmt.Fprintf(stderr, "gamma merge: %v\n", err)
		return 2
	}
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case f.NArg() == 0:
		return wrong(errors.New("no file is named; gamma merge -h says what there is"))
	}
	files, err := merge.Files(f.Args())
	if err != nil {
		return wrong(err)
	}
	r := merge.Read(files)
	for _, text := range r.Notes {
		fmt.Fprintf(stderr, "note: %s\n", text)
	}
	for _, text := range r.Problems {
		fmt.Fprintf(stderr, "gamma merge: %s\n", text)
	}
	if len(r.Problems) > 0 {
		return 2
	}
	if *out != "" {
		if err := writeMerged(*out, r); err != nil {
			return wrong(fmt.Errorf("-o: %w; it is as it was", err))
		}
	}
	return printMerged(r, stdout, stderr)
}

// writeMerged writes a line for each law, or what gamma check has found of each kernel.
func writeMerged(name string, r *merge.Result) error {
	var text bytes.Buffer
	for _, s := range r.Subjects {
		for _, l := range s.Laws {
			line, err := s.MergedLine(l, r.Failures[l])
			if err != nil {
				return err
			}
			text.Write(append(line, '\n'))
		}
	}
	for _, line := range r.Records {
		text.Write(append(line, '\n'))
	}
	if err := corpus.WriteFile(name, text.Bytes()); err != nil {
		return errors.Unwrap(err)
	}
	return nil
}

// printMerged prints the table, and what failed, and returns the exit code.
func printMerged(r *merge.Result, stdout, stderr io.Writer) (code int) {
	if r.Failed {
		code = 1
	}
	if len(r.Records) > 0 {
		c := &command{options: &options{}, stdout: stdout, stderr: stderr}
		for _, line := range r.Records {
			rec := &record{}
			if err := json.Unmarshal(line, rec); err != nil {
				fmt.Fprintf(stderr, "gamma merge: a kernel's result: %v\n", err)
				return 2
			}
			c.records = append(c.records, rec)
		}
		code = c.report()
	}
	if len(r.Subjects) == 0 {
		return code
	}
	fmt.Fprint(stdout, engine.SummaryOf(r.Subjects))
	for _, s := range r.Subjects {
		for _, l := range s.Laws {
			if l.Violations > 0 {
				code = 1
			}
			for _, line := range r.Failures[l] {
				var f engine.JSONViolation
				if json.Unmarshal(line, &f) == nil {
					fmt.Fprintf(stdout, "\n%s violates %s: %s\n  %s\n", f.Subject, f.Law, f.Reason, f.Command)
				}
			}
			if text := l.TooRare(); text != "" {
				fmt.Fprintln(stdout, text)
				code = 1
			}
		}
	}
	return code
}
