package topi

import (
	"fmt"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestGatherND compares every rank of indices, depth and number of batch axes with ONNX GatherND:
// output[b..., i..., s...] = x[b..., indices[b..., i..., :], s...].
func TestGatherND(t *testing.T) {
	r := newRand(31)
	x := random(r, 2, 3, 4, 3)
	for batch := range 3 {
		for depth := 1; batch+depth <= 4; depth++ {
			for between := range 3 {
				shape := append([]int{}, x.shape[:batch]...)
				for k := range between {
					shape = append(shape, 2+3*k)
				}
				last := len(shape)
				out := append(append([]int{}, shape...), x.shape[batch+depth:]...)
				shape = append(shape, depth)
				idx := fill(shape, func(i []int) float64 {
					n := x.shape[batch+i[last]]
					return float64(r.IntN(2*n) - n)
				})
				static(t, fmt.Sprint(batch, depth, between), func(k *kernelTest) {
					got := GatherND(k.float(x), k.in(idx, dtype.Int64T), batch)
					if got.NDim() != len(out) {
						t.Fatalf("the result has %d axes, want %v", got.NDim(), out)
					}
					for a, n := range out {
						if v, ok := tir.AsInt(got.Shape[a]); !ok || v != int64(n) {
							t.Fatalf("axis %d has extent %v, want %d", a, got.Shape[a], n)
						}
					}
					// TVM's kernel takes no negative indices.
					k.wantTuned(got, fill(out, func(i []int) float64 {
						at := append([]int{}, i[:batch]...)
						for d := range depth {
							n := x.shape[batch+d]
							at = append(at, (int(idx.at(append(append([]int{}, i[:last]...), d)...))+n)%n)
						}
						return x.at(append(at, i[last:]...)...)
					}))
				})
			}
		}
	}
}

// TestIndexedAxes takes, gathers, scatters and encodes along every axis, with signed and unsigned indices.
func TestIndexedAxes(t *testing.T) {
	r := newRand(32)
	x := random(r, 3, 4, 5)
	for axis := range 3 {
		n := x.shape[axis]
		for _, d := range []dtype.DType{dtype.Int32T, dtype.Int64T, dtype.MustParse("uint8")} {
			low := -n
			if d.IsUInt() {
				low = 0
			}
			shape := dims(2, 3, 3)
			at := fill(shape, func([]int) float64 { return float64(low + r.IntN(n-low)) })
			name := fmt.Sprint(axis, d)
			moved := func(i []int) []int {
				p := append([]int{}, i...)
				p[axis] = (int(at.at(i...)) + n) % n
				return p
			}
			both(t, "gather_elements "+name, func(k *kernelTest) {
				want := k.wantTuned // TVM's kernel takes no negative indices
				if low == 0 {
					want = k.want
				}
				want(GatherElements(k.float(x), k.in(at, d), axis), fill(shape, func(i []int) float64 { return x.at(moved(i)...) }))
			})
			upd := random(r, shape...)
			for _, kind := range []string{"update", "add", "max"} {
				want := nd{x.shape, append([]float64{}, x.v...)}
				fill(shape, func(i []int) float64 {
					p := moved(i)
					v := &want.v[(p[0]*4+p[1])*5+p[2]]
					switch kind {
					case "add":
						*v += upd.at(i...)
					case "max":
						*v = max(*v, upd.at(i...))
					default:
						*v = upd.at(i...)
					}
					return 0
				})
				both(t, "scatter_elements "+name+kind, func(k *kernelTest) {
					k.want(ScatterElements(k.float(x), k.in(at, d), k.float(upd), axis, kind), want)
				})
			}
			vec := fill(dims(2, 2), func([]int) float64 { return float64(r.IntN(n)) })
			out := append(append(append([]int{}, x.shape[:axis]...), 2, 2), x.shape[axis+1:]...)
			both(t, "take "+name, func(k *kernelTest) {
				k.want(Take(k.float(x), k.in(vec, d), axis, "fast"), fill(out, func(i []int) float64 {
					p := append(append([]int{}, i[:axis]...), int(vec.at(i[axis], i[axis+1])))
					return x.at(append(p, i[axis+2:]...)...)
				}))
			})
		}
		ids := randomInts(r, 0, 4, 2, 3)
		hot := append(append(append([]int{}, ids.shape[:min(axis, 2)]...), 4), ids.shape[min(axis, 2):]...)
		both(t, fmt.Sprint("one_hot ", axis), func(k *kernelTest) {
			got := OneHot(k.in(ids, dtype.Int32T), tir.FloatConst(dtype.Float32T, 3), tir.FloatConst(dtype.Float32T, 0.5), 4, axis)
			k.want(got, fill(hot, func(i []int) float64 {
				rest := append(append([]int{}, i[:axis]...), i[axis+1:]...)
				if int(ids.at(rest...)) == i[axis] {
					return 3
				}
				return 0.5
			}))
		})
	}
	for kind, want := range map[string]bool{"update": true, "add": true, "mul": true, "min": true, "max": true, "mean": true, "": false} {
		if IsScatterReduction(kind) != want {
			t.Errorf("reduction %q: known is %t", kind, !want)
		}
	}
}

// TestScatterNDDepths: the tuples name elements, rows or whole matrices; several updates of one place all count.
func TestScatterNDDepths(t *testing.T) {
	r := newRand(33)
	x := random(r, 3, 4, 2)
	for depth := 1; depth <= 3; depth++ {
		idx := fill(dims(2, 3, depth), func(i []int) float64 { n := x.shape[i[2]]; return float64(r.IntN(2*n) - n) })
		upd := random(r, append(dims(2, 3), x.shape[depth:]...)...)
		for _, kind := range []string{"update", "add", "mul", "min"} {
			want := nd{x.shape, append([]float64{}, x.v...)}
			fill(upd.shape, func(i []int) float64 {
				var p []int
				for d := range depth {
					n := x.shape[d]
					p = append(p, (int(idx.at(i[0], i[1], d))+n)%n)
				}
				p = append(p, i[2:]...)
				v, u := &want.v[(p[0]*4+p[1])*2+p[2]], upd.at(i...)
				switch kind {
				case "add":
					*v += u
				case "mul":
					*v *= u
				case "min":
					*v = min(*v, u)
				default:
					*v = u
				}
				return 0
			})
			static(t, fmt.Sprint(depth, kind), func(k *kernelTest) {
				k.wantTuned(ScatterND(k.float(x), k.in(idx, dtype.Int64T), k.float(upd), kind), want)
			})
		}
	}
}
