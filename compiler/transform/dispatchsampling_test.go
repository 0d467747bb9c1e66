package transform_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

func samplingMain(rows, size, count, index, out string) string {
	return fmt.Sprintf(`
@R.function
def main(p: R.Tensor((%s, %s), "float32"), u: R.Tensor((%s, 1), "float32"), r: R.Tensor((%s, 1), %q)):
    with R.dataflow():
        o = R.multinomial_from_uniform(p, u, r, dtype=%q)
        R.output(o)
    return o
`, rows, size, count, count, index, out)
}

// TestDispatchSamplingDraws compares what is drawn with a plain loop.
func TestDispatchSamplingDraws(t *testing.T) {
	for _, tt := range []struct {
		rows, size, count int64
		index, out        string
	}{
		{3, 5, 6, "int64", "int64"},
		{1, 1, 4, "int64", "int64"},
		{2, 17, 3, "int32", "int32"},
		{2, 3, 0, "int64", "int32"},
	} {
		for _, symbolic := range []bool{false, true} {
			text := samplingMain(fmt.Sprint(tt.rows), fmt.Sprint(tt.size), fmt.Sprint(tt.count), tt.index, tt.out)
			if symbolic {
				text = samplingMain(`"n"`, `"k"`, `"c"`, tt.index, tt.out)
			}
			m := read(t, text)
			out, _ := check(t, passtest.NewContext(), transform.DispatchSampling, m)
			out = runPass(t, passtest.NewContext(), transform.LegalizeOps, out)
			rng := rand.New(rand.NewPCG(uint64(tt.size), 1))
			p := must(tensor.New(dtype.Float32T, []int64{tt.rows, tt.size}))
			for i := range tt.rows {
				left := 1.0
				for j := range tt.size {
					x := left * rng.Float64()
					if j == tt.size-1 {
						x = left
					}
					p.SetFloat(int(i*tt.size+j), x)
					left -= x
				}
			}
			u := must(tensor.New(dtype.Float32T, []int64{tt.count, 1}))
			r := must(tensor.New(must(dtype.Parse(tt.index)), []int64{tt.count, 1}))
			var want []int64
			for i := range int(tt.count) {
				x := rng.Float64()
				if i == 1 {
					x = 0
				}
				row := rng.IntN(int(tt.rows))
				u.SetFloat(i, x)
				r.SetInt(i, int64(row))
				sum, at := float32(0), tt.size-1
				for j := range tt.size {
					if sum += float32(p.Float(row*int(tt.size) + int(j))); float32(u.Float(i)) < sum {
						at = j
						break
					}
				}
				want = append(want, at)
			}
			v, err := graphrun.Run(context.Background(), out, "main", p, u, r)
			if err != nil {
				t.Fatal(err)
			}
			got := graphrun.Tensors(v)[0]
			for i, w := range want {
				if got.Int(i) != w || got.DType.String() != tt.out {
					t.Errorf("%+v: sample %d is %d (%s), want %d", tt, i, got.Int(i), got.DType, w)
				}
			}
		}
	}
}

func TestDispatchSamplingRefuses(t *testing.T) {
	bad := func(p, u string) string {
		return fmt.Sprintf("@R.function\ndef main(p: %s, u: %s, r: R.Tensor((6, 1), \"int64\")):\n    o = R.multinomial_from_uniform(p, u, r, dtype=\"int64\")\n    return o\n", p, u)
	}
	runPairs(t, transform.DispatchSampling,
		pair{name: "a shape that is not known", before: bad(`R.Tensor(dtype="float32", ndim=2)`, `R.Tensor((6, 1), "float32")`)},
	)
}
