package transform_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

// TestWinogradRounds compares by how much tiles round with by how much the definition does, in sums of 64 channels: tiles of 2 by no more, as the sums are nine times as short, tiles of 4 by four times as much.
func TestWinogradRounds(t *testing.T) {
	const channels, size = 64, 14
	x := &relax.Var{Name: "x", SInfo: relax.TensorOf(dtype.Float32T, relax.Ints([]int64{1, channels / 4, size, size, 4})...)}
	bb := op.NewBlockBuilder(nil)
	bb.BeginFunction("main", []*relax.Var{x}, relax.FuncOpts{})
	bb.BeginDataflow()
	w := weight(1, 1, channels/4, 3, 3, 4, 4)
	conv := func(x, w relax.Expr) relax.Expr {
		return must(bb.Emit(must(op.New("relax.nn.conv2d", []relax.Expr{x, w}, ir.NewAttrs("data_layout", "NCHW4c", "kernel_layout", "OIHW4i4o"))), ""))
	}
	wide := func(e relax.Expr) relax.Expr { return must(bb.Emit(op.AsType(e, dtype.Float64T), "")) }
	y := must(bb.EmitOutput(&relax.Tuple{Fields: []relax.Expr{conv(x, w), conv(wide(x), wide(w))}}, "y"))
	bb.EndDataflow()
	must(bb.EndFunction(y))
	m := bb.Module()
	loss := func(m *ir.Module) (sum float64) {
		out := outputs(t, m, 2, false)
		for k := range out[0].Len() {
			d := out[0].Float(k) - out[1].Float(k)
			sum += d * d
		}
		return math.Sqrt(sum)
	}
	plain := loss(m)
	for tile, most := range map[int64]float64{2: 1, 4: 5} {
		p := must(transform.ConvertConv2DToWinograd.With(ir.NewAttrs("tile", tile)))
		if got := loss(runPass(t, passtest.NewContext(), p, m)) / plain; got > most {
			t.Errorf("tiles of %d round by %.2g times as much, want at most %g", tile, got, most)
		}
	}
}

// smallCache is a target whose second cache no image fits, with threads.
func smallCache(t passtest.Failer) target.Target {
	t.Helper()
	return parsed(t, "x86 -keys=cpu -mattr=+avx2,+fma -l1-cache-bytes=256 -l2-cache-bytes=2048 -num-cores=2 -num-vector-registers=16")
}

// shortVectors is a target whose vectors are too short for blocks of channels.
func shortVectors(t passtest.Failer) target.Target {
	t.Helper()
	return parsed(t, "wasm -num-cores=2")
}

func parsed(t passtest.Failer, text string) target.Target {
	t.Helper()
	out, err := target.Parse(text)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return out
}

// drawConv draws a convolution 3x3 with all that may stand around it, and a second one that reads it.
func drawConv(t *rapid.T) *ir.Module {
	n := func(least, most int, what string) int64 { return int64(rapid.IntRange(least, most).Draw(t, what)) }
	batch := tir.Expr(tir.Int(n(1, 2, "batch")))
	if rapid.Bool().Draw(t, "symbolic") {
		batch = tir.NewVar("n", dtype.Int64T)
	}
	pads := func() []int64 { return []int64{n(0, 2, "above"), n(0, 2, "left"), n(0, 2, "below"), n(0, 2, "right")} }
	channels, middle := 4*n(1, 2, "channels"), 4*n(1, 2, "middle")
	x := &relax.Var{Name: "x", SInfo: relax.TensorOf(dtype.Float32T, batch, tir.Int(channels), tir.Int(n(3, 11, "height")), tir.Int(n(3, 11, "width")))}
	bb := op.NewBlockBuilder(nil)
	bb.BeginFunction("main", []*relax.Var{x}, relax.FuncOpts{})
	bb.BeginDataflow()
	conv := func(v relax.Expr, values uint64, in, out int64) *relax.Var {
		return must(bb.Emit(must(op.New("relax.nn.conv2d", []relax.Expr{v, weight(values, out, in, 3, 3)}, ir.NewAttrs("padding", pads()))), ""))
	}
	v := conv(x, 1, channels, middle)
	first := v
	if rapid.Bool().Draw(t, "bias") {
		v = must(bb.Emit(op.Binary("add", v, weight(2, middle, 1, 1)), ""))
	}
	if rapid.Bool().Draw(t, "relu") {
		v = must(bb.Emit(op.Unary("nn.relu", v), ""))
	}
	if height, known := tir.AsInt(sizeOf(v, 2)); rapid.Bool().Draw(t, "again") && known && height > 2 && !tir.IsConst(sizeOf(v, 3), 1) && !tir.IsConst(sizeOf(v, 3), 2) {
		v = conv(v, 3, middle, 4)
	}
	out := relax.Expr(v)
	if rapid.Bool().Draw(t, "both") { // the first one's result leaves its kernel besides what follows
		out = &relax.Tuple{Fields: []relax.Expr{v, first}}
	}
	y := must(bb.EmitOutput(out, "y"))
	bb.EndDataflow()
	must(bb.EndFunction(y))
	return bb.Module()
}

// sizeOf is an extent of a tensor.
func sizeOf(v *relax.Var, axis int) tir.Expr {
	dims, _ := relax.SInfoOf(v).(*relax.TensorStructInfo).Dims()
	return dims[axis]
}

// TestWinogradKeepsMeaning convolves tile by tile, and schedules that for a machine with small caches.
func TestWinogradKeepsMeaning(t *testing.T) {
	found := map[string]int{}
	seed.Check(t, func(t *rapid.T) {
		m := drawConv(t)
		want := outputs(t, m, 2, false)
		tile := rapid.SampledFrom([]int64{2, 4}).Draw(t, "tile")
		kind, machine, passes := "", smallCache, []*pass.Pass{must(transform.BlockConvLayout.With(ir.NewAttrs("block", int64(4))))}
		if rapid.Bool().Draw(t, "plain") {
			kind, machine, passes = "plain ", shortVectors, nil
		}
		tiles := must(transform.ConvertConv2DToWinograd.With(ir.NewAttrs("tile", tile, "rows", int64(rapid.IntRange(0, 3).Draw(t, "rows")))))
		c := func() *pass.Context { return passtest.NewContext(pass.WithTarget(machine(t))) }
		for _, p := range append(passes, tiles) {
			m, _ = check(t, c(), p, m)
		}
		if d := differInSums(outputs(t, m, 2, false), want); d != "" {
			t.Fatalf("%s: tiles of %d made\n%s", d, tile, passtest.Text(m))
		}
		if strings.Contains(passtest.Text(m), "winograd_products") {
			found[fmt.Sprint(kind, "tile ", tile)]++
		}
		for _, p := range []*pass.Pass{tunedLegalizeOps, transform.AnnotateTIROpPattern, transform.FuseOps, transform.FuseTIR, transform.ApplyDefaultSchedule} {
			m = runPass(t, c(), p, m)
		}
		if d := differInSums(outputs(t, m, 2, true), want); d != "" {
			t.Fatalf("%s: scheduled, it is\n%s", d, passtest.Text(m))
		}
		for _, kernel := range m.Funcs() {
			if f, ok := kernel.(*tir.PrimFunc); ok && strings.Contains(passtest.Text(ir.NewModule().With("f", f)), "winograd_products_update") {
				found[kind+merged(f)]++
			}
		}
	})
	for _, what := range []string{"tile 2", "tile 4", "plain tile 2", "plain tile 4", "one nest", "nests", "plain one nest behind others", "plain nests"} {
		if found[what] == 0 && !testing.Short() {
			t.Errorf("no example of %q: %v", what, found)
		}
	}
}

// TestWinogradThreads shares the bands of one nest, with a row of the last one left over.
func TestWinogradThreads(t *testing.T) {
	m := read(t, `
@R.function
def main(x: R.Tensor((2, 2, 23, 24, 8), "float32")):
    with R.dataflow():
        y = R.nn.conv2d(x, R.broadcast_to(R.const([0.5, -0.25, 1.0, 0.125, -0.5, 0.75, 0.0, 2.0], "float32"), R.shape([2, 2, 3, 3, 8, 8])), data_layout="NCHW8c", kernel_layout="OIHW8i8o", padding=[1, 1])
        z = R.nn.relu(y)
        R.output(z)
    return z
`)
	want := outputs(t, m, 2, false)
	c := func() *pass.Context { return passtest.NewContext(pass.WithTarget(smallCache(t))) }
	for _, p := range []*pass.Pass{
		must(transform.ConvertConv2DToWinograd.With(ir.NewAttrs("tile", int64(2), "rows", int64(5)))),
		tunedLegalizeOps, transform.AnnotateTIROpPattern, transform.FuseOps, transform.FuseTIR, transform.ApplyDefaultSchedule,
	} {
		m = runPass(t, c(), p, m)
	}
	if d := differInSums(outputs(t, m, 2, true), want); d != "" {
		t.Error(d)
	}
	if got := merged(ir.MustLookup[*tir.PrimFunc](m, "fused_conv2d_winograd_relu")); got != "one nest of threads" {
		t.Errorf("the kernel is %s:\n%s", got, passtest.Text(m))
	}
}

// TestWinogradSmall computes a small image in bands if threads share them, and at once if there is one thread.
func TestWinogradSmall(t *testing.T) {
	for cores, want := range map[string]string{"1": "nests", "2": "one nest of threads"} {
		tg, err := target.Parse("x86 -keys=cpu -mattr=+avx2,+avx512f,+avx512vl,+avx512bw,+avx512dq,+fma -max-simd-width=512 -num-vector-registers=32 -l2-cache-bytes=1048576 -num-cores=" + cores)
		if err != nil {
			t.Fatal(err)
		}
		m := read(t, `
@R.function
def main(x: R.Tensor((1, 8, 14, 14, 16), "float32")):
    with R.dataflow():
        y = R.nn.conv2d(x, R.broadcast_to(R.const(0.5, "float32"), R.shape([2, 8, 3, 3, 16, 16])), data_layout="NCHW16c", kernel_layout="OIHW16i16o", padding=[1, 1])
        R.output(y)
    return y
`)
		for _, p := range []*pass.Pass{transform.ConvertConv2DToWinograd, tunedLegalizeOps, transform.ApplyDefaultSchedule} {
			m = runPass(t, passtest.NewContext(pass.WithTarget(tg)), p, m)
		}
		if got := merged(ir.MustLookup[*tir.PrimFunc](m, "conv2d_winograd")); got != want {
			t.Errorf("%s cores: the kernel is %s, want %s", cores, got, want)
		}
	}
}

// TestWinogradRowsAreNoBands: where the bands would make as good tiles of rows as the tiles of a band, they stay the outermost loop, around all steps.
func TestWinogradRowsAreNoBands(t *testing.T) {
	machine, err := target.Parse("x86 -keys=cpu -mattr=+avx2,+fma,+avx512f -l2-cache-bytes=1048576 -num-cores=1 -num-vector-registers=32")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ rows, height, width int64 }{{2, 120, 160}, {2, 60, 80}, {2, 28, 28}, {4, 56, 10}, {2, 8, 2}} {
		m := read(t, fmt.Sprintf(`
@R.function
def main(x: R.Tensor((1, 4, %d, %d, 16), "float32")):
    with R.dataflow():
        y = R.nn.conv2d(x, R.broadcast_to(R.const(0.5, "float32"), R.shape([4, 4, 3, 3, 16, 16])), data_layout="NCHW16c", kernel_layout="OIHW16i16o", padding=[1, 1])
        z = R.nn.relu(y)
        R.output(z)
    return z
`, c.height, c.width))
		for _, p := range []*pass.Pass{
			must(transform.ConvertConv2DToWinograd.With(ir.NewAttrs("tile", int64(2), "rows", c.rows))),
			tunedLegalizeOps, transform.AnnotateTIROpPattern, transform.FuseOps, transform.FuseTIR, transform.ApplyDefaultSchedule,
		} {
			m = runPass(t, passtest.NewContext(pass.WithTarget(machine)), p, m)
		}
		if got := merged(ir.MustLookup[*tir.PrimFunc](m, "fused_conv2d_winograd_relu")); got != "one nest" {
			t.Errorf("%+v: the kernel is %s", c, got)
		}
	}
}

// TestBandsOfOthers schedules blocks that say that they end bands, and do not.
func TestBandsOfOthers(t *testing.T) {
	for _, rows := range []string{"2", "-1", "9223372036854775807"} {
		m := read(t, `
@T.prim_func
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    B = T.alloc_buffer((16,), "float32")
    for i, j in T.grid(4, 4):
        with T.block("b"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.block_attr({"band_rows": `+rows+`})
            B[vi * 4 + vj] = A[vi * 4 + vj]
            B[vi * 4 + vj] = B[vi * 4 + vj] + T.float32(1)
    for i in range(16):
        with T.block("c"):
            vi = T.axis.spatial(16, i)
            C[vi] = B[15 - vi]
`)
		out := runPass(t, passtest.NewContext(pass.WithTarget(smallCache(t))), transform.ApplyDefaultSchedule, m)
		if strings.Count(passtest.Text(out), "with T.block") < 3 {
			t.Errorf("%s rows: %s", rows, passtest.Text(out))
		}
	}
}

// merged says whether one nest holds all steps of a kernel.
func merged(f *tir.PrimFunc) string {
	seq, several := f.Body.(*tir.BlockRealize).Block.Body.(*tir.SeqStmt)
	l, loop := f.Body.(*tir.BlockRealize).Block.Body.(*tir.For)
	switch {
	case several && len(leavesOf(seq.Seq[len(seq.Seq)-1])) > 2:
		return "one nest behind others"
	case several && len(seq.Seq) > 2:
		return "nests"
	case loop && l.Kind == tir.Parallel:
		return "one nest of threads"
	case loop:
		return "one nest"
	}
	return "versions"
}

// leavesOf lists the blocks of a statement that hold no others.
func leavesOf(s tir.Stmt) (out []*tir.Block) {
	ir.Walk(s, func(n ir.Node) bool {
		b, ok := n.(*tir.Block)
		if ok {
			out = append(out, b)
		}
		return !ok
	})
	return out
}

// TestWinogradWhere lists what stays as it is, and why.
func TestWinogradWhere(t *testing.T) {
	blocks := func(weights, attrs string) string {
		return fmt.Sprintf(`
@R.function
def main(x: R.Tensor((1, 2, 12, 12, 16), "float32"), w: R.Tensor((2, 2, 3, 3, 16, 16), "float32")):
    with R.dataflow():
        k = %s
        y = R.nn.conv2d(x, k, %s)
        R.output(y)
    return y
`, weights, attrs)
	}
	const constant, layouts = `R.broadcast_to(R.const(0.5, "float32"), R.shape([2, 2, 3, 3, 16, 16]))`, `data_layout="NCHW16c", kernel_layout="OIHW16i16o"`
	const avx, wasm = "x86 -keys=cpu -mattr=+avx2,+fma -max-simd-width=256", "wasm"
	plain := func(in, out int) string {
		return fmt.Sprintf("@R.function\ndef main(x: R.Tensor((1, %d, 5, 5), \"float32\")):\n    y = R.nn.conv2d(x, R.broadcast_to(R.const(0.5, \"float32\"), R.shape([%d, %d, 3, 3])))\n    return y\n", in, out, in)
	}
	for _, c := range []struct{ name, text, want, target string }{
		{"tiles", blocks(constant, layouts), "", avx},
		{"result in the layout of the data", blocks(constant, layouts+`, out_layout="NCHW16c"`), "", avx},
		{"stride", blocks(constant, layouts+", strides=[1, 2]"), "its stride is 2, not 1", avx},
		{"dilation", blocks(constant, layouts+", dilation=[2, 2]"), "its dilation is 2, not 1", avx},
		{"result in another layout", blocks(constant, layouts+`, out_layout="NCHW4c"`), "its layouts are not those of blocks of channels", avx},
		{"weights of the user", blocks("w", layouts), "its weights are not constant: they would be transformed at each inference", avx},
		{"windows", blocks(`R.broadcast_to(R.const(0.5, "float32"), R.shape([2, 2, 3, 1, 16, 16]))`, layouts), "its windows are 3x1, not 3x3", avx},
		{"no blocks", plain(4, 4), "its channels are not in blocks", avx},
		{"short vectors", plain(4, 8), "", wasm},
		{"parts of vectors of data", plain(6, 4), "6 channels to 4 are no whole vectors of 4", wasm},
		{"parts of vectors of results", plain(8, 2), "8 channels to 2 are no whole vectors of 4", wasm},
		{"doubles", "@R.function\ndef main(x: R.Tensor((1, 2, 5, 5), \"float64\")):\n    y = R.nn.conv2d(x, R.broadcast_to(R.const(0.5, \"float64\"), R.shape([2, 2, 3, 3])))\n    return y\n", "its tensors are not of type float32", avx},
		{"size", strings.Replace(blocks(constant, layouts), "12, 12", `"h", 12`, 1), "the size of its images is not known", avx},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &why{}
			out, _ := check(t, passtest.NewContext(pass.Observe(w), pass.WithTarget(parsed(t, c.target))), must(transform.ConvertConv2DToWinograd.With(ir.NewAttrs("tile", int64(2)))), read(t, c.text))
			if got := strings.Contains(passtest.Text(out), "winograd"); got != (c.want == "") || got == slices.Contains(w.reasons, c.want) {
				t.Errorf("the reasons are %q, want %q:\n%s", w.reasons, c.want, passtest.Text(out))
			}
		})
	}
}

// TestWinogradPays says which convolutions of networks take tiles, by level, for a machine with a second cache of 1 MiB.
func TestWinogradPays(t *testing.T) {
	machine, err := target.Parse("x86 -keys=cpu -mattr=+avx2,+fma,+avx512f -l2-cache-bytes=1048576 -num-cores=1 -num-vector-registers=32")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		in, out, size int64
		atTwo, atFour string
	}{
		{64, 64, 56, "16", "36"},   // ResNet
		{128, 128, 28, "16", "36"}, // ResNet
		{256, 256, 14, "16", "36"}, // ResNet
		{512, 512, 7, "16", "16"},  // ResNet, where larger weights take what fewer products save
		{16, 64, 55, "16", "36"},   // SqueezeNet
		{64, 64, 224, "16", "36"},  // VGG
		{16, 16, 112, "16", "36"},
		{512, 512, 2, "", ""}, // one tile for all the weights
	} {
		for level, want := range map[int]string{2: c.atTwo, 3: c.atFour} {
			m := read(t, fmt.Sprintf(`
@R.function
def main(x: R.Tensor((1, %d, %d, %d, 16), "float32")):
    with R.dataflow():
        y = R.nn.conv2d(x, R.broadcast_to(R.const(0.5, "float32"), R.shape([%d, %d, 3, 3, 16, 16])), data_layout="NCHW16c", kernel_layout="OIHW16i16o", padding=[1, 1])
        R.output(y)
    return y
`, c.in/16, c.size, c.size, c.out/16, c.in/16))
			out, _ := check(t, passtest.NewContext(pass.OptLevel(level), pass.WithTarget(machine)), transform.ConvertConv2DToWinograd, m)
			got := ""
			for _, products := range []string{"16", "36"} {
				if strings.Contains(passtest.Text(out), fmt.Sprintf("u: T.Buffer((T.int64(%s), T.int64(%d)", products, c.out/16)) ||
					strings.Contains(passtest.Text(out), fmt.Sprintf("R.Tensor((%s, %d, %d, 16, 16)", products, c.out/16, c.in/16)) {
					got = products
				}
			}
			if got != want {
				t.Errorf("%d to %d channels of %dx%d at opt_level %d: %q products for a tile, want %q", c.in, c.out, c.size, c.size, level, got, want)
			}
		}
	}
}

// TestWinogradPaysInNCHW says which convolutions take tiles where vectors have four lanes: moving channels to where they are beside each other takes what few of them save.
func TestWinogradPaysInNCHW(t *testing.T) {
	for _, c := range []struct {
		in, out, size int64
		want          bool
	}{
		{64, 64, 56, true},
		{128, 128, 28, true},
		{512, 512, 7, true},
		{64, 64, 224, true},
		{12, 20, 112, true},
		{4, 64, 112, false},
		{64, 4, 112, false},
		{512, 512, 2, false},
		{8, 8, 14, false},
	} {
		m := read(t, fmt.Sprintf(`
@R.function
def main(x: R.Tensor((1, %d, %d, %d), "float32")):
    with R.dataflow():
        y = R.nn.conv2d(x, R.broadcast_to(R.const(0.5, "float32"), R.shape([%d, %d, 3, 3])), padding=[1, 1])
        R.output(y)
    return y
`, c.in, c.size, c.size, c.out, c.in))
		out, _ := check(t, passtest.NewContext(pass.WithTarget(target.Default())), transform.ConvertConv2DToWinograd, m)
		if got := strings.Contains(passtest.Text(out), "winograd"); got != c.want {
			t.Errorf("%d to %d channels of %dx%d: tiles %v, want %v", c.in, c.out, c.size, c.size, got, c.want)
		}
	}
}
