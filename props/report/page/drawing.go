package page

import (
	"fmt"
	"html/template"
	"regexp"
	"strconv"
	"strings"

	"gamma/model/formula"
	"gamma/sumtree"
)

// A schedule is drawn with so many leaves and folded subtrees side by side, and a formula in so many lines.
const (
	treeLeaves   = 12
	formulaLines = 40
	maxTree      = 1 << 12 // leaves of a schedule that is drawn
)

// parameter is the number in a schedule's name, such as its lanes.
var parameter = regexp.MustCompile(`\d{1,6}`)

// leavesOf returns for how many leaves a schedule is drawn: for twice its parameter at least, so that it shows.
func leavesOf(name string) int {
	n := treeLeaves
	for _, digits := range parameter.FindAllString(name, -1) {
		k, _ := strconv.Atoi(digits)
		n = max(n, 2*k)
	}
	return min(n, maxTree)
}

// treeStyle is the style that a drawing of sumtree brings: the page has one for all, in its own colours.
var treeStyle = regexp.MustCompile(`(?s)<style>.*?</style>\n?`)

// drawTree draws a schedule that a claim names, without its number of leaves.
func drawTree(name string) (v treeView, err error) {
	shape, err := sumtree.ParseShape(name)
	if err != nil {
		return v, err
	}
	n := leavesOf(name)
	t := shape.Tree(n)
	var picture, text strings.Builder
	if err := t.WriteSVG(&picture, treeLeaves); err != nil {
		return v, err
	}
	if err := t.WriteText(&text, 2*treeLeaves); err != nil {
		return v, err
	}
	svg := treeStyle.ReplaceAllString(picture.String(), "")
	svg = strings.Replace(svg, "<svg ", `<svg class="tree" role="img" `, 1)
	return treeView{Name: name, Leaves: n, ID: "tree-" + anchor(name), Text: text.String(), SVG: template.HTML(svg)}, nil
}

// drawFormula draws a formula as a tree of text.
func drawFormula(text string) (string, error) {
	e, err := formula.Parse(text)
	if err != nil {
		return "", fmt.Errorf("the formula cannot be read: %w", err)
	}
	var b strings.Builder
	err = e.WriteText(&b, formulaLines)
	return b.String(), err
}
