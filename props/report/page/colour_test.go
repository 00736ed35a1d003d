package page

import (
	"image/color"
	"math"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// luminance is the relative luminance of a colour.
//
// Source: WCAG 2.2, definition of relative luminance.
func luminance(c color.RGBA) float64 {
	part := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return float64(0.2126*part(c.R)) + float64(0.7152*part(c.G)) + float64(0.0722*part(c.B))
}

// TestColours: in both schemes text and series stand out from both backgrounds, as people need it.
func TestColours(t *testing.T) {
	schemes := regexp.MustCompile(`:root\{([^}]*)\}`).FindAllStringSubmatch(styleText, -1)
	require.Len(t, schemes, 2)
	for i, scheme := range schemes {
		of := map[string]color.RGBA{}
		for _, v := range regexp.MustCompile(`--(\w+):(#[0-9a-f]{6})`).FindAllStringSubmatch(scheme[1]+";--white:#ffffff", -1) {
			of[v[1]] = hex(t, v[2])
		}
		if i == 0 {
			of["bg"] = of["white"]
		}
		for _, back := range []string{"bg", "card"} {
			for name, least := range map[string]float64{"ink": 7, "dim": 4.5, "bad": 4.5, "good": 4.5, "quiet": 4.5, "link": 4.5, "s1": 3, "s2": 3, "s3": 3, "s4": 3} {
				require.Contains(t, of, name)
				require.GreaterOrEqual(t, contrast(of[name], of[back]), least, "%s on %s in scheme %d", name, back, i)
			}
		}
	}
}
