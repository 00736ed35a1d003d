package page

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// browser is a Chromium without a screen.
type browser struct{ path, dir string }

// openBrowser finds Chromium, and skips where there is none.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return &browser{path, t.TempDir()}
		}
	}
	t.Skip("no Chromium here: apt-get install chromium, and the page is looked at")
	return nil
}

// run runs the browser on a file and returns what it prints.
func (b *browser) run(t *testing.T, file string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	profile := filepath.Join(b.dir, "profile")
	args = append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--user-data-dir=" + profile, "--virtual-time-budget=5000"}, args...)
	cmd := exec.CommandContext(ctx, b.path, append(args, "file://"+file)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Run(), "%s", errs.String())
	return out.String()
}

// framed returns a page that shows another in a frame of a width, since a window cannot be as narrow as a phone, and after that runs a script.
func (b *browser) framed(t *testing.T, page string, width int, script string) (file string) {
	t.Helper()
	file = filepath.Join(b.dir, fmt.Sprintf("framed%d.html", width))
	text := fmt.Sprintf(`<!doctype html><body style="margin:0"><iframe id="f" style="border:0;width:%dpx;height:4000px" srcdoc="%s"></iframe><p id="said"></p><script>%s</script>`,
		width, html.EscapeString(page), script)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// shot takes a picture, and keeps it in GAMMA_SHOTS if that is set.
func (b *browser) shot(t *testing.T, file, name string, width int, args ...string) image.Image {
	t.Helper()
	picture := filepath.Join(b.dir, name+".png")
	b.run(t, file, append(args, "--screenshot="+picture, fmt.Sprintf("--window-size=%d,2000", max(width, 500)))...)
	text, err := os.ReadFile(picture)
	require.NoError(t, err)
	if dir := os.Getenv("GAMMA_SHOTS"); dir != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".png"), text, 0o600))
	}
	img, err := png.Decode(bytes.NewReader(text))
	require.NoError(t, err)
	return img
}

// looked measures a page in a frame: how wide it is, and what sticks out of its box.
const looked = `
document.getElementById('f').onload = e => {
  const d = e.target.contentDocument, w = e.target.clientWidth, out = [];
  for (const x of d.querySelectorAll('details')) x.open = true;
  for (const x of d.querySelectorAll('body *')) {
    if (x.closest('.box, pre, .scroll, svg')) continue;
    if (x.getBoundingClientRect().right > w + 1) out.push(x.tagName + ' ' + x.className);
  }
  document.getElementById('said').textContent = 'width=' + d.documentElement.scrollWidth + ' out=' + out.slice(0, 5).join(',') + ';';
}`

// TestPageFits: at the width of a phone and of a desk nothing sticks out: what is wider than the screen scrolls in a box of its own.
func TestPageFits(t *testing.T) {
	b := openBrowser(t)
	page := shownPage(t)
	for _, width := range []int{360, 1280} {
		said := regexp.MustCompile(`width=(\d+) out=([^;]*);`).FindStringSubmatch(b.run(t, b.framed(t, page, width, looked), "--dump-dom"))
		require.NotNil(t, said, "the page was not measured")
		require.Equal(t, strconv.Itoa(width), said[1], "the page scrolls sideways")
		require.Empty(t, said[2])
	}
	wide := strings.Replace(page, "<main>", `<main><p class="nw">`+strings.Repeat("wide ", 200)+`</p>`, 1)
	require.NotContains(t, b.run(t, b.framed(t, wide, 360, looked), "--dump-dom"), "width=360 out=;", "a page that sticks out is not noticed")
}

// TestPageIsDrawn: in light and dark the page has its own background, text that can be read on it, and figures in both series' colours.
func TestPageIsDrawn(t *testing.T) {
	b := openBrowser(t)
	page := shownPage(t)
	for _, scheme := range []struct {
		name             string
		args             []string
		back, ink, s1    color.RGBA
		series, contrast float64
	}{
		{"light", []string{"--blink-settings=preferredColorScheme=1"}, hex(t, "#ffffff"), hex(t, "#1a1d23"), hex(t, "#0072b2"), 3, 7},
		{"dark", []string{"--blink-settings=preferredColorScheme=0"}, hex(t, "#14171c"), hex(t, "#e6e9ee"), hex(t, "#56b4e9"), 3, 7},
	} {
		require.GreaterOrEqual(t, contrast(scheme.back, scheme.ink), scheme.contrast)
		require.GreaterOrEqual(t, contrast(scheme.back, scheme.s1), scheme.series)
		for _, width := range []int{360, 1280} {
			img := b.shot(t, b.framed(t, page, width, ""), fmt.Sprintf("%s-%d", scheme.name, width), width, scheme.args...)
			count := map[color.RGBA]int{}
			for y := range img.Bounds().Dy() {
				for x := range min(width, img.Bounds().Dx()) {
					r, g, bl, _ := img.At(x, y).RGBA()
					count[color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(bl >> 8), 255}]++
				}
			}
			all := img.Bounds().Dy() * min(width, img.Bounds().Dx())
			require.Greater(t, count[scheme.back], all/4, "%s at %d: the background is another", scheme.name, width)
			require.Greater(t, count[scheme.ink], 1000, "%s at %d: there is no text", scheme.name, width)
		}
	}
}

// shownPage is a page with something of all that a page shows.
func shownPage(t *testing.T) string {
	t.Helper()
	matrix, err := ReadMatrix("../../testdata/kill-matrix.txt")
	require.NoError(t, err)
	before, err := Read(written(t,
		drawn{subject: "kernels.Sum", device: "cpu", law: "sum.tree", cases: 30}.line(t),
		drawn{subject: "kernels.ReLU", device: "sim", law: "formula.enclosure", bound: "enclosure", cases: 2}.line(t),
	))
	require.NoError(t, err)
	page, _, _ := pageOf(t, aRun(t), Options{Matrices: matrix, Before: before})
	return page
}

// parts are what TestPartsAreDrawn looks at, each in a frame of this height below the one before.
var parts = []struct {
	id          string
	light, dark string // the colour that says what is wrong, or which law finds a fault
}{{"failures", "#a3200d", "#ff8f7d"}, {"compared", "#a3200d", "#ff8f7d"}, {"matrix", "#0072b2", "#56b4e9"}}

const partHeight = 640

// shownParts makes a frame of each part, with all that folds unfolded and the part at its top.
const shownParts = `
const f = document.getElementById('f'), text = f.srcdoc, width = f.style.width;
f.remove();
for (const id of [%s]) {
  const box = document.createElement('div'), x = document.createElement('iframe');
  box.style.cssText = 'position:relative;overflow:hidden;height:%dpx;width:' + width;
  x.style.cssText = 'position:absolute;border:0;height:40000px;width:' + width;
  x.onload = () => {
    const d = x.contentDocument;
    for (const y of d.querySelectorAll('details')) y.open = true;
    x.style.top = -d.getElementById(id).getBoundingClientRect().top + 'px';
  };
  x.srcdoc = text;
  box.append(x), document.body.append(box);
}`

// TestPartsAreDrawn: failures, two runs compared and kill matrices, unfolded, are there in light and dark at both widths: text, and the colour that says what is wrong or who found it.
func TestPartsAreDrawn(t *testing.T) {
	b := openBrowser(t)
	page := shownPage(t)
	var ids []string
	for _, part := range parts {
		ids = append(ids, strconv.Quote(part.id))
	}
	script := fmt.Sprintf(shownParts, strings.Join(ids, ","), partHeight)
	for i, ink := range []color.RGBA{hex(t, "#e6e9ee"), hex(t, "#1a1d23")} {
		scheme := []string{"dark", "light"}[i]
		for _, width := range []int{360, 1280} {
			img := b.shot(t, b.framed(t, page, width, script), fmt.Sprintf("parts-%s-%d", scheme, width), width, fmt.Sprintf("--blink-settings=preferredColorScheme=%d", i))
			for k, part := range parts {
				mark, inks, marks := hex(t, []string{part.dark, part.light}[i]), 0, 0
				for y := k * partHeight; y < (k+1)*partHeight; y++ {
					for x := range width {
						switch r, g, bl, _ := img.At(x, y).RGBA(); (color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(bl >> 8), 255}) {
						case ink:
							inks++
						case mark:
							marks++
						}
					}
				}
				require.Greater(t, inks, 300, "%s, %s at %d: there is no text", part.id, scheme, width)
				require.Greater(t, marks, 30, "%s, %s at %d: no mark has its colour", part.id, scheme, width)
			}
		}
	}
}

// hex reads a colour as a style has it, which must be one of the page's.
func hex(t *testing.T, s string) color.RGBA {
	t.Helper()
	if s != "#ffffff" {
		require.Contains(t, styleText, s)
	}
	v, err := strconv.ParseUint(s[1:], 16, 24)
	require.NoError(t, err)
	return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}
}

// contrast is the ratio of luminances by which people can tell two colours apart.
//
// Source: WCAG 2.2, definition of contrast ratio; 4.5 is asked of text, and 3 of drawings.
func contrast(a, b color.RGBA) float64 {
	l, k := luminance(a), luminance(b)
	return (max(l, k) + 0.05) / (min(l, k) + 0.05)
}
