package relaypass_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
	"github.com/irscope/irscope/compiler/relaypass"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// withLayouts is ConvertLayout with layouts for one operator or more: name, data, weights, ...
func withLayouts(t passtest.Failer, lists ...[]string) *pass.Pass {
	t.Helper()
	var desired *ir.Attrs
	for _, l := range lists {
		desired = desired.With(l[0], l[1:])
	}
	p, err := relaypass.ConvertLayout.With(ir.NewAttrs("desired_layouts", desired))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestConvertLayoutPairs(t *testing.T) {
	const (
		nhwc = "%x: Tensor[(1, 8, 8, 4), float32], %w: Tensor[(3, 3, 4, 8), float32]"
		nchw = "%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(8, 4, 3, 3), float32]"
		conv = `%0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1], data_layout="NHWC", kernel_layout="HWIO");` + "\n"
		to   = `%1 = layout_transform(%x, src_layout="NHWC", dst_layout="NCHW"); %2 = layout_transform(%w, src_layout="HWIO", dst_layout="OIHW"); %0 = nn.conv2d(%1, %2, padding=[1, 1, 1, 1]);` + "\n"
		to4  = `%1 = layout_transform(%x, src_layout="NCHW", dst_layout="NCHW4c"); %2 = layout_transform(%w, src_layout="OIHW", dst_layout="OIHW4i4o"); %0 = nn.contrib_conv2d_NCHWc(%1, %2, padding=[1, 1, 1, 1], channels=8, kernel_size=[3, 3], data_layout="NCHW4c", kernel_layout="OIHW4i4o");` + "\n"
	)
	runPairs(t, withLayouts(t, []string{"nn.conv2d", "NCHW", "default"}), []pair{
		{name: "what follows", params: nhwc, before: conv + "nn.relu(%0)", after: to + `layout_transform(nn.relu(%0), src_layout="NCHW", dst_layout="NHWC")`},
		{name: "an axis", params: nhwc, before: conv + "sum(%0, axis=[-1])", after: to + "sum(%0, axis=[1])"},
		{name: "what has no rule", params: nhwc, before: conv + "nn.batch_flatten(%0)", after: to + `nn.batch_flatten(layout_transform(%0, src_layout="NCHW", dst_layout="NHWC"))`},
		{name: "a vector beside", params: nhwc + ", %b: Tensor[(8), float32]", before: conv + "sum(add(%0, %b), axis=[1])", after: to + `%4 = expand_dims(%b, axis=0, num_newaxis=3); %5 = layout_transform(%4, src_layout="NHWC", dst_layout="NCHW"); %6 = sum(add(%0, %5), axis=[2]); layout_transform(%6, src_layout="NCW", dst_layout="NWC")`},
		{name: "a transpose is free", params: nhwc, before: conv + "transpose(%0, axes=[0, 3, 1, 2])", after: to + "transpose(%0, axes=[0, 1, 2, 3])"},
		{name: "pieces", params: nhwc, before: conv + "%1 = split(%0, indices_or_sections=2, axis=3); concatenate((%1.1, %1.0), axis=-1)", after: to + `%3 = split(%0, indices_or_sections=2, axis=1); layout_transform(concatenate((%3.1, %3.0), axis=1), src_layout="NCHW", dst_layout="NHWC")`},
		{name: "in that layout", params: nchw, before: "nn.relu(nn.conv2d(%x, %w))"},
		{name: "another operator", params: nhwc, before: `nn.max_pool2d(%x, pool_size=[2, 2], layout="NHWC")`},
	})
	runPairs(t, withLayouts(t, []string{"nn.conv2d", "NCHW4c", "OIHW4i4o"}), []pair{
		{name: "blocks", params: nchw, before: "%0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1]); nn.global_max_pool2d(%0)", after: to4 + `layout_transform(nn.global_max_pool2d(%0, layout="NCHW4c"), src_layout="NCHW4c", dst_layout="NCHW")`},
		{name: "a vector of channels", params: nchw + ", %b: Tensor[(8, 1, 1), float32]", before: "%0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1]); sum(add(%0, %b), axis=[1, 2, 3])", after: to4 + `%4 = expand_dims(%b, axis=0); %5 = layout_transform(%4, src_layout="NCHW", dst_layout="NCHW4c"); sum(add(%0, %5), axis=[1, 2, 3, 4])`},
		{name: "a part of the channels", params: nchw, before: "%0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1]); strided_slice(%0, begin=[4], end=[8], strides=[1], axes=[1])", after: to4 + `layout_transform(strided_slice(%0, begin=[1], end=[2], strides=[1], axes=[1]), src_layout="NCHW4c", dst_layout="NCHW")`},
		{name: "a part of a block", params: nchw, before: "%0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1]); strided_slice(%0, begin=[2], end=[8], strides=[1], axes=[1])", after: to4 + `strided_slice(layout_transform(%0, src_layout="NCHW4c", dst_layout="NCHW"), begin=[2], end=[8], strides=[1], axes=[1])`},
		{name: "channels that no block divides", params: "%x: Tensor[(1, 3, 8, 8), float32], %w: Tensor[(8, 3, 3, 3), float32]", before: "nn.relu(nn.conv2d(%x, %w))"},
		{name: "channels that are not known", params: "%x: Tensor[(1, ?, 8, 8), float32], %w: Tensor[(8, ?, 3, 3), float32]", before: "nn.relu(nn.conv2d(%x, %w))"},
	})
}

func TestConvertLayoutSettings(t *testing.T) {
	if p := relaypass.ConvertLayout; p.Level != 3 || p.Kind != pass.Function || !slices.Equal(p.Required, []string{"relay.InferType", "relay.CanonicalizeOps"}) {
		t.Error(p)
	}
}

// TestConvertLayoutErrors: what the option cannot mean is said.
func TestConvertLayoutErrors(t *testing.T) {
	m := read(t, "def @main(%x: Tensor[(2), float32]) { nn.relu(%x) }")
	for _, c := range []struct {
		list []string
		want string
	}{
		{[]string{"nn.conv2d", "NCHW"}, "nn.conv2d has 1 layouts, want 2"},
		{[]string{"nn.conv2d", "default", "OIHW"}, `layout "default"`},
		{[]string{"nn.conv2d", "NCHW4c", "default"}, `layout "default"`},
		{[]string{"nn.relu", "NCHW"}, "nn.relu is no operator whose layout can be asked for"},
		{[]string{"nn.max_pool2d", "N4"}, `layout "N4"`},
	} {
		_, err := passtest.NewContext().Run(withLayouts(t, c.list), m)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.list, err, c.want)
		}
	}
}

// TestConvertLayoutKeepsMeaning runs random programs around convolutions before and after.
func TestConvertLayoutKeepsMeaning(t *testing.T) {
	changed := 0
	seed.Each(t, 200, func(t *testing.T, r *rand.Rand) {
		text := imageProgram(r)
		m := read(t, text)
		data := []string{"NCHW", "NHWC", "NCHW2c", "NCHW4c", "HWNC"}[r.IntN(5)]
		weights := map[string]string{"NCHW2c": "OIHW2i2o", "NCHW4c": "OIHW4i4o"}[data]
		if weights == "" {
			weights = "default"
		}
		lists := [][]string{{"nn.conv2d", data, weights}}
		if r.IntN(3) == 0 {
			lists = append(lists, []string{"nn.max_pool2d", []string{"NHWC", "NCHW"}[r.IntN(2)]})
		}
		p := withLayouts(t, lists...)
		out, _ := passtest.Check(t, passtest.NewContext(), p, m)
		if out == m {
			return
		}
		changed++
		if d := passtest.Differ(outputs(t, plainLayouts(t, out)), outputs(t, plainLayouts(t, m))); d != "" {
			t.Fatalf("%v: %s\nit made\n%s\nof\n%s", lists, d, passtest.Text(out), text)
		}
	})
	t.Log(changed)
}

// images writes programs of operators on images.
type images struct {
	r    *rand.Rand
	text strings.Builder
	n    int
	vals []image
}

type image struct {
	name   string
	layout string
	dims   []int // in the order of the layout
}

func (g *images) pick(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *images) emit(layout string, dims []int, format string, args ...any) {
	g.n++
	name := fmt.Sprintf("%%v%d", g.n)
	fmt.Fprintf(&g.text, "  %s = "+format+";\n", append([]any{"%" + fmt.Sprint(g.n)}, args...)...)
	g.vals = append(g.vals, image{strings.Replace(name, "v", "", 1), layout, dims})
}

func imageProgram(r *rand.Rand) string {
	g := &images{r: r, n: -1}
	layout := g.pick("NCHW", "NHWC")
	ext := map[byte]int{'N': 1 + r.IntN(2), 'C': []int{1, 3, 4, 8}[r.IntN(4)], 'H': 3 + r.IntN(3), 'W': 3 + r.IntN(4)}
	shape := func(l string, e map[byte]int) []int {
		out := make([]int, len(l))
		for i := range l {
			out[i] = e[l[i]]
		}
		return out
	}
	params := []string{fmt.Sprintf("%%x: Tensor[(%s), float32]", commas(shape(layout, ext)))}
	g.vals = []image{{"%x", layout, shape(layout, ext)}}
	for range 2 + r.IntN(7) {
		v := g.vals[len(g.vals)-1]
		if r.IntN(4) == 0 {
			v = g.vals[r.IntN(len(g.vals))]
		}
		d := slices.Clone(v.dims)
		axis := r.IntN(len(d))
		at := axis
		if r.IntN(3) == 0 {
			at -= len(d)
		}
		image4 := len(v.layout) == 4
		switch k := r.IntN(17); {
		case k < 4 && image4: // a convolution
			out, groups := []int{1, 4, 8}[r.IntN(3)], 1
			c := strings.IndexByte(v.layout, 'C')
			in := d[c]
			if r.IntN(4) == 0 {
				groups, out = in, in
			}
			kernel := map[string][]string{"NCHW": {"OIHW"}, "NHWC": {"HWIO", "OHWI", "HWOI"}}[v.layout]
			kl := kernel[r.IntN(len(kernel))]
			w := fmt.Sprintf("%%w%d", len(params))
			params = append(params, fmt.Sprintf("%s: Tensor[(%s), float32]", w, commas(shape(kl, map[byte]int{'O': out, 'I': in / groups, 'H': 3, 'W': 1}))))
			d[c] = out
			g.emit(v.layout, d, `nn.conv2d(%s, %s, padding=[1, 0, 1, 0], groups=%d, data_layout=%q, kernel_layout=%q)`, v.name, w, groups, v.layout, kl)
		case k == 4:
			g.emit(v.layout, d, "%s(%s)", g.pick("nn.relu", "abs", "negative"), v.name)
		case k == 5: // beside what broadcasts
			n := 1 + r.IntN(len(d))
			beside := slices.Clone(d[len(d)-n:])
			for i := range beside {
				if r.IntN(3) == 0 {
					beside[i] = 1
				}
			}
			b := fmt.Sprintf("%%w%d", len(params))
			params = append(params, fmt.Sprintf("%s: Tensor[(%s), float32]", b, commas(beside)))
			if r.IntN(2) == 0 {
				g.emit(v.layout, d, "%s(%s, %s)", g.pick("add", "multiply", "maximum"), v.name, b)
			} else {
				g.emit(v.layout, d, "%s(%s, %s)", g.pick("add", "subtract"), b, v.name)
			}
		case k == 6:
			for _, u := range g.vals {
				if u.name != v.name && slices.Equal(u.dims, d) {
					g.emit(v.layout, d, "%s(%s, %s)", g.pick("add", "multiply"), v.name, u.name)
					break
				}
			}
		case k == 7: // a sum
			keep := r.IntN(2) == 0
			l := v.layout
			if keep {
				d[axis] = 1
			} else {
				d, l = slices.Delete(d, axis, axis+1), l[:axis]+l[axis+1:]
			}
			if len(d) == 0 {
				continue
			}
			g.emit(l, d, "%s(%s, axis=[%d], keepdims=%s)", g.pick("sum", "max", "mean"), v.name, at, map[bool]string{true: "True", false: "False"}[keep])
		case k == 8: // another order
			order := r.Perm(len(d))
			nd, l := make([]int, len(d)), ""
			for i, a := range order {
				nd[i] = d[a]
				l += v.layout[a : a+1]
			}
			if len(l) == 4 { // the operators say what axes they take
				l = g.pick("NCHW", "NHWC")
			}
			g.emit(l, nd, "transpose(%s, axes=[%s])", v.name, commas(order))
		case k == 9 && d[axis] > 1:
			cut := 1 + r.IntN(d[axis]-1)
			g.emit("", nil, "split(%s, indices_or_sections=[%d], axis=%d)", v.name, cut, at)
			g.vals = g.vals[:len(g.vals)-1]
			d[axis] -= cut
			g.emit(v.layout, d, "nn.relu(%%%d.1)", g.n)
		case k == 10:
			d[axis] *= 2
			g.emit(v.layout, d, "concatenate((%s, nn.relu(%s)), axis=%d)", v.name, v.name, at)
		case k == 11 && d[axis] > 1:
			from := r.IntN(d[axis])
			d[axis] -= from
			if r.IntN(2) == 0 {
				g.emit(v.layout, d, "strided_slice(%s, begin=[%d], end=[%d], strides=[1], axes=[%d])", v.name, from, d[axis]+from, axis)
				continue
			}
			begin, end := make([]int, len(d)), slices.Clone(d)
			begin[axis], end[axis] = from, d[axis]+from
			g.emit(v.layout, d, "strided_slice(%s, begin=[%s], end=[%s], strides=[1])", v.name, commas(begin), commas(end))
		case k == 12:
			widths := make([]string, len(d))
			for i := range d {
				lo, hi := r.IntN(2)*r.IntN(2), r.IntN(2)*r.IntN(2)
				d[i] += lo + hi
				widths[i] = fmt.Sprintf("[%d, %d]", lo, hi)
			}
			g.emit(v.layout, d, "nn.pad(%s, 0.5f, pad_width=[%s])", v.name, strings.Join(widths, ", "))
		case k == 13 && image4:
			h, w := strings.IndexByte(v.layout, 'H'), strings.IndexByte(v.layout, 'W')
			if d[h] < 2 || d[w] < 3 {
				continue
			}
			d[h], d[w] = d[h]-1, d[w]-2
			g.emit(v.layout, d, "nn.%s_pool2d(%s, pool_size=[2, 3], layout=%q)", g.pick("max", "avg"), v.name, v.layout)
		case k == 14 && d[axis] == 1 && len(d) > 1:
			g.emit(v.layout[:axis]+v.layout[axis+1:], slices.Delete(d, axis, axis+1), "squeeze(%s, axis=[%d])", v.name, at)
		case k == 15 && image4:
			c := strings.IndexByte(v.layout, 'C')
			s := fmt.Sprintf("%%w%d", len(params))
			params = append(params, fmt.Sprintf("%s: Tensor[(%d), float32]", s, d[c]))
			g.emit("", nil, "nn.batch_norm(%s, %s, %s, %s, abs(%s), axis=%d)", v.name, s, s, s, s, c)
			g.vals = g.vals[:len(g.vals)-1]
			g.emit(v.layout, d, "negative(%%%d.0)", g.n)
		case k == 16: // outside of the graph
			fmt.Fprintf(&g.text, "  let %%l%d = nn.relu(%s);\n", len(g.vals), v.name)
			g.vals = append(g.vals, image{fmt.Sprintf("%%l%d", len(g.vals)), v.layout, d})
		}
	}
	last := g.vals[len(g.vals)-1].name
	return fmt.Sprintf("def @main(%s) {\n%s  (%s, %s)\n}", strings.Join(params, ", "), g.text.String(), last, g.vals[r.IntN(len(g.vals))].name)
}

func commas(list []int) string {
	var s []string
	for _, n := range list {
		s = append(s, fmt.Sprint(n))
	}
	if len(s) == 1 {
		return s[0] + ","
	}
	return strings.Join(s, ", ")
}

// plainLayouts replaces what converts layouts, and what takes blocks, by operators of Relax.
func plainLayouts(t passtest.Failer, m *ir.Module) *ir.Module {
	t.Helper()
	f := ir.MustLookup[*relax.Function](m, "main")
	mu := op.NewExprMutator(m)
	out, err := dpl.RewriteCalls(mu, func(relax.Expr) bool { return true }, dpl.Wildcard(), func(e relax.Expr, _ dpl.Matches, _ dpl.Bindings) relax.Expr {
		c, ok := e.(*relax.Call)
		if !ok {
			return nil
		}
		o, _ := c.Op.(*ir.Op)
		switch {
		case o == nil:
		case o.Name == "relay.layout_transform":
			from, err := tensorlayout.Parse(c.Attrs.Str("src_layout", ""))
			if err != nil {
				t.Fatalf("%v in\n%s", err, passtest.Text(m))
			}
			to, err := tensorlayout.Parse(c.Attrs.Str("dst_layout", ""))
			if err != nil {
				t.Fatalf("%v in\n%s", err, passtest.Text(m))
			}
			im, err := tensorlayout.IndexMap(from, to)
			if err != nil {
				t.Fatal(err)
			}
			return op.LayoutTransform(c.Args[0], im)
		case o.Name == "relay.nn.contrib_conv2d_NCHWc", o.Name == "relay.nn.contrib_depthwise_conv2d_NCHWc":
			conv, err := op.New("relax.nn.conv2d", c.Args, c.Attrs.Without("channels").Without("kernel_size"))
			if err != nil {
				t.Fatal(err)
			}
			return conv
		case o.Name == "relay.strided_slice":
			axes := c.Attrs.Ints("axes")
			begin, end := c.Attrs.Ints("begin"), c.Attrs.Ints("end")
			if axes == nil {
				for i := range begin {
					axes = append(axes, int64(i))
				}
			}
			return op.StridedSlice(c.Args[0], axes, relax.Ints(begin), relax.Ints(end), nil)
		}
		return nil
	}, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m.With("main", out)
}
