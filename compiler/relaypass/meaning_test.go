package relaypass_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/relaypass"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestPassesKeepMeaning runs random programs of the operators that the passes know before and after each of them.
func TestPassesKeepMeaning(t *testing.T) {
	passes := []*pass.Pass{
		relaypass.InferType, relaypass.DeadCodeElimination, relaypass.RemoveUnusedFunctions, relaypass.SimplifyInference, relaypass.CanonicalizeOps, relaypass.FlattenAtrousConv, relaypass.FoldExplicitPadding, relaypass.ToANormalForm, relaypass.ToGraphNormalForm, relaypass.ToBasicBlockNormalForm, relaypass.Inline, relaypass.SimplifyExpr, relaypass.SimplifyExprPostAlterOp,
		relaypass.FoldConstant, relaypass.FuseOps, relaypass.DefuseOps,
		relaypass.ForwardFoldScaleAxis, relaypass.BackwardFoldScaleAxis, relaypass.FoldScaleAxis,
		relaypass.EliminateCommonSubexpr, relaypass.EtaExpand, relaypass.CanonicalizeCast, relaypass.DivToMul, relaypass.FastMath,
		withArgs(t, relaypass.DeadCodeElimination, "inline_once", true),
	}
	changed := map[string]int{}
	seed.Each(t, 150, func(t *testing.T, r *rand.Rand) {
		text := program(r)
		m := read(t, text)
		want := outputs(t, m)
		for _, i := range r.Perm(len(passes)) {
			p := passes[i]
			out, _ := passtest.Check(t, passtest.NewContext(), p, m)
			if out == m {
				continue
			}
			changed[p.Name]++
			if d := passtest.Differ(outputs(t, out), want); d != "" {
				t.Fatalf("%s: %s\nit made\n%s\nof\n%s", p.Name, d, passtest.Text(out), text)
			}
			m = out
		}
	})
	t.Log(changed)
}

// program writes a program in which each pass may find something to do, or a reason to leave it.
func program(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	n := func(most int) int { return r.IntN(most + 1) }
	if r.IntN(3) == 0 {
		return moreProgram(r)
	}
	switch r.IntN(7) {
	case 5: // arithmetic on constants
		k := func() string { return pick("0f", "1f", "2f", "0.5f", "-3f") }
		e := pick("%x", "%y", "abs(%y)")
		for range 2 + n(5) {
			switch r.IntN(9) {
			case 0:
				e = fmt.Sprintf("add(%s, %s)", e, k())
			case 1:
				e = fmt.Sprintf("multiply(%s, %s)", k(), e)
			case 2:
				e = fmt.Sprintf("subtract(%s, %s)", e, k())
			case 3:
				e = fmt.Sprintf("divide(%s, sqrt(add(abs(%%y), 1f)))", e)
			case 4:
				pair := [][2]string{{"0, 1, 2", "0, 1, 2"}, {"2, 0, 1", "1, 2, 0"}, {"0, 2, 1", "0, -1, 1"}}[r.IntN(3)]
				e = fmt.Sprintf("transpose(transpose(%s, axes=[%s]), axes=[%s])", e, pair[0], pair[1])
			case 5:
				e = fmt.Sprintf("reshape(reshape(%s, newshape=[%s]), newshape=[2, 3, 4])", e, pick("-1", "6, 4", "4, 3, 2"))
			case 6:
				e = fmt.Sprintf("cast(cast(%s, dtype=%q), dtype=\"float32\")", e, pick("float64", "float32"))
			case 7:
				e = fmt.Sprintf("add(%s, %s)", e, e)
			case 8:
				e = fmt.Sprintf("add(add(multiply(%s, multiply(%%x, %%x)), multiply(%s, multiply(%%x, %%y))), multiply(%s, multiply(%%y, %%y)))", k(), k(), k())
			}
			if len(e) > 400 {
				break
			}
		}
		return fmt.Sprintf("def @main(%%x: Tensor[(2, 3, 4), float32], %%y: Tensor[(2, 3, 4), float32]) { %s }", e)
	case 6: // clips and casts of integers
		e := "%x"
		dt := "int32"
		for range 1 + n(4) {
			if r.IntN(2) == 0 {
				e = fmt.Sprintf("clip(%s, a_min=%sf, a_max=%sf)", e, pick("0", "-5", "-128"), pick("5", "127", "255"))
				continue
			}
			dt = pick("int32", "uint8", "int8", "float32")
			e = fmt.Sprintf("cast(%s, dtype=%q)", e, dt)
		}
		return fmt.Sprintf("def @main(%%x: Tensor[(40), int32]) { cast(clip(%s, a_min=-9f, a_max=9f), dtype=\"float32\") }", e)
	case 4: // functions that call others
		mark := pick("Inline=1", "Inline=1", "Other=1")
		return fmt.Sprintf(`def @f(%%a: Tensor[(?, 4), float32], %%p: bool, %s) { let %%b = exp(%%a); if (%%p) { %s } else { nn.relu(%%a) } }
def @g(%%a: Tensor[(2, 4), float32], Inline=1) { %%0 = @f(%%a, True); add(%%0, %%a) }
def @main(%%x: Tensor[(2, 4), float32]) { %%1 = @g(%%x); multiply(%%1, @f(%s, False)) }`, mark, pick("%b", "add(%b, %a)"), pick("%x", "%1", "abs(%1)"))
	case 0: // a pad before a window
		layout, kernel := "NCHW", "OIHW"
		channels := n(5) / 5 // that are padded
		shape, weight := fmt.Sprintf("(1, 2, %d, %d)", 5+n(4), 5+n(4)), fmt.Sprintf("(3, %d, 3, 2)", 2+channels)
		width := fmt.Sprintf("[[0, 0], [0, %d], [%d, %d], [%d, %d]]", channels, n(2), n(2), n(2), n(2))
		if r.IntN(2) == 0 {
			layout, kernel, weight = "NHWC", "HWIO", "(3, 2, 2, 3)"
			shape = fmt.Sprintf("(1, %d, %d, 2)", 5+n(4), 5+n(4))
			width = fmt.Sprintf("[[0, 0], [%d, %d], [%d, %d], [0, 0]]", n(2), n(2), n(2), n(2))
		}
		pad := fmt.Sprintf("%%0 = nn.pad(%%x, %s, pad_width=%s);\n", pick("0f", "0f", "0f", "1f", "-3.4028235e38f"), width)
		own := fmt.Sprintf("padding=[%d, %d, %d, %d]", n(1), n(1), n(1), n(1))
		if r.IntN(2) == 0 {
			own = "padding=[0, 0, 0, 0]"
		}
		window := fmt.Sprintf("strides=[%d, %d], %s", 1+n(1), 1+n(1), own)
		body := fmt.Sprintf("nn.conv2d(%%0, %%w, %s, data_layout=%q, kernel_layout=%q)", window, layout, kernel)
		switch r.IntN(3) {
		case 0:
			body = fmt.Sprintf("nn.max_pool2d(%%0, pool_size=[2, 3], %s, layout=%q, ceil_mode=%s)", window, layout, pick("True", "False"))
		case 1:
			body = fmt.Sprintf("nn.avg_pool2d(%%0, pool_size=[2, 3], %s, layout=%q, ceil_mode=%s, count_include_pad=%s)", window, layout, pick("True", "False"), pick("True", "False"))
		}
		return fmt.Sprintf("def @main(%%x: Tensor[%s, float32], %%w: Tensor[%s, float32]) {\n%s%s\n}", shape, weight, pad, body)
	case 1: // a convolution between blocks
		b1, b2, k1, k2 := 1+n(2), 1+n(2), 1+n(2), 1+n(2)
		h, w := 4+n(4), 4+n(4)
		edge := func(b, k, h int) (string, string) {
			before := (k - 1) * b / 2
			after := (k-1)*b - before
			extra := (b - (h+before+after)%b) % b
			return fmt.Sprintf("[%d, %d]", before, after+extra), fmt.Sprintf("[0, %d]", extra)
		}
		p1, c1 := edge(b1, k1, h)
		p2, c2 := edge(b2, k2, w)
		return fmt.Sprintf(`def @main(%%x: Tensor[(1, %d, %d, 2), float32], %%w: Tensor[(%d, %d, 2, 3), float32]) {
  %%0 = nn.space_to_batch_nd(%%x, block_shape=[%d, %d], paddings=[%s, %s]);
  %%1 = nn.conv2d(%%0, %%w, padding=[0, 0, 0, 0], data_layout="NHWC", kernel_layout="HWIO");
  nn.relu(nn.batch_to_space_nd(%%1, block_shape=[%d, %d], crops=[%s, %s]))
}`, h, w, k1, k2, b1, b2, p1, p2, b1, b2, c1, c2)
	case 2: // a bias along an axis
		axis := n(3) - 1
		extent := []int{3, 2, 3, 4}[axis+1]
		if axis == -1 {
			extent = 4
		}
		return fmt.Sprintf("def @main(%%x: Tensor[(2, 3, 4), float32], %%b: Tensor[(%d), float32]) { nn.relu(nn.bias_add(%%x, %%b, axis=%d)) }", extent, axis)
	}
	extra := pick("%1", "nn.dropout(%1).0", "nn.l2_normalize(%1, eps=0.001f, axis=[1])")
	return fmt.Sprintf(`def @main(%%x: Tensor[(2, 3, 4), float32], %%g: Tensor[(3), float32], %%b: Tensor[(3), float32]) {
  %%0 = nn.batch_norm(%%x, %%g, %%b, %%b, abs(%%g), axis=%s, epsilon=0.1f, scale=%s, center=%s);
  let %%dead = if (True) { exp(%%x) } else { %%x };
  %%1 = %%0.0;
  nn.relu(%s)
}`, pick("1", "-2"), pick("True", "False"), pick("True", "False"), extra)
}

// outputs runs a program, whose operators of Relay it replaces by others that say the same.
func outputs(t passtest.Failer, m *ir.Module) []*tensor.Tensor {
	t.Helper()
	f := ir.MustLookup[*relax.Function](m, "main")
	args, err := graphrun.Inputs(f, 3, 7)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*pass.Pass{relaypass.ToRelax, transform.DecomposeOps, transform.LegalizeOps} {
		if m, err = passtest.NewContext().Run(p, m); err != nil {
			t.Fatal(err)
		}
	}
	v, err := graphrun.Run(context.Background(), m, "main", args...)
	if err != nil {
		t.Fatalf("%v in\n%s", err, passtest.Text(m))
	}
	return graphrun.Tensors(v)
}
