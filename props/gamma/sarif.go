package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// What is written of SARIF 2.1.0, by the names of the standard's properties.
// Format: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string        `json:"id"`
		Short *sarifMessage `json:"shortDescription,omitempty"`
	}
	sarifInvocation struct {
		ExecutionSuccessful        bool                `json:"executionSuccessful"`
		ToolExecutionNotifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifResult struct {
		RuleID           string          `json:"ruleId"`
		RuleIndex        int             `json:"ruleIndex"`
		Level            string          `json:"level"`
		Message          sarifMessage    `json:"message"`
		Locations        []sarifLocation `json:"locations,omitempty"`
		RelatedLocations []sarifLocation `json:"relatedLocations,omitempty"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"name"`
		Kind string `json:"kind"`
	}
)

// sarifOf returns the log of what was found. What was refused is a notification.
func sarifOf(records []*record) sarifLog {
	run := sarifRun{
		Tool: sarifTool{sarifDriver{Name: "gamma", Rules: []sarifRule{}}}, Results: []sarifResult{},
		Invocations: []sarifInvocation{{ExecutionSuccessful: true}},
	}
	for _, r := range records {
		if r.Refused != "" {
			i := &run.Invocations[0]
			i.ExecutionSuccessful = false
			i.ToolExecutionNotifications = append(i.ToolExecutionNotifications, sarifNotification{"error", sarifMessage{strings.TrimSpace(r.Kernel + " refused: " + r.Refused)}, locations(r, "")})
		}
		for _, f := range r.Findings {
			at := slices.IndexFunc(run.Tool.Driver.Rules, func(x sarifRule) bool { return x.ID == f.Check })
			if at < 0 {
				at = len(run.Tool.Driver.Rules)
				rule := sarifRule{ID: f.Check}
				if f.Statement != "" {
					rule.Short = &sarifMessage{f.Statement}
				}
				run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
			}
			one := sarifResult{RuleID: f.Check, RuleIndex: at, Level: "error", Message: sarifMessage{f.Text + "\nAgain: " + r.Again}, Locations: locations(r, f.At)}
			if f.Other != "" {
				one.RelatedLocations = locations(r, f.Other)
			}
			run.Results = append(run.Results, one)
		}
	}
	return sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}
}

// locations returns a place, file:line:column or what of it there is, in a kernel.
func locations(r *record, at string) []sarifLocation {
	l := sarifLocation{}
	if r.Kernel != "" {
		l.Logical = []sarifLogical{{r.Kernel, "function"}}
	}
	file, line, column := at, 0, 0
	if at == "" {
		file = r.File
	}
	if name, last, ok := cutLast(file); ok {
		file, line = name, last
		if name, first, ok := cutLast(file); ok {
			file, line, column = name, first, last
		}
	}
	if file != "" && exists(file) {
		l.Physical = &sarifPhysical{Artifact: sarifArtifact{uri(file)}}
		if line > 0 {
			l.Physical.Region = &sarifRegion{line, column}
		}
	}
	if l.Physical == nil && l.Logical == nil {
		return nil
	}
	return []sarifLocation{l}
}

// cutLast cuts a number after the last colon.
func cutLast(s string) (before string, n int, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, 0, false
	}
	n, err := strconv.Atoi(s[i+1:])
	return s[:i], n, err == nil && n > 0
}

// uri returns a file relative to the present folder, where it is below it, as code review wants.
func uri(file string) string {
	if abs, err := filepath.Abs(file); err == nil {
		file = abs
		if dir, err := os.Getwd(); err == nil {
			if rel, err := filepath.Rel(dir, abs); err == nil && filepath.IsLocal(rel) {
				file = rel
			}
		}
	}
	file = filepath.ToSlash(file)
	escaped := strings.NewReplacer("%", "%25", " ", "%20", "#", "%23", "?", "%3F", "[", "%5B", "]", "%5D").Replace(file)
	if strings.HasPrefix(file, "/") {
		return "file://" + escaped
	}
	return escaped
}

// writeSARIF writes the log to where -sarif says.
func (c *command) writeSARIF() error {
	text, err := json.MarshalIndent(sarifOf(c.records), "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if c.sarif == "-" {
		_, err = c.stdout.Write(text)
		return err
	}
	return os.WriteFile(c.sarif, text, 0o644)
}
