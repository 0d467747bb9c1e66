package cpu_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

// nestsOf lists the buffers that a function allocates and its leaf blocks with their loops, outermost
// first: v is a loop over vectors, u an unrolled one, ? a symbolic extent.
func nestsOf(f *tir.PrimFunc) string {
	var out []string
	size := func(e tir.Expr) string {
		if n, ok := tir.AsInt(e); ok {
			return fmt.Sprint(n)
		}
		return "?"
	}
	var visit func(st tir.Stmt, loops string)
	visit = func(st tir.Stmt, loops string) {
		switch st := st.(type) {
		case *tir.SeqStmt:
			for _, x := range st.Seq {
				visit(x, loops)
			}
		case *tir.For:
			visit(st.Body, loops+" "+size(st.Extent)+map[tir.ForKind]string{tir.Vectorized: "v", tir.Unrolled: "u"}[st.Kind])
		case *tir.IfThenElse:
			out = append(out, "if")
			visit(st.Then, loops)
			out = append(out, "else")
			visit(st.Else, loops)
		case *tir.BlockRealize:
			for _, b := range st.Block.AllocBuffers {
				line := b.Name + "["
				for k, n := range b.Shape {
					line += strings.Repeat(" ", min(k, 1)) + size(n)
				}
				out = append(out, strings.TrimSpace(line+"] "+strings.TrimPrefix(b.Scope(), "global")))
			}
			if len(st.Block.IterVars) > 0 {
				out = append(out, st.Block.Name+":"+loops)
				return
			}
			visit(st.Block.Body, loops)
		}
	}
	visit(f.Body, "")
	return strings.Join(out, "\n")
}

// TestChoices tells how kernels are computed, by their shapes.
func TestChoices(t *testing.T) {
	n := tir.NewSizeVar("n", dtype.Int64T)
	matmul := func(m, k, c any, o topi.MatmulOpts) []*te.Tensor {
		a, b := in("a", m, k), in("b", k, c)
		if o.TransposeB {
			b = in("b", c, k)
		}
		return []*te.Tensor{a, b, must(topi.Matmul(a, b, o))}
	}
	nt := topi.MatmulOpts{TransposeB: true}
	image := in("x", 1, 4, 15, 15)
	weights := func(k int) *te.Tensor { return in("w", 8, 4, k, k) }
	convolved := func(k int, stride, pad int64) []*te.Tensor {
		w, b := weights(k), in("b", 1, 8, 1, 1)
		return []*te.Tensor{image, w, b, relu(must(topi.Binary("add", topi.T(conv(image, w, stride, pad, 1)), topi.T(b))))}
	}
	y := in("y", 5, 37)
	z, empty, grouped := in("z", 5, n), in("e", 0, 8), in("w", 8, 2, 3, 3)
	for _, c := range []struct {
		name string
		args []*te.Tensor
		want string
	}{
		{"product", matmul(16, 64, 24, topi.MatmulOpts{}), `
matmul_local[4 8] local
a_splat[64 4 4]
matmul_splat: 4 16 4u 4u 4v
matmul_init: 4 3 4u 2u 4v
matmul_update: 4 3 4 16u 4u 2u 4v
matmul: 4 3 4u 2u 4v`},
		{"product of a short reduction", matmul(16, 20, 24, topi.MatmulOpts{}), `
matmul_local[4 8] local
a_splat[20 4 4]
matmul_splat: 4 5 4u 4u 4v
matmul_init: 4 3 4u 2u 4v
matmul_update: 4 3 20u 4u 2u 4v
matmul: 4 3 4u 2u 4v`},
		{"transposed product", matmul(16, 64, 24, nt), `
NT_matmul_local[2 4 4] local
NT_matmul_init: 8 6 2u 4u 4v
NT_matmul_update: 8 6 8 2u 2u 4u 4v
NT_matmul: 8 6 2u 4u`},
		{"transposed product of many rows", matmul(64, 40, 24, nt), `
NT_matmul_local[4 8] local
a_splat[40 4 4]
b_pack[3 40 8]
NT_matmul_pack: 3 10 2u 4u 4v
NT_matmul_splat: 16 10 4u 4u 4v
NT_matmul_init: 16 3 4u 2u 4v
NT_matmul_update: 16 3 5 8u 4u 2u 4v
NT_matmul: 16 3 4u 2u 4v`},
		{"row by a matrix", matmul(1, 64, 48, topi.MatmulOpts{}), `
matmul_local[16] local
a_splat[64 4]
matmul_splat: 4 16u 4v
matmul_init: 3 4u 4v
matmul_update: 3 4 16u 4u 4v
matmul: 3 4u 4v`},
		{"row by a transposed matrix", matmul(1, 64, 48, nt), `
NT_matmul_local[4 8] local
NT_matmul_init: 12 4u 2u 4v
NT_matmul_update: 12 4 2u 4u 2u 4v
NT_matmul_fold: 12 4u 4v
NT_matmul: 12 4u`},
		{"narrow product", matmul(6, 20, 3, topi.MatmulOpts{}), `
matmul_local[3] local
matmul_init: 6 3u
matmul_update: 6 20u 3u
matmul: 6 3u`},
		{"symbolic rows", matmul(n, 64, 24, topi.MatmulOpts{}), `
matmul_local[4 8] local
a_splat[64 4 4]
matmul_splat: ? 16 4u 4u 4v
matmul_init: ? 3 4u 2u 4v
matmul_update: ? 3 4 16u 4u 2u 4v
matmul: ? 3 4u 2u 4v`},
		{"symbolic columns", matmul(16, 64, n, topi.MatmulOpts{}), `
matmul_local[4 8] local
a_splat[64 4 4]
matmul_local[4 8] local
a_splat[64 4 4]
if
matmul_splat: 4 16 4u 4u 4v
matmul_init: 4 ? 4u 2u 4v
matmul_update: 4 ? 4 16u 4u 2u 4v
matmul: 4 ? 4u 2u 4v
else
matmul_splat_small: 4 16 4u 4u 4v
matmul_init_small: 4 ? 4u 2u 4v
matmul_update_small: 4 ? 4 16u 4u 2u 4v
matmul_small: 4 ? 4u 2u 4v
matmul_1_small: ? 16 64`},
		{"symbolic rows, transposed", matmul(n, 64, 24, nt), `
NT_matmul_local[2 4 4] local
NT_matmul_local[2 4 4] local
if
NT_matmul_init: ? 6 2u 4u 4v
NT_matmul_update: ? 6 8 2u 2u 4u 4v
NT_matmul: ? 6 2u 4u
else
NT_matmul_init_small: ? 6 2u 4u 4v
NT_matmul_update_small: ? 6 8 2u 2u 4u 4v
NT_matmul_small: ? 6 2u 4u`},
		{"symbolic reduction", matmul(16, n, 24, topi.MatmulOpts{}), `
matmul_local[4 8] local
matmul_sums[4 8] local
a_splat[? 4 4]
matmul_splat: 4 ? 4u 4v
matmul_init: 4 3 4u 2u 4v
matmul_init_1: 4 3 ? 4u 2u 4v
matmul_update: 4 3 ? 4 16u 4u 2u 4v
matmul_flush: 4 3 ? 4u 2u 4v
matmul_init_2: 4 3 4u 2u 4v
matmul_update_1: 4 3 ? 16u 4u 2u 4v
matmul_flush_1: 4 3 4u 2u 4v
matmul_init_3: 4 3 ? 4u 2u 4v
matmul_rest: 4 3 ? 2 2u 4u 2u 4v
matmul_flush_2: 4 3 ? 4u 2u 4v
matmul_init_4: 4 3 4u 2u 4v
matmul_rest_1: 4 3 ? 4u 2u 4v
matmul_flush_3: 4 3 4u 2u 4v
matmul: 4 3 4u 2u 4v`},
		{"convolution of points", convolved(1, 1, 0), `
conv2d_nchw_local[4 8] local
w_splat[4 4 4]
conv2d_nchw_splat: 2 4u 4u 4v
conv2d_nchw_init: 2 29 4u 2u 4v
conv2d_nchw_update: 2 29 4u 4u 2u 4v
conv2d_nchw: 2 29 4u 2u 4v`},
		{"convolution", convolved(3, 1, 1), `
pad_temp[1 4 17 17]
conv2d_nchw_local[4 8] local
w_splat[4 3 3 4 4]
pad_temp_pad_const: 18 4u 16v
pad_temp_pad_const_1: 1 4v
pad_temp: 1 4 15 3u 4v
pad_temp_1: 1 4 15 3u
conv2d_nchw_splat: 2 4 3 3u 4u 4v
conv2d_nchw_init: 2 15 2 4u 2u 4v
conv2d_nchw_update: 2 15 2 2 2u 3u 3u 4u 2u 4v
conv2d_nchw: 2 15 2 4u 2u 4v`},
		{"convolution by two", convolved(3, 2, 1), `
pad_temp[1 4 17 2 9]
conv2d_nchw_local[4 8] local
w_splat[4 3 3 4 4]
pad_temp_pad_const: 19 4u 16v
pad_temp_pad_const_1: 2u 4v
pad_temp: 1 4 15 2u 1 4v
pad_temp_2: 1 4 15 2u 3u
pad_temp_1: 1 4 15 1
conv2d_nchw_splat: 2 4 3 3u 4u 4v
conv2d_nchw_init: 2 8 4u 2u 4v
conv2d_nchw_update: 2 8 2 2u 3u 3u 4u 2u 4v
conv2d_nchw: 2 8 4u 2u 4v`},
		{"convolution by two without padding", convolved(3, 2, 0), `
x_global[1 4 15 2 8]
conv2d_nchw_local[8 4] local
w_splat[4 3 3 8 4]
x_global: 1 4 15 2u 1 4v
x_global_2: 1 4 15 2u 3u
x_global_1: 1 4 15 1
conv2d_nchw_splat: 4 3 1 2u 8u 4v
conv2d_nchw_splat_1: 4 3 1u 8u 4v
conv2d_nchw_init: 7 2 8u 4v
conv2d_nchw_update: 7 2 2 2u 3u 3u 8u 4v
conv2d_nchw: 7 2 8u 4v`},
		{"grouped convolution", []*te.Tensor{image, grouped, conv(image, grouped, 1, 1, 2)}, `
pad_temp[1 4 17 17]
group_conv2d_nchw_local[4 8] local
w_splat[2 3 3 4 4]
pad_temp_pad_const: 18 4u 16v
pad_temp_pad_const_1: 1 4v
pad_temp: 1 4 15 3u 4v
pad_temp_1: 1 4 15 3u
group_conv2d_nchw_splat: 2 2 3 3u 4u 4v
group_conv2d_nchw_init: 2 15 2 4u 2u 4v
group_conv2d_nchw_update: 2 15 2 2u 3u 3u 4u 2u 4v
group_conv2d_nchw: 2 15 2 4u 2u 4v`},
		{"maximum of windows", []*te.Tensor{image, pool("max", image, 3, 2, 1)}, `
pad_temp[1 4 17 2 9]
pool_max_local[2 8] local
pad_temp_pad_const: 19 4u 16v
pad_temp_pad_const_1: 2u 4v
pad_temp: 1 4 15 2u 1 4v
pad_temp_2: 1 4 15 2u 3u
pad_temp_1: 1 4 15 1
pool_max_init: 4 4 2u 2u 4v
pool_max_update: 4 4 3u 3u 2u 2u 4v
pool_max: 4 4 2u 2u 4v`},
		{"mean of an image", []*te.Tensor{image, must(topi.AdaptiveAvgPool(image, []tir.Expr{tir.Int(1), tir.Int(1)}, "NCHW", ""))}, `
adaptive_pool_sum_local[16] local
adaptive_pool_sum_init: 4 4u 4v
adaptive_pool_sum_update: 4 4 3u 4u 4v
adaptive_pool_sum_update_1: 4 2u 4u 4v
adaptive_pool_sum_rest: 4
adaptive_pool_sum_fold: 4 3u 4v
adaptive_pool_sum: 4`},
		{"sum of rows", []*te.Tensor{y, must(topi.Reduce("sum", y, []int{1}, false))}, `
y_red_local[16] local
y_red_init: 5 4u 4v
y_red_update: 5 2u 4u 4v
y_red_rest: 5 5u
y_red_fold: 5 3u 4v
y_red: 5`},
		{"sum of columns", []*te.Tensor{y, must(topi.Reduce("sum", y, []int{0}, false))}, `
y_red_local[8] local
y_red_init: 5 2u 4v
y_red_update: 5 5u 2u 4v
y_red: 5 2u 4v`},
		{"sum of all", []*te.Tensor{y, must(topi.Reduce("sum", y, []int{0, 1}, false))}, `
y_red_local[16] local
y_red_init: 4u 4v
y_red_update: 5 2u 4u 4v
y_red_update_1: 1u 4u 4v
y_red_rest: 9u
y_red_fold: 3u 4v
y_red:`},
		{"symbolic sum of rows", []*te.Tensor{z, must(topi.Reduce("sum", z, []int{1}, false))}, `
z_red_local[16] local
z_red_sums[16] local
z_red_init: 5 4u 4v
z_red_init_1: 5 ? 4u 4v
z_red_update: 5 ? 16 4u 4u 4v
z_red_flush: 5 ? 4u 4v
z_red_init_2: 5 4u 4v
z_red_update_1: 5 ? 4u 4v
z_red_flush_1: 5 4u 4v
z_red_init_3: 5 ? 4u 4v
z_red_rest: 5 ? 4 16u
z_red_flush_2: 5 ? 4u 4v
z_red_init_4: 5 4u 4v
z_red_rest_1: 5 ?
z_red_flush_3: 5 4u 4v
z_red_fold: 5 3u 4v
z_red: 5`},
		{"symbolic sum of columns", []*te.Tensor{z, must(topi.Reduce("sum", z, []int{0}, false))}, `
z_red_local[8] local
z_red_local[8] local
if
z_red_init: ? 2u 4v
z_red_update: ? 5u 2u 4v
z_red: ? 2u 4v
else
z_red_init_small: ? 2u 4v
z_red_update_small: ? 5u 2u 4v
z_red_small: ? 2u 4v
z_red_1_small: ? 5`},
		{"softmax", []*te.Tensor{y, topi.Softmax(y, 1)}, `
T_softmax_maxelem[5]
T_softmax_exp[5 37]
T_softmax_expsum[5]
T_softmax_maxelem_local[16] local
T_softmax_expsum_local[16] local
T_softmax_maxelem_init: 5 4u 4v
T_softmax_maxelem_update: 5 2u 4u 4v
T_softmax_maxelem_rest: 5 5u
T_softmax_maxelem_fold: 5 3u 4v
T_softmax_maxelem: 5
T_softmax_exp: 5 4u 8v
T_softmax_exp_1: 5 1 4v
T_softmax_exp_1_1: 5 1
T_softmax_expsum_init: 5 4u 4v
T_softmax_expsum_update: 5 2u 4u 4v
T_softmax_expsum_rest: 5 5u
T_softmax_expsum_fold: 5 3u 4v
T_softmax_expsum: 5
T_softmax_norm: 5 4u 8v
T_softmax_norm_1: 5 1 4v
T_softmax_norm_1_1: 5 1`},
		{"transposition", []*te.Tensor{image, topi.PermuteDims(image, []int{0, 2, 3, 1})}, `
T_transpose: 1 15 15 4u`},
		{"two images", []*te.Tensor{image, topi.Concat([]*te.Tensor{image, image}, 1)}, `
T_concat: 1 8 4 3u 16v
T_concat_2: 1 8 2u 16v
T_concat_1: 1 8 1`},
		{"relu", []*te.Tensor{image, relu(image)}, `
compute: 14 4u 16v
compute_1: 1 4v`},
		{"symbolic relu", []*te.Tensor{z, relu(z)}, `
compute: ? 16v
compute_1: ? 4v
compute_1_1: ?`},
		{"nothing", []*te.Tensor{empty, relu(empty)}, `
compute: 0 8`},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := cpu.MachineOf(target.Default()).Schedule(create(t, kernel{args: c.args}), nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := nestsOf(g), strings.TrimSpace(c.want); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestChoicesOfProcessors tells how products are computed on wide vectors with room for many sums: the tile of a convolution by parts has pixels by two parts
// of its channels, rows stand outside while the weights fit the second cache, the rows of a matrix come in blocks, and what does not fill a vector runs in
// shorter ones.
func TestChoicesOfProcessors(t *testing.T) {
	m := cpu.Machine{Lanes: 16, Registers: 32, L1: 32 << 10, L2: 1 << 20, Spreads: true, Embeds: true}
	blocked := func(c, h int) []*te.Tensor {
		x, w, b := in("x", 1, c/16, h, h, 16), in("w", c/16, c/16, 3, 3, 16, 16), in("b", 1, c/16, 1, 1, 16)
		y, ok, err := topi.ConvBlocked(x, w, topi.ConvOpts{
			Strides: []int64{1, 1}, Dilation: []int64{1, 1}, Before: []int64{0, 0}, After: []int64{0, 0}, Groups: 1, Data: "NCHW16c", Kernel: "OIHW16i16o",
		})
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		return []*te.Tensor{x, w, b, relu(must(topi.Binary("add", topi.T(y), topi.T(b))))}
	}
	a, b, row := in("a", 1024, 1024), in("b", 1024, 1024), in("x", 3, 13)
	for _, c := range []struct {
		name string
		args []*te.Tensor
		want string
	}{
		{"weights that fit", blocked(64, 58), `
conv2d_nchw16c_local[2 14 16] local
conv2d_nchw16c_init: 56 2 4 14u 2u 16v
conv2d_nchw16c_update: 56 2 4 4 3 12 4u 14u 2u 16v
conv2d_nchw16c: 56 2 4 14u 2u 16v`},
		{"weights that do not", blocked(256, 16), `
conv2d_nchw16c_local[2 14 16] local
conv2d_nchw16c_init: 8 14 14u 2u 16v
conv2d_nchw16c_update: 8 14 16 3 12 4u 14u 2u 16v
conv2d_nchw16c: 8 14 14u 2u 16v`},
		{"a large product", []*te.Tensor{a, b, must(topi.Matmul(a, b, topi.MatmulOpts{}))}, `
matmul_local[6 64] local
b_pack[16 1024 64]
matmul_pack: 16 1024 64v
matmul_init: 9 16 19 6u 4u 16v
matmul_update: 9 16 19 256 4u 6u 4u 16v
matmul: 9 16 19 6u 4u 16v`},
		{"a row of two vectors and shorter ones", []*te.Tensor{row, relu(row)}, `
compute: 2 16v
compute_1: 1 4v
compute_1_1: 3`},
	} {
		f, err := m.Schedule(create(t, kernel{args: c.args}), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := nestsOf(f); got != strings.TrimSpace(c.want) {
			t.Errorf("%s:\n%s", c.name, got)
		}
	}
}

// TestChoicesOfTiles tells how products of bytes are computed where a processor has registers for matrices: four of them hold sums where rows and columns are many, a factor that
// few rows use stays where it is, and vectors take what is too small. Where they take less time is what the watcher hears.
func TestChoicesOfTiles(t *testing.T) {
	m := cpu.Machine{Lanes: 16, Registers: 32, L1: 48 << 10, L2: 2 << 20, Spreads: true, Embeds: true, Tiles: true}
	product := func(rows, words, columns int) []*te.Tensor {
		dims := func(a, b int) []tir.Expr { return []tir.Expr{tir.Int(int64(a)), tir.Int(int64(b))} }
		a, b := te.Placeholder("a", dtype.UInt32T, dims(rows, words)...), te.Placeholder("b", dtype.Int32T, dims(words, columns)...)
		return []*te.Tensor{a, b, must(topi.Matmul(a, b, topi.MatmulOpts{Words: true}))}
	}
	for _, c := range []struct {
		name, want, reason string
		args               []*te.Tensor
	}{
		{"few rows for a copy", `
matmul_local[32 32] local
matmul_init: 24 4 32 2 16v
matmul_update: 24 4 192 32 2 16v
matmul: 24 4 32 2u 16v`, "a step makes 4 products of 16 rows of 16 words by 16 columns, of 7 tiles of the target's 8", product(128, 192, 768)},
		{"many rows", `
matmul_local[32 32] local
b_pack[128 32]
matmul_pack: 16 128 32v
matmul_init: 16 20 32 2 16v
matmul_update: 16 20 128 32 2 16v
matmul: 16 20 32 2u 16v`, "the best in vectors, 8 of v_i0 by 3 vectors of 16 lanes of v_i1, takes", product(640, 128, 512)},
		{"seven rows", `
matmul_local[7 64] local
matmul_init: 4 7 4 16v
matmul_update: 4 128 7 4 16v
matmul: 4 7 4u 16v`, "a step makes 4 products of 7 rows", product(7, 128, 256)},
		{"three rows", `
matmul_local[3 64] local
matmul_init: 4 3u 4u 16v
matmul_update: 4 32 4u 3u 4u 16v
matmul: 4 3u 4u 16v`, "all of v_k", product(3, 128, 256)},
	} {
		h := &hearer{}
		f, err := m.Schedule(create(t, kernel{args: c.args}), nil, h)
		if err != nil {
			t.Fatal(err)
		}
		if got := nestsOf(f); got != strings.TrimSpace(c.want) {
			t.Errorf("%s:\n%s", c.name, got)
		}
		if !slices.ContainsFunc(h.list, func(x said) bool { return strings.Contains(x.reason, c.reason) }) {
			t.Errorf("%s: nothing says %q: %v", c.name, c.reason, h.list)
		}
	}
}
