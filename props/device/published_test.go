package device_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/props/builtin"
	"gamma/props/device"
	"gamma/props/judge"
	"gamma/shaders"
	"gamma/shaders/mutants"
)

const publishedHead = `# A published table, in Metal

The 26 kernels of "The Correctness Illusion in LLM-Generated GPU Kernels" (arXiv 2606.20128, table 1), written anew after the descriptions there, for
float and for half numbers, and judged on the simulator with no tolerance chosen. [The same in Go](../kernels/nn/PUBLISHED.md) has what a tolerance says,
and kernels that cheat. Metal has neither erf nor expm1: GELU is that by tanh, and ELU has exp(x) - 1. This page is written, and held to what the kernels do, by

    go test ./props/device -run TestPublishedShaders -update-matrix

A law that fails is followed by the number of inputs that it judged until one did. Right kernels pass 40 inputs each of ` + "`formula.enclosure` and\n`formula.special`" + ` here, and all laws on more, under every behaviour that Metal allows, in

    go test ./props/builtin -run TestPropShaderFormula

| kernel | fault | float | half |
|---|---|---|---|
`

// TestPublishedShaders judges the published table in Metal: every right kernel passes, every faulty one is found. All of it stands on a page.
func TestPublishedShaders(t *testing.T) {
	search := func(f shaders.Formula, id model.LawID, n int) (c corpus.Body, judged int) {
		l, err := judge.LawByID(judge.FormulaLaws(), id)
		require.NoError(t, err)
		c, judged, _, err = judge.Search(l, builtin.Shader(f, sim.New(sim.Options{Workers: 1, Steps: 256 * mutantSteps})), n)
		require.NoError(t, err, f.Name)
		return c, judged
	}
	var b bytes.Buffer
	b.WriteString(publishedHead)
	float32s, float16s := shaders.Published()
	for i := range float32s {
		for _, f := range []shaders.Formula{float32s[i], float16s[i]} {
			for _, id := range []model.LawID{model.FormulaEnclosure, model.FormulaSpecial} {
				c, judged := search(f, id, 40)
				require.Nil(t, c, "%s is right, and fails %s at input %d", f.Name, id, judged)
			}
		}
		fmt.Fprintf(&b, "| %s | | pass | pass |\n", float32s[i].Function)
	}
	faulty := mutants.Published()
	require.Len(t, faulty, 20)
	for i := 0; i < len(faulty); i += 2 {
		fmt.Fprintf(&b, "| %s | %s |", faulty[i].Formula.Function, faulty[i].Fault)
		for _, m := range faulty[i:][:2] {
			c, judged := search(m.Formula, model.FormulaEnclosure, 400)
			require.NotNil(t, c, "%s of %s survives: %s", m.Formula.Name, m.Twin, m.Fault)
			fmt.Fprintf(&b, " fails `formula.enclosure`, %d |", judged)
		}
		b.WriteString("\n")
	}
	const file = "../../shaders/PUBLISHED.md"
	if *updateMatrix {
		require.NoError(t, corpus.WriteFile(file, b.Bytes()))
		return
	}
	want, err := device.FromTree(t, file)
	require.NoError(t, err, "run with -update-matrix to write it")
	require.Equal(t, string(want), b.String(), "the table has changed; look at it, then run with -update-matrix")
}
