package topi

import (
	"testing"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestEinsumByDefinition sums over every letter that the result lacks, as numpy.einsum does; without an arrow the result has
// the letters that stand once, in alphabetical order. An extent of 1 broadcasts.
func TestEinsumByDefinition(t *testing.T) {
	r := newRand(61)
	for _, c := range []struct {
		spec     string
		operands []string // the letters of each operand
		out      string
		shapes   [][]int
	}{
		{"ij,jk->ik", []string{"ij", "jk"}, "ik", [][]int{{2, 3}, {3, 4}}},
		{"ij,jk", []string{"ij", "jk"}, "ik", [][]int{{2, 3}, {3, 4}}},
		{"kj , ji", []string{"kj", "ji"}, "ik", [][]int{{2, 3}, {3, 4}}},
		{"bA", []string{"bA"}, "Ab", [][]int{{2, 3}}},
		{"zAb", []string{"zAb"}, "Abz", [][]int{{2, 3, 4}}},
		{"i,j->ji", []string{"i", "j"}, "ji", [][]int{{2}, {3}}},
		{"ii->i", []string{"ii"}, "i", [][]int{{3, 3}}},
		{"ii", []string{"ii"}, "", [][]int{{3, 3}}},
		{"ijk->j", []string{"ijk"}, "j", [][]int{{2, 3, 4}}},
		{"ijk->kij", []string{"ijk"}, "kij", [][]int{{2, 3, 4}}},
		{"ij,ij->", []string{"ij", "ij"}, "", [][]int{{2, 3}, {2, 3}}},
		{"i,ij,j->", []string{"i", "ij", "j"}, "", [][]int{{2}, {2, 3}, {3}}},
		{"bij,bjk->bik", []string{"bij", "bjk"}, "bik", [][]int{{1, 2, 3}, {4, 3, 2}}},
		{"bij,bjk->bik", []string{"bij", "bjk"}, "bik", [][]int{{4, 2, 3}, {1, 3, 2}}},
		{"ij,ij->i", []string{"ij", "ij"}, "i", [][]int{{2, 1}, {2, 3}}},
		{"a,a,a->a", []string{"a", "a", "a"}, "a", [][]int{{1}, {3}, {1}}},
		{"a->a", []string{"a"}, "a", [][]int{{1}}},
	} {
		size := map[byte]int{}
		var letters []byte
		var xs []nd
		for k, op := range c.operands {
			xs = append(xs, random(r, c.shapes[k]...))
			for j := range op {
				if size[op[j]] == 0 {
					letters = append(letters, op[j])
				}
				size[op[j]] = max(size[op[j]], c.shapes[k][j])
			}
		}
		outShape := []int{}
		for j := range c.out {
			outShape = append(outShape, size[c.out[j]])
		}
		want := nd{outShape, make([]float64, len(fill(outShape, func([]int) float64 { return 0 }).v))}
		full := []int{}
		for _, l := range letters {
			full = append(full, size[l])
		}
		fill(full, func(i []int) float64 {
			at := map[byte]int{}
			for k, l := range letters {
				at[l] = i[k]
			}
			product := 1.0
			for k, op := range c.operands {
				var idx []int
				for j := range op {
					idx = append(idx, min(at[op[j]], c.shapes[k][j]-1))
				}
				product *= xs[k].at(idx...)
			}
			p := 0
			for j := range c.out {
				p = p*outShape[j] + at[c.out[j]]
			}
			want.v[p] += product
			return 0
		})
		both(t, c.spec, func(k *kernelTest) {
			var in []*te.Tensor
			for _, x := range xs {
				in = append(in, k.float(x))
			}
			got := k.ok(Einsum(c.spec, in))
			if got.NDim() != len(outShape) {
				t.Fatalf("the result has %d axes, want %v", got.NDim(), outShape)
			}
			k.want(got, want)
		})
	}
	static(t, "errors", func(k *kernelTest) {
		_, err := Einsum("ij,jk->ik", []*te.Tensor{k.float(random(r, 2, 3))})
		if want := `einsum "ij,jk->ik" names 2 operands, got 1`; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	})
}

// TestProductsOfHalvesAreNotRounded before they are added: their sum is what the rounding would take away.
func TestProductsOfHalvesAreNotRounded(t *testing.T) {
	for d, e := range map[dtype.DType]float64{dtype.Float16T: 0x1p-10, dtype.BFloat16T: 0x1p-7} {
		a, b := values(1+e, -1), values(1+e, 1+2*e) // (1 + e)^2 - (1 + 2e) is e^2
		static(t, "einsum "+d.String(), func(k *kernelTest) {
			k.exactly(k.ok(Einsum("i,i->", []*te.Tensor{k.in(a, d), k.in(b, d)})), d, 0, nd{dims(), []float64{e * e}})
		})
		static(t, "matmul "+d.String(), func(k *kernelTest) {
			k.exactly(k.ok(Matmul(k.in(a, d), k.in(b, d), MatmulOpts{})), d, 0, nd{dims(), []float64{e * e}})
		})
		line := func(v nd) nd { return nd{dims(1, 1, 2), v.v} }
		static(t, "conv "+d.String(), func(k *kernelTest) {
			o := ConvOpts{Strides: []int64{1}, Dilation: []int64{1}, Before: []int64{0}, After: []int64{0}, Groups: 1, Data: "NCW", Kernel: "OIW"}
			k.exactly(k.ok(Conv(k.in(line(a), d), k.in(line(b), d), o)), d, 0, nd{dims(1, 1, 1), []float64{e * e}})
		})
	}
	// Bytes are multiplied as words, and the sum is cut to a byte at the end.
	bytes := values(100, 100, 3)
	static(t, "einsum of bytes", func(k *kernelTest) {
		k.exactly(k.ok(Matmul(k.in(bytes, dtype.Int8T), k.in(bytes, dtype.Int8T), MatmulOpts{Out: dtype.Int32T})), dtype.Int32T, 0, nd{dims(), []float64{20009}})
	})
}

// TestReshapeGroups: axes are paired in the shortest runs of as many elements, and extents that are no constants one by one.
func TestReshapeGroups(t *testing.T) {
	n := tir.NewSizeVar("n", tir.Int(0).DType())
	shape := func(ds ...any) (out []tir.Expr) {
		for _, d := range ds {
			if v, ok := d.(int); ok {
				out = append(out, tir.Int(int64(v)))
			} else {
				out = append(out, d.(tir.Expr))
			}
		}
		return out
	}
	for _, c := range []struct {
		from, to []tir.Expr
		want     []group
	}{
		{shape(2, 3), shape(2, 3), []group{{0, 1, 0, 1}, {1, 2, 1, 2}}},
		{shape(2, 3), shape(3, 2), []group{{0, 2, 0, 2}}},
		{shape(2, 3, 4), shape(6, 4), []group{{0, 2, 0, 1}, {2, 3, 1, 2}}},
		{shape(6, 4), shape(2, 3, 4), []group{{0, 1, 0, 2}, {1, 2, 2, 3}}},
		{shape(n, 6), shape(n, 2, 3), []group{{0, 1, 0, 1}, {1, 2, 1, 3}}},
		{shape(n, 6), shape(2, n, 3), []group{{0, 2, 0, 3}}},
		{shape(4, n), shape(2, 2, n), []group{{0, 1, 0, 2}, {1, 2, 2, 3}}},
		{shape(0, 3), shape(3, 0), []group{{0, 2, 0, 2}}},
		{shape(), shape(), nil},
		{shape(2), shape(2, 1), []group{{0, 1, 0, 1}}},
		{shape(2, 1), shape(2), []group{{0, 1, 0, 1}, {1, 2, 1, 1}}},
		{shape(1, 6), shape(2, 3), []group{{0, 1, 0, 0}, {1, 2, 0, 2}}},
		{shape(2, 1, 3), shape(2, 3), []group{{0, 1, 0, 1}, {1, 2, 1, 1}, {2, 3, 1, 2}}},
		{shape(6, 0), shape(2, 3, 0), []group{{0, 1, 0, 2}, {1, 2, 2, 3}}},
	} {
		got := reshapeGroups(c.from, c.to)
		same := len(got) == len(c.want)
		for i := 0; same && i < len(got); i++ {
			same = got[i] == c.want[i]
		}
		if !same {
			t.Errorf("%v to %v: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}
