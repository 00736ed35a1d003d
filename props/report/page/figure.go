package page

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"gamma/props/internal/engine"
)

// The measures of a figure, in points, which a phone's screen shows as they are.
const (
	figureWidth  = 330
	figureHeight = 215
	barsHeight   = 130
)

// ink is a colour that stands for a variable of the page's style, so that a figure is drawn once for light and dark.
type ink uint8

// The inks of figures. The page gives the series colours after those of Okabe and Ito, which readers tell apart who see no red or no green; and each bound has
// dashes of its own.
const (
	inkAxis ink = iota + 1
	inkGrid
	inkText
	inkError
	inkBound // the first of maxBounds
)

// inkNames are the variables' names.
var inkNames = [...]string{inkAxis: "axis", inkGrid: "grid", inkText: "ink", inkError: "s1", inkBound: "s2", inkBound + 1: "s3", inkBound + 2: "s4"}

// RGBA makes i a color.Color that svg finds again.
func (i ink) RGBA() (r, g, b, a uint32) { return color.RGBA{uint8(i), uint8(i), uint8(i), 255}.RGBA() }

// dashes of the bounds' lines.
var dashes = [][]vg.Length{{vg.Points(6), vg.Points(3)}, {vg.Points(1.5), vg.Points(2.5)}, {vg.Points(8), vg.Points(3), vg.Points(2), vg.Points(3)}}

// maxBounds is how many bounds a figure shows: the tightest.
const maxBounds = 3

// leastDrawn is the least error/bound that is drawn.
const leastDrawn = 1e-5

// ofBound is the unit of figures of kinds that have no other.
const ofBound = "of its bound"

// series is a line of a figure.
type series struct {
	name string
	at   plotter.XYs
}

// Figure is the error of a law against n.
type Figure struct {
	Subject, Law, Unit string
	Error              series
	Bounds             []series
	Exact              int // sizes without an error, or with so small a one that it has no place on a logarithmic axis
}

// figureOf makes a figure of a profile; ok is false where there is too little to draw.
func figureOf(s *Subject, l *Law) (f Figure, ok bool) {
	f = Figure{Subject: s.Title(), Law: string(l.Law)}
	p := l.Profile
	if p == nil || len(p.Bands) < 3 {
		return f, false
	}
	f.Unit = p.Unit
	limits := map[string]plotter.XYs{}
	for _, b := range p.Bands {
		x, y := float64(b.At), float64(b.Error)
		if f.Unit == "" {
			x, y = float64(b.N), float64(b.Ratio)
			limits["the bound"] = append(limits["the bound"], plotter.XY{X: max(x, 1), Y: 1})
		} else if b.Limits == nil {
			continue
		}
		least := math.Inf(1)
		for _, limit := range b.Limits {
			least = min(least, float64(limit))
		}
		if f.Unit == "" {
			least = 1
		}
		if x = max(x, 1); y > least*leastDrawn {
			f.Error.at = append(f.Error.at, plotter.XY{X: x, Y: y})
		} else {
			f.Exact++
		}
		for name, limit := range b.Limits {
			if limit > 0 {
				limits[name] = append(limits[name], plotter.XY{X: x, Y: float64(limit)})
			}
		}
	}
	f.Error.name = "largest error met"
	if f.Unit == "" {
		f.Unit = ofBound
	}
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		f.Bounds = append(f.Bounds, series{name, limits[name]})
	}
	last := func(s series) float64 { return s.at[len(s.at)-1].Y }
	slices.SortStableFunc(f.Bounds, func(a, b series) int {
		if len(a.at) != len(b.at) {
			return len(b.at) - len(a.at)
		}
		return int(math.Copysign(1, last(a)-last(b)))
	})
	f.Bounds = f.Bounds[:min(len(f.Bounds), maxBounds)]
	return f, len(f.Error.at) > 1 && len(f.Bounds) > 0
}

// newPlot returns an empty plot in the page's inks.
func newPlot() *plot.Plot {
	sans := font.Font{Typeface: "Liberation", Variant: "Sans", Size: 10}
	p := plot.New()
	p.BackgroundColor = nil // that of the page
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle.Color, a.Tick.LineStyle.Color = inkAxis, inkAxis
		a.Label.TextStyle.Color, a.Tick.Label.Color = inkText, inkText
		a.Label.TextStyle.Font, a.Tick.Label.Font = sans, sans
		a.Padding = 0
	}
	p.Legend.TextStyle.Color, p.Legend.TextStyle.Font = inkText, sans
	p.Legend.ThumbnailWidth, p.Legend.Padding = 22, 2.5
	return p
}

// grid draws the lines of the ticks with a label.
func grid(p *plot.Plot) {
	g := plotter.NewGrid()
	g.Horizontal.Color, g.Vertical.Color = inkGrid, inkGrid
	p.Add(g)
}

// Draw draws the figure as SVG.
func (f *Figure) Draw() (template.HTML, error) {
	p := newPlot()
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = powersOfTwo{}, powersOfTen{}
	p.X.Label.Text, p.Y.Label.Text = "n", "error, "+f.Unit
	grid(p)
	low, high := math.Inf(1), 0.0
	for i, b := range f.Bounds {
		l, err := plotter.NewLine(b.at)
		if err != nil {
			return "", err
		}
		l.Color, l.Dashes, l.Width = inkBound+ink(i), dashes[i], 1.6
		p.Add(l)
		p.Legend.Add(fitting(b.name), l)
	}
	points, err := plotter.NewScatter(f.Error.at)
	if err != nil {
		return "", err
	}
	points.Color, points.Shape, points.Radius = inkError, draw.CircleGlyph{}, 2.8
	p.Add(points)
	p.Legend.Add(f.Error.name, points)
	for _, s := range append(f.Bounds, f.Error) {
		for _, at := range s.at {
			low, high = min(low, at.Y), max(high, at.Y)
		}
	}
	// Room for the legend above all lines, and for one decade at least.
	p.Y.Min = low / 1.5
	span := max(math.Log10(high/p.Y.Min), 1)
	p.Y.Max = high * math.Pow(10, float64(span*0.14*float64(len(f.Bounds)+1)))
	if p.X.Min == p.X.Max {
		p.X.Max = 2 * p.X.Min
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs, p.Legend.YOffs = 4, -2
	return svg(p, figureHeight, fmt.Sprintf("%s, %s: error against n", f.Subject, f.Law))
}

// fitting shortens a name that is wider than a figure.
func fitting(name string) string {
	const most = 42 // runes
	if r := []rune(name); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return name
}

// powersOfTwo marks powers of two, as many as have room.
type powersOfTwo struct{}

func (powersOfTwo) Ticks(low, high float64) (list []plot.Tick) {
	first, last := int(math.Ceil(math.Log2(low))), int(math.Floor(math.Log2(high)))
	step := max(1, (last-first+7)/8)
	for k := first; k <= last; k++ {
		t := plot.Tick{Value: math.Ldexp(1, k)}
		if (k-first)%step == 0 {
			t.Label = sizeText(k)
		}
		list = append(list, t)
	}
	return list
}

// sizeText writes 2^k as a reader knows it.
func sizeText(k int) string {
	switch {
	case k < 0 || k >= 40:
		return power(2, k)
	case k >= 30:
		return strconv.Itoa(1<<(k-30)) + "Gi"
	case k >= 20:
		return strconv.Itoa(1<<(k-20)) + "Mi"
	case k >= 10:
		return strconv.Itoa(1<<(k-10)) + "Ki"
	}
	return strconv.Itoa(1 << k)
}

// powersOfTen marks powers of ten, as many as have room, and where there are fewer than two of them 2 and 5, too.
type powersOfTen struct{}

func (powersOfTen) Ticks(low, high float64) (list []plot.Tick) {
	first, last := int(math.Ceil(math.Log10(low))), int(math.Floor(math.Log10(high)))
	step := max(1, (last-first+6)/6)
	for k := first; k <= last; k++ {
		t := plot.Tick{Value: math.Pow(10, float64(k))}
		if (k-first)%step == 0 {
			t.Label = decimalText(t.Value, k)
		}
		list = append(list, t)
	}
	if last-first < 1 {
		for k := first - 1; k <= last; k++ {
			for _, d := range []float64{2, 5} {
				if v := d * math.Pow(10, float64(k)); v >= low && v <= high {
					list = append(list, plot.Tick{Value: v, Label: decimalText(v, k)})
				}
			}
		}
	}
	return list
}

// decimalText writes a tick near 10^k.
func decimalText(v float64, k int) string {
	if k < -3 || k > 4 {
		text := power(10, k)
		if d := math.Round(v / math.Pow(10, float64(k))); d != 1 {
			text = strconv.FormatFloat(d, 'f', 0, 64) + "·" + text
		}
		return text
	}
	return strconv.FormatFloat(v, 'f', max(0, -k), 64)
}

// power writes base^k.
func power(base, k int) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	text := strconv.Itoa(base)
	for _, c := range strconv.Itoa(k) {
		if c == '-' {
			text += "⁻"
		} else {
			text += string(digits[c-'0'])
		}
	}
	return text
}

// maxBars is how many powers of two are drawn apart; what is smaller is one bar.
const maxBars = 16

// drawSpread draws how error/bound is spread.
func drawSpread(spread []int, title string) (template.HTML, error) {
	all, values := 0, make(plotter.Values, maxBars+1)
	for k, n := range spread {
		all += n
		if k > 0 {
			values[maxBars-min(k-1, maxBars)] += float64(n)
		}
	}
	for i := range values {
		values[i] /= float64(all)
	}
	p := newPlot()
	p.X.Label.Text, p.Y.Label.Text = "error/bound, from this power of two on", "share"
	grid(p)
	// Bars are as wide as the axis has room for.
	bars, err := plotter.NewBarChart(values, vg.Points(0.8*(figureWidth-60)/float64(len(values))))
	if err != nil {
		return "", err
	}
	bars.Color, bars.LineStyle.Width = inkError, 0
	p.Add(bars)
	p.X.Min, p.X.Max = -0.6, float64(len(values))-0.4
	p.Y.Min = 0
	p.X.Tick.Marker = plot.TickerFunc(func(low, high float64) (list []plot.Tick) {
		for i := range values {
			t := plot.Tick{Value: float64(i)}
			switch k := maxBars - i + 1; {
			case i == 0:
				t.Label = "less"
			case k%4 == 1:
				t.Label = power(2, -k)
			}
			list = append(list, t)
		}
		return list
	})
	p.Y.Tick.Marker = plot.TickerFunc(func(low, high float64) (list []plot.Tick) {
		if !(high > 0) {
			return nil
		}
		step := math.Pow(10, math.Floor(math.Log10(high)))
		for _, d := range []float64{0.2, 0.5, 1, 2, 5} {
			if high/(step*d) <= 4 {
				step *= d
				break
			}
		}
		for v := 0.0; v <= high*1.001; v += step {
			list = append(list, plot.Tick{Value: v, Label: strconv.FormatFloat(100*v, 'g', 3, 64) + "%"})
		}
		return list
	})
	return svg(p, barsHeight, title)
}

// What svg makes smaller, and fit for a page.
var (
	svgHead  = regexp.MustCompile(`(?s)^.*?<svg[^>]*>`)
	svgColor = regexp.MustCompile(`#0([1-7])0([1-7])0([1-7])`)
	svgFont  = regexp.MustCompile(`\s*style="font-family:[^"]*?font-size:([0-9.]+)px(;fill:var\(--[a-z0-9]+\))?"`)
	svgSpace = regexp.MustCompile(`\s*\n\s*`)
	// Coordinates have more digits than a screen has points.
	svgPlace  = regexp.MustCompile(` (d|x|y)="[^"]*"`)
	svgDigits = regexp.MustCompile(`(\d+\.\d)\d+`)
)

// svg draws a plot as SVG that stands in a page: without a head, in the page's font and inks, and with a text for those who do not see it.
func svg(p *plot.Plot, height vg.Length, title string) (template.HTML, error) {
	c := vgsvg.NewWith(vgsvg.UseWH(figureWidth, height))
	p.Draw(draw.Crop(draw.New(c), 0, -12, 2, -4)) // the last label of an axis is wider than its half
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return "", err
	}
	text := svgHead.ReplaceAllLiteralString(b.String(), "")
	text = svgColor.ReplaceAllStringFunc(text, func(hex string) string { return "var(--" + inkNames[hex[2]-'0'] + ")" })
	text = svgFont.ReplaceAllString(text, ` font-size="$1"`)
	text = svgPlace.ReplaceAllStringFunc(svgSpace.ReplaceAllString(text, " "), func(place string) string { return svgDigits.ReplaceAllString(place, "$1") })
	head := fmt.Sprintf(`<svg class="plot" viewBox="0 0 %d %g" role="img" aria-label="%s">`, figureWidth, float64(height), template.HTMLEscapeString(title))
	return template.HTML(head + strings.TrimSpace(text)), nil
}

// joined returns the spread of several profiles together.
func joined(list []*engine.Profile) []int {
	all := &engine.Profile{}
	for _, p := range list {
		all.Merge(&engine.Profile{Spread: p.Spread})
	}
	return all.Spread
}

// roughly writes a count as people read it.
func roughly(n int) string {
	digits := strconv.Itoa(n)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteString("\u202f")
		}
		b.WriteRune(d)
	}
	return b.String()
}
