package transform_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
)

// TestKernelPatterns classifies kernels; i, ij and sum are loops around a block.
func TestKernelPatterns(t *testing.T) {
	const ( // TVM's numbers
		elementwise = 0
		broadcast   = 1
		injective   = 2
		reduction   = 3
		fusible     = 4
		opaque      = 8
	)
	const i = `
    for x0 in range(T.int64(4)):
        with T.block("b"):
            i = T.axis.spatial(T.int64(4), x0)
            `
	const ij = `
    for x0, x1 in T.grid(T.int64(4), T.int64(4)):
        with T.block("b"):
            i, j = T.axis.remap("SS", [x0, x1])
            `
	const sum = `
    for x0, x1 in T.grid(T.int64(4), T.int64(4)):
        with T.block("r"):
            i, r = T.axis.remap("SR", [x0, x1])
            `
	const temp = `
    t = T.alloc_buffer((T.int64(4),))`
	for _, c := range []struct {
		name, body string
		want       int64
		declined   string // why it is opaque
	}{
		{"elementwise", ij + "e[i, j] = a[i, j] + T.float32(1)", elementwise, ""},
		{"no load at all", ij + "e[i, j] = T.float32(1)", elementwise, ""},
		{"rows", ij + "e[i, j] = c[i]", broadcast, ""},
		{"columns", ij + "e[i, j] = c[j]", broadcast, ""},
		{"an axis of extent 1", ij + "e[i, j] = z[i, T.int64(0)]", broadcast, ""},
		{"a bias", ij + "e[i, j] = a[i, j] + c[j]", elementwise, ""},
		{"two that are spread", ij + "e[i, j] = c[i] + c[j]", broadcast, ""},
		{"a bias of a transposed one", ij + "e[i, j] = a[j, i] + c[j]", injective, ""},
		{"transposed", ij + "e[i, j] = a[j, i]", injective, ""},
		{"a transposed one is added", ij + "e[i, j] = a[i, j] + a[j, i]", injective, ""},
		{"flipped", ij + "e[i, j] = a[i, T.int64(3) - j]", injective, ""},
		{"the diagonal", i + "f[i] = a[i, i]", injective, ""},
		{"the first row", i + "f[i] = a[T.int64(0), i]", broadcast, ""},
		{"the second row", i + "f[i] = a[T.int64(1), i]", injective, ""},
		{"the first column", i + "f[i] = a[i, T.int64(0)]", broadcast, ""},
		{"a row into a matrix of one row", i + "y[T.int64(0), i] = a[T.int64(0), i]", elementwise, ""},
		{"a vector into a matrix of one row", i + "y[T.int64(0), i] = c[i]", broadcast, ""},
		{"gathered", i + "f[i] = c[k[i]]", opaque, `c[k[i]]: an index of the load is read from memory`},
		{"gathered by a sum", i + "f[i] = c[k[i] + T.int64(1)]", opaque, `c[k[i] + T.int64(1)]: an index of the load is read from memory`},
		{"numbered", i + "f[i] = T.Cast(\"float32\", i)", injective, ""},
		{"padded", i + "f[i] = T.if_then_else(i < T.int64(2), c[i], T.float32(0))", injective, ""},
		{"padded with rows", ij + "e[i, j] = T.if_then_else(i < T.int64(2), c[i], T.float32(0))", injective, ""},
		{"an effect", i + "f[i] = T.call_extern(\"float32\", \"f\", c[i])", opaque, `T.call_extern("float32", "f", c[i]): the call may have effects`},
		{"an axis that is not stored to", `
    for x0, x1 in T.grid(T.int64(4), T.int64(1)):
        with T.block("b"):
            i, j = T.axis.remap("SS", [x0, x1])
            f[i] = a[i, j]`, opaque, `a[i, j]: an index of the load is not an axis that the store is indexed with`},
		{"stored in another order", ij + "e[j, i] = a[j, i]", elementwise, ""},
		{"stored in another order than it is read", ij + "e[j, i] = a[i, j]", injective, ""},
		{"stored at a sum", `
    for x0 in range(T.int64(3)):
        with T.block("b"):
            i = T.axis.spatial(T.int64(3), x0)
            f[i + T.int64(1)] = c[i]`, opaque, `f[i + T.int64(1)] = c[i]: an index of the store is not a spatial axis of the block`},
		{"stored at 1", i + "e[T.int64(1), i] = c[i]", opaque, `e[T.int64(1), i] = c[i]: an index of the store is not a spatial axis of the block`},
		{"stored on the diagonal", i + "e[i, i] = c[i]", opaque, `e[i, i] = c[i]: two indices of the store are the same axis`},
		{"stored at a variable of data", i + "e[k[i], i] = c[i]", opaque, `e[k[i], i] = c[i]: an index of the store is not a spatial axis of the block`},

		{"sum", sum + `
            with T.init():
                f[i] = T.float32(0)
            f[i] = f[i] + a[i, r]`, reduction, ""},
		{"sum of a row", sum + `
            with T.init():
                f[i] = T.float32(0)
            f[i] = f[i] + y[T.int64(0), r]`, reduction, ""},
		{"sum of what is spread", sum + `
            with T.init():
                f[i] = T.float32(0)
            f[i] = f[i] + y[T.int64(0), r] + c[i]`, reduction, ""},
		{"maximum", sum + `
            with T.init():
                f[i] = T.float32(0)
            f[i] = T.max(f[i], a[i, r])`, reduction, ""},
		{"maximum of products", sum + `
            with T.init():
                f[i] = T.float32(0)
            f[i] = T.max(f[i], a[i, r] * b[i, r])`, reduction, ""},
		{"sum of multiples", sum + `
            with T.init():
                f[i] = T.float32(0)
            f[i] = f[i] + a[i, r] * T.float32(2)`, reduction, ""},
		{"sum of multiples from the left", sum + `
            with T.init():
                f[i] = T.float32(0)
            f[i] = f[i] + T.float32(2) * a[i, r]`, reduction, ""},
		{"sum of sums", sum + `
            with T.init():
                f[i] = T.float32(0)
            f[i] = f[i] + (a[i, r] + b[i, r])`, reduction, ""},
		{"sum of products", sum + `
            with T.init():
                f[i] = T.float32(0)
            f[i] = f[i] + a[i, r] * b[i, r]`, fusible, ""},
		{"products first", sum + `
            with T.init():
                f[i] = T.float32(0)
            f[i] = a[i, r] * b[i, r] + f[i]`, fusible, ""},
		{"products of functions", sum + `
            with T.init():
                f[i] = T.float32(0)
            f[i] = f[i] + T.exp(a[i, r]) * (b[i, r] + T.float32(1))`, fusible, ""},
		{"products that are converted", sum + `
            with T.init():
                f[i] = T.float32(0)
            f[i] = f[i] + T.Cast("float32", T.Cast("float64", a[i, r] * b[i, r]))`, fusible, ""},
		{"difference of products", sum + `
            with T.init():
                f[i] = T.float32(0)
            f[i] = f[i] - a[i, r] * b[i, r]`, reduction, ""},
		{"pooling", `
    for x0, x1 in T.grid(T.int64(3), T.int64(2)):
        with T.block("r"):
            i, r = T.axis.remap("SR", [x0, x1])
            with T.init():
                f[i] = T.float32(0)
            f[i] = T.max(f[i], c[i + r])`, fusible, ""},

		{"a sum, spread again", temp + sum + `
            with T.init():
                t[i] = T.float32(0)
            t[i] = t[i] + a[i, r]` + ij + `
            e[i, j] = a[i, j] / t[i]`, fusible, ""},
		{"a sum, spread again in another order", temp + sum + `
            with T.init():
                t[i] = T.float32(0)
            t[i] = t[i] + a[i, r]` + ij + `
            e[i, j] = a[j, i] / t[i]`, fusible, ""},
		{"a sum, rounded", temp + sum + `
            with T.init():
                t[i] = T.float32(0)
            t[i] = t[i] + a[i, r]` + i + `
            h[i] = T.Cast("float16", t[i])`, reduction, ""},
		{"a sum, rounded in another place", temp + sum + `
            with T.init():
                t[i] = T.float32(0)
            t[i] = t[i] + a[i, r]` + i + `
            h[i] = T.Cast("float16", t[T.int64(3) - i])`, fusible, ""},
		{"a function of a sum, rounded", temp + sum + `
            with T.init():
                t[i] = T.float32(0)
            t[i] = t[i] + a[i, r]` + i + `
            h[i] = T.Cast("float16", T.exp(t[i]))`, fusible, ""},
		{"a sum, copied", temp + sum + `
            with T.init():
                t[i] = T.float32(0)
            t[i] = t[i] + a[i, r]` + i + `
            f[i] = t[i]`, fusible, ""},
		{"a sum of what was computed before", temp + i + `
            t[i] = c[i] + T.float32(1)` + sum + `
            with T.init():
                f[i] = T.float32(0)
            f[i] = f[i] + t[r]`, reduction, ""},
		{"two in a row, the worst counts", temp + i + `
            t[i] = c[T.int64(3) - i]` + i + `
            f[i] = t[i]`, injective, ""},
		{"opaque in a row", temp + i + `
            t[i] = c[k[i]]` + i + `
            f[i] = t[i]`, opaque, `c[k[i]]: an index of the load is read from memory`},
		{"two results", i + `
            f[i] = c[i]` + i + `
            g[i] = c[i]`, opaque, `kernel: it writes to the buffers of several parameters`},
		{"one result in two blocks", i + `
            f[i] = c[i]` + i + `
            f[i] = c[i]`, elementwise, ""},
		{"no result", temp + i + `
            t[i] = c[i]`, opaque, `kernel: no block writes to a buffer of a parameter`},
		{"no block", `
    T.evaluate(0)`, opaque, `T.evaluate(0): the statement is in no block that consists of a single store`},
		{"a block beside a statement", i + `
            f[i] = c[i]
    T.evaluate(0)`, opaque, `T.evaluate(0): the statement is in no block that consists of a single store`},
		{"a condition on a block", `
    for x0 in range(T.int64(4)):
        with T.block("b"):
            T.where(x0 < T.int64(3))
            i = T.axis.spatial(T.int64(4), x0)
            f[i] = c[i]`, opaque, `with T.block("b"):: the block has a predicate`},
		{"a condition in a block", i + `
            if i < T.int64(3):
                f[i] = c[i]`, opaque, `if i < T.int64(3):: the body of the block is not a single store`},
		{"an axis of another kind", `
    for x0 in range(T.int64(4)):
        with T.block("b"):
            i = T.axis.opaque(T.int64(4), x0)
            f[i] = c[i]`, opaque, `with T.block("b", no_realize=True):: an axis of the block is neither spatial nor a reduction`},
		{"a block around a block", `
    for x0 in range(T.int64(4)):
        with T.block("outer"):
            with T.block("b"):
                i = T.axis.spatial(T.int64(4), x0)
                f[i] = c[i]`, elementwise, ""},
		{"a block with axes around a block", i + `
            with T.block("inner"):
                f[i] = c[i]
                g[i] = c[i]`, opaque, `with T.block("inner"):: the body of the block is not a single store`},
	} {
		t.Run(c.name, func(t *testing.T) {
			head := "@T.prim_func\ndef kernel("
			for _, p := range []struct{ name, shape, dtype string }{
				{"a", "T.int64(4), T.int64(4)", "float32"},
				{"b", "T.int64(4), T.int64(4)", "float32"},
				{"c", "T.int64(4),", "float32"},
				{"z", "T.int64(4), T.int64(1)", "float32"},
				{"k", "T.int64(4),", "int64"},
				{"e", "T.int64(4), T.int64(4)", "float32"},
				{"f", "T.int64(4),", "float32"},
				{"g", "T.int64(4),", "float32"},
				{"h", "T.int64(4),", "float16"},
				{"y", "T.int64(1), T.int64(4)", "float32"},
			} {
				head += p.name + ": T.Buffer((" + p.shape + "), \"" + p.dtype + "\"), "
			}
			m := read(t, strings.TrimSuffix(head, ", ")+"):"+c.body+"\n")
			var l passtest.Listener
			out := runPass(t, passtest.NewContext(pass.Observe(&l)), transform.AnnotateTIROpPattern, m)
			if got := ir.MustLookup[*tir.PrimFunc](out, "kernel").Attrs.Int("op_pattern", -1); got != c.want {
				t.Errorf("op_pattern is %d, want %d", got, c.want)
			}
			var got string
			for _, d := range l.Decisions {
				got += nameOf(d.Place) + ": " + d.Reason
			}
			if got != c.declined {
				t.Errorf("declined because of %q, want %q", got, c.declined)
			}
		})
	}
}
