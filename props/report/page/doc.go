// Package page makes of the lines that a run leaves in summary.jsonl one page that can be handed on: as HTML that loads nothing from elsewhere, and
// as Markdown.
//
// Start with Read, which reads a run's files, then HTML or Markdown, then Save. What is wrong with a file, a line or a drawing is a Problem: it is
// named on the page and in the error output, and the rest of the run is shown.
//
// # What is drawn with what
//
// Plots are drawn by gonum.org/v1/plot: it writes SVG, needs no browser and no script, is kept by the people of gonum, which props/peers judges, and
// does logarithmic axes. Its colours are replaced by variables of the page's style, so that one drawing serves light and dark. Schedules are drawn by
// sumtree, and formulas by model/formula, as reports draw them.
package page
