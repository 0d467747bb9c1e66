package relaypass_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relaypass"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// withArgs is a pass with options.
func withArgs(t *testing.T, p *pass.Pass, args ...any) *pass.Pass {
	t.Helper()
	p, err := p.With(ir.NewAttrs(args...))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCombineParallelConv2DPairs(t *testing.T) {
	const params = "%x: Tensor[(1, 4, 6, 6), float32], %w1: Tensor[(2, 4, 1, 1), float32], %w2: Tensor[(3, 4, 1, 1), float32], %w3: Tensor[(3, 4, 3, 3), float32], " +
		"%s1: Tensor[(2, 1, 1), float32], %s2: Tensor[(3, 1, 1), float32], %k: Tensor[(1), float32], %d: Tensor[(4, 1, 1, 1), float32]"
	const both = "%0 = concatenate((%w1, %w2)); %1 = nn.conv2d(%x, %0); "
	const slices = "strided_slice(V, begin=[0, 0], end=[-1, 2], strides=[1, 1], slice_mode=\"size\"), strided_slice(V, begin=[0, 2], end=[-1, 3], strides=[1, 1], slice_mode=\"size\")"
	of := func(v string) string { return "(" + strings.ReplaceAll(slices, "V", v) }
	runPairs(t, withArgs(t, relaypass.CombineParallelConv2D, "min_num_branches", int64(2)), []pair{
		{name: "another window", params: params, before: "(nn.conv2d(%x, %w1), nn.conv2d(%x, %w3), nn.conv2d(%x, %w2))", after: strings.Replace(both+of("%1")+")", ", strided_slice(%1, begin=[0, 2]", ", nn.conv2d(%x, %w3), strided_slice(%1, begin=[0, 2]", 1)},
		{name: "what follows both", params: params, before: "(nn.relu(multiply(nn.conv2d(%x, %w1), %s1)), nn.relu(multiply(nn.conv2d(%x, %w2), %s2)))", after: both + "%2 = nn.relu(multiply(%1, concatenate((%s1, %s2)))); " + of("%2") + ")"},
		{
			name: "a scale that is no channel's", params: params, before: "(multiply(nn.conv2d(%x, %w1), %k), multiply(nn.conv2d(%x, %w2), %k))",
			after: both + "%2 = " + strings.Replace(strings.TrimPrefix(of("%1"), "("), ", strided", "; %3 = strided", 1) + "; (multiply(%2, %k), multiply(%3, %k))",
		},
		{
			name: "weights that are computed between", params: params, before: "%0 = nn.conv2d(%x, exp(%w1)); (%0, nn.conv2d(%x, exp(%w2)))",
			after: "%0 = concatenate((exp(%w1), exp(%w2))); %1 = nn.conv2d(%x, %0); " + of("%1") + ")",
		},
		{
			name: "weights that depend on the other", params: params,
			before: "%0 = nn.conv2d(%x, %w1); %1 = sum(%0); (%0, nn.conv2d(%x, multiply(%w2, %1)))",
		},
		{
			name: "a bias that depends on the other", params: params,
			before: "%0 = nn.conv2d(%x, %w1); %1 = add(%0, %s1); %2 = nn.conv2d(%x, %w2); (%1, add(%2, multiply(%s2, sum(%1))))",
			after: both + "%2 = strided_slice(%1, begin=[0, 0], end=[-1, 2], strides=[1, 1], slice_mode=\"size\"); %3 = add(%2, %s1); " +
				"%4 = strided_slice(%1, begin=[0, 2], end=[-1, 3], strides=[1, 1], slice_mode=\"size\"); (%3, add(%4, multiply(%s2, sum(%3))))",
		},
		{name: "groups", params: params, before: "(nn.conv2d(%x, %d, groups=4), nn.conv2d(%x, %d, groups=4))"},
		{name: "lets", params: params, before: "let %a = nn.conv2d(%x, %w1); let %b = nn.conv2d(%x, %w2); (%a, %b)"},
	})
	runPairs(t, relaypass.CombineParallelConv2D, []pair{{name: "too few", params: params, before: "(nn.conv2d(%x, %w1), nn.conv2d(%x, %w2))"}})
}

func TestCombineParallelDensePairs(t *testing.T) {
	const params = "%x: Tensor[(3, 4), float32], %w1: Tensor[(5, 4), float32], %w2: Tensor[(5, 4), float32], %w3: Tensor[(10, 4), float32], " +
		"%b: Tensor[(5), float32], %c: Tensor[(3, 5), float32], %d: Tensor[(10), float32], %s: float32, %e: Tensor[(9, 3, 5), float32], %f: Tensor[(9, 3, 1), float32]"
	const batch = "%0 = nn.batch_matmul(stack((%x, %x)), stack((%w1, %w2)), transpose_b=True); "
	const parts = "%9 = split(V, indices_or_sections=2); (squeeze(%9.0, axis=[0]), squeeze(%9.1, axis=[0]))"
	runPairs(t, withArgs(t, relaypass.CombineParallelDense, "min_num_branches", int64(2)), []pair{
		{name: "two", params: params, before: "(nn.dense(%x, %w1), nn.dense(%x, %w2))", after: batch + strings.ReplaceAll(parts, "V", "%0")},
		{
			name: "a bias of one axis", params: params, before: "(add(nn.dense(%x, %w1), %b), add(nn.dense(%x, %w2), %b))",
			after: batch + "%1 = add(%0, stack((expand_dims(%b, axis=0), expand_dims(%b, axis=0)))); " + strings.ReplaceAll(parts, "V", "%1"),
		},
		{
			name: "a bias of two axes", params: params, before: "(add(nn.dense(%x, %w1), %c), add(nn.dense(%x, %w2), %c))",
			after: batch + "%1 = add(%0, stack((%c, %c))); " + strings.ReplaceAll(parts, "V", "%1"),
		},
		{name: "another width", params: params, before: "(nn.dense(%x, %w1), nn.dense(%x, %w3))"},
	})
	const wide = "%0 = nn.dense(%x, concatenate((%w1, %w3)), units=15); "
	cut := func(v, front, ends, ones string) string {
		slice := func(begin, n int) string {
			return fmt.Sprintf("strided_slice(%s, begin=[%s%d], end=[%s%d], strides=[%s1], slice_mode=\"size\")", v, front, begin, ends, n, ones)
		}
		return "(" + slice(0, 5) + ", " + slice(5, 10) + ")"
	}
	var flat []pair
	for _, x := range [][3]string{ // the biases, and what they are beside each other
		{"%b", "%d", "concatenate((%b, %d))"},
		{"%s", "%s", "concatenate((repeat(expand_dims(%s, axis=-1), repeats=5, axis=0), repeat(expand_dims(%s, axis=-1), repeats=10, axis=0)))"},
		{"%f", "%f", "concatenate((repeat(%f, repeats=5, axis=2), repeat(%f, repeats=10, axis=2)), axis=2)"},
		{"%e", "%f", "concatenate((%e, repeat(%f, repeats=10, axis=2)), axis=2)"},
	} {
		front, ends, ones := "0, ", "-1, ", "1, "
		if strings.Contains(x[1], "%f") {
			front, ends, ones = "0, 0, ", "-1, -1, ", "1, 1, "
		}
		flat = append(flat, pair{
			name: "biases " + x[0] + x[1], params: params, before: fmt.Sprintf("(add(nn.dense(%%x, %%w1), %s), add(nn.dense(%%x, %%w3), %s))", x[0], x[1]),
			after: wide + "%1 = add(%0, " + x[2] + "); " + cut("%1", front, ends, ones),
		})
	}
	flat = append(flat, pair{
		name: "columns that are not last", params: params, before: "(add(expand_dims(nn.dense(%x, %w1), axis=2), %s), add(expand_dims(nn.dense(%x, %w3), axis=2), %s))",
		after: wide + "%1 = expand_dims(%0, axis=2); %2 = strided_slice(%1, begin=[0, 0, 0], end=[-1, 5, -1], strides=[1, 1, 1], slice_mode=\"size\"); " +
			"%3 = strided_slice(%1, begin=[0, 5, 0], end=[-1, 10, -1], strides=[1, 1, 1], slice_mode=\"size\"); (add(%2, %s), add(%3, %s))",
	})
	runPairs(t, withArgs(t, relaypass.CombineParallelDense, "min_num_branches", int64(2), "to_batch", false), flat)
	runPairs(t, relaypass.CombineParallelDense, []pair{{name: "too few", params: params, before: "(nn.dense(%x, %w1), nn.dense(%x, %w2))"}})
}

func TestCombineParallelBatchMatmulPairs(t *testing.T) {
	const params = "%x: Tensor[(2, 3, 4), float32], %w1: Tensor[(2, 5, 4), float32], %w2: Tensor[(2, 6, 4), float32], %b1: Tensor[(5), float32], %b2: Tensor[(6), float32], %u: Tensor[(2, 4, 5), float32]"
	runPairs(t, withArgs(t, relaypass.CombineParallelBatchMatmul, "min_num_branches", int64(2)), []pair{
		{
			name: "with biases", params: params, before: "(add(nn.batch_matmul(%x, %w1, transpose_b=True), %b1), add(nn.batch_matmul(%x, %w2, transpose_b=True), %b2))",
			after: "%0 = add(nn.batch_matmul(%x, concatenate((%w1, %w2), axis=1), transpose_b=True), concatenate((%b1, %b2), axis=-1)); " +
				"(strided_slice(%0, begin=[0, 0, 0], end=[-1, -1, 5], strides=[1, 1, 1], slice_mode=\"size\"), strided_slice(%0, begin=[0, 0, 5], end=[-1, -1, 6], strides=[1, 1, 1], slice_mode=\"size\"))",
		},
		{name: "not transposed", params: params, before: "(nn.batch_matmul(%x, %u), nn.batch_matmul(%x, %u))"},
	})
	runPairs(t, relaypass.CombineParallelBatchMatmul, []pair{{name: "too few", params: params, before: "nn.batch_matmul(%x, %w1, transpose_b=True)"}})
}

// TestCombineParallelKeepsMeaning runs random programs of operators of one value before and after each of the passes.
func TestCombineParallelKeepsMeaning(t *testing.T) {
	least := int64(2)
	passes := []*pass.Pass{
		withArgs(t, relaypass.CombineParallelConv2D, "min_num_branches", least), withArgs(t, relaypass.CombineParallelBatchMatmul, "min_num_branches", least),
		withArgs(t, relaypass.CombineParallelDense, "min_num_branches", least), withArgs(t, relaypass.CombineParallelDense, "min_num_branches", least, "to_batch", false),
	}
	changed := map[string]int{}
	seed.Each(t, 120, func(t *testing.T, r *rand.Rand) {
		text := parallelProgram(r)
		m := read(t, text)
		want := outputs(t, m)
		for _, p := range passes {
			out, _ := passtest.Check(t, passtest.NewContext(), p, m)
			if out == m {
				continue
			}
			changed[p.Name]++
			if d := passtest.Differ(outputs(t, out), want); d != "" {
				t.Fatalf("%s: %s\nit made\n%s\nof\n%s", p.Name, d, passtest.Text(out), text)
			}
		}
	})
	t.Log(changed)
}

// parallelProgram has operators of one kind that take one value, and others behind and between them.
func parallelProgram(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	kind := r.IntN(3)
	dt := pick("float32", "float32", "int32")
	if kind == 0 {
		dt = "float32"
	}
	rows := r.IntN(4)
	params := fmt.Sprintf("%%x: Tensor[(%s), %s], %%k: Tensor[(1), %s], %%z: %s", []string{fmt.Sprintf("1, 2, %d, 3", rows+3), fmt.Sprintf("%d, 4", rows), fmt.Sprintf("2, %d, 4", rows)}[kind], dt, dt, dt)
	body, results := "", []string{}
	last := ""
	widths := []int{1, 2, 2, 2, 5}
	for i := range 2 + r.IntN(3) {
		n := widths[r.IntN(len(widths))]
		w, call := fmt.Sprintf("%%w%d", i), ""
		operand := w
		if r.IntN(3) == 0 {
			operand = "abs(" + w + ")"
			if last != "" && r.IntN(3) == 0 {
				operand = fmt.Sprintf("add(%s, sum(%s))", w, last)
			}
		}
		switch kind {
		case 0:
			params += fmt.Sprintf(", %s: Tensor[(%d, 2, 3, 3), %s]", w, n, dt)
			call = fmt.Sprintf("nn.conv2d(%%x, %s, padding=[%s])", operand, pick("1, 1", "1, 1", "0, 0"))
		case 1:
			params += fmt.Sprintf(", %s: Tensor[(%d, 4), %s]", w, n, dt)
			call = fmt.Sprintf("nn.dense(%%x, %s)", operand)
		case 2:
			params += fmt.Sprintf(", %s: Tensor[(2, %d, 4), %s]", w, n, dt)
			call = fmt.Sprintf("nn.batch_matmul(%%x, %s, transpose_b=True)", operand)
		}
		channel := []string{fmt.Sprintf("%d, 1, 1", n), fmt.Sprint(n), fmt.Sprint(n)}[kind]
		params += fmt.Sprintf(", %%c%d: Tensor[(%s), %s], %%b%d: Tensor[(%d), %s]", i, channel, dt, i, n, dt)
		for range r.IntN(4) {
			other := pick(fmt.Sprintf("%%c%d", i), fmt.Sprintf("%%c%d", i), fmt.Sprintf("%%c%d", i), "%k", "%z")
			if last != "" && r.IntN(8) == 0 {
				other = fmt.Sprintf("sum(%s)", last)
			}
			switch r.IntN(5) {
			case 0, 1:
				call = fmt.Sprintf("%s(%s, %s)", pick("add", "multiply"), call, other)
			case 2:
				call = fmt.Sprintf("subtract(%s, %s)", other, call)
			case 3:
				call = fmt.Sprintf("nn.relu(%s)", call)
			case 4:
				if kind == 2 {
					continue // of the axis in the middle
				}
				call = fmt.Sprintf("nn.bias_add(%s, %%b%d)", call, i)
			}
		}
		if kind == 1 && r.IntN(3) == 0 {
			call = fmt.Sprintf("expand_dims(%s, axis=%s)", call, pick("0", "1", "2", "-1"))
			call = fmt.Sprintf("add(%s, %s)", call, pick("%z", "%k", call))
		}
		last = fmt.Sprintf("%%%d", i)
		body += fmt.Sprintf("%s = %s;\n", last, call)
		results = append(results, last)
	}
	return fmt.Sprintf("def @main(%s) {\n%s(%s)\n}", params, body, strings.Join(results, ", "))
}
