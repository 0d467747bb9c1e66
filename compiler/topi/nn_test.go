package topi

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func TestMatmul(t *testing.T) {
	r := newRand(5)
	for _, s := range [][2][]int{
		{{2, 3}, {3, 4}},
		{{3}, {3, 4}},
		{{2, 3}, {3}},
		{{3}, {3}},
		{{5, 1, 2, 3}, {4, 3, 7}},
		{{2, 3}, {6, 3, 4}},
		{{1, 1}, {1, 1}},
	} {
		a, b := random(r, s[0]...), random(r, s[1]...)
		want := matmulRef(a, b)
		both(t, fmt.Sprint(s), func(k *kernelTest) {
			out, err := Matmul(k.float(a), k.float(b), MatmulOpts{})
			k.want(k.ok(out, err), want)
		})
		if len(s[0]) > 1 && len(s[1]) > 1 {
			both(t, fmt.Sprint("transposed ", s), func(k *kernelTest) {
				out, err := Matmul(k.float(swapLast(a)), k.float(swapLast(b)), MatmulOpts{TransposeA: true, TransposeB: true})
				k.want(k.ok(out, err), want)
			})
		}
	}
	a, b := randomInts(r, -100, 100, 4, 50), randomInts(r, -100, 100, 50, 4)
	static(t, "int8 to int32", func(k *kernelTest) {
		out, err := Matmul(k.in(a, dtype.Int8T), k.in(b, dtype.Int8T), MatmulOpts{Out: dtype.Int32T})
		k.want(k.ok(out, err), matmulRef(a, b))
	})
}

func swapLast(a nd) nd {
	n := len(a.shape)
	shape := append([]int{}, a.shape...)
	shape[n-1], shape[n-2] = shape[n-2], shape[n-1]
	return fill(shape, func(i []int) float64 {
		at := append([]int{}, i...)
		at[n-1], at[n-2] = at[n-2], at[n-1]
		return a.at(at...)
	})
}

func matmulRef(a, b nd) nd {
	x, y := a, b
	if len(a.shape) == 1 {
		x = nd{append(dims(1), a.shape...), a.v}
	}
	if len(b.shape) == 1 {
		y = nd{append(b.shape, 1), b.v}
	}
	nx, ny := len(x.shape), len(y.shape)
	outer := broadcastRef(nd{x.shape[:nx-2], make([]float64, 1e4)}, nd{y.shape[:ny-2], make([]float64, 1e4)}, func(_, _ float64) float64 { return 0 }).shape
	shape := append(append([]int{}, outer...), x.shape[nx-2], y.shape[ny-1])
	pick := func(i, s []int) []int {
		out := make([]int, len(s))
		for k := range s {
			if j := k + len(outer) - len(s); s[k] > 1 {
				out[k] = i[j]
			}
		}
		return out
	}
	out := fill(shape, func(i []int) float64 {
		s := 0.0
		for k := range x.shape[nx-1] {
			s += x.at(append(pick(i, x.shape[:nx-2]), i[len(outer)], k)...) * y.at(append(pick(i, y.shape[:ny-2]), k, i[len(outer)+1])...)
		}
		return s
	})
	out.shape = append([]int{}, outer...)
	if len(a.shape) > 1 {
		out.shape = append(out.shape, a.shape[len(a.shape)-2])
	}
	if len(b.shape) > 1 {
		out.shape = append(out.shape, b.shape[len(b.shape)-1])
	}
	return out
}

func TestEinsum(t *testing.T) {
	r := newRand(6)
	a, b := random(r, 2, 3, 4), random(r, 2, 4, 5)
	both(t, "batch matmul", func(k *kernelTest) {
		out, err := Einsum("bij,bjk->bik", []*te.Tensor{k.float(a), k.float(b)})
		k.want(k.ok(out, err), matmulRef(a, b))
	})
	sq := random(r, 3, 3)
	both(t, "trace", func(k *kernelTest) {
		out, err := Einsum("ii->", []*te.Tensor{k.float(sq)})
		k.want(k.ok(out, err), nd{dims(), []float64{sq.at(0, 0) + sq.at(1, 1) + sq.at(2, 2)}})
	})
	both(t, "implicit", func(k *kernelTest) {
		out, err := Einsum("ba", []*te.Tensor{k.float(swapLast(sq))})
		k.want(k.ok(out, err), sq)
	})
}

// convCase is a random convolution of n spatial axes.
type convCase struct {
	n                    int
	x, w                 nd // NC..., OI...
	strides, dilation    []int64
	before, after, extra []int64
	groups               int
}

func randomConv(r *rand.Rand, n int, transposed bool) convCase {
	c := convCase{n: n, groups: []int{1, 1, 2, 4}[r.IntN(4)]}
	ci, co := c.groups*(1+r.IntN(2)), c.groups*(1+r.IntN(2))
	xs, ws := dims(1+r.IntN(2), ci), dims(co, ci/c.groups)
	if transposed {
		ws = dims(co/c.groups, ci) // O I: output channels of a group, input channels
	}
	for range n {
		k := 1 + r.IntN(3)
		c.strides = append(c.strides, int64(1+r.IntN(3)))
		c.dilation = append(c.dilation, int64(1+r.IntN(2)))
		c.before, c.after = append(c.before, int64(r.IntN(3))), append(c.after, int64(r.IntN(3)))
		c.extra = append(c.extra, int64(r.IntN(int(c.strides[len(c.strides)-1]))))
		xs, ws = append(xs, 5+r.IntN(4)), append(ws, k)
	}
	c.x, c.w = random(r, xs...), random(r, ws...)
	return c
}

func (c *convCase) opts(data, kernel string) ConvOpts {
	return ConvOpts{
		Strides: c.strides, Dilation: c.dilation, Before: c.before, After: c.after, OutputPadding: c.extra,
		Groups: int64(c.groups), Data: data, Kernel: kernel,
	}
}

// eachWindow calls f for each offset in a window.
func eachWindow(size []int, f func(w []int)) {
	fill(size, func(w []int) float64 { f(w); return 0 })
}

func convRef(c *convCase) nd {
	shape := dims(c.x.shape[0], c.w.shape[0])
	for k := range c.n {
		span := (c.w.shape[2+k] - 1) * int(c.dilation[k])
		shape = append(shape, (c.x.shape[2+k]+int(c.before[k]+c.after[k])-span-1)/int(c.strides[k])+1)
	}
	per := c.w.shape[0] / c.groups
	return fill(shape, func(i []int) float64 {
		s := 0.0
		for ci := range c.w.shape[1] {
			eachWindow(c.w.shape[2:], func(w []int) {
				at, wt := dims(i[0], i[1]/per*c.w.shape[1]+ci), dims(i[1], ci)
				for k := range w {
					p := i[2+k]*int(c.strides[k]) + w[k]*int(c.dilation[k]) - int(c.before[k])
					if p < 0 || p >= c.x.shape[2+k] {
						return
					}
					at, wt = append(at, p), append(wt, w[k])
				}
				s += c.x.at(at...) * c.w.at(wt...)
			})
		}
		return s
	})
}

// permuted moves the axes of a, which are in the order of from, to that of to.
func permuted(a nd, from, to string) nd {
	shape := make([]int, len(to))
	for k, r := range to {
		shape[k] = a.shape[strings.IndexRune(from, r)]
	}
	return fill(shape, func(i []int) float64 {
		at := make([]int, len(from))
		for k, r := range from {
			at[k] = i[strings.IndexRune(to, r)]
		}
		return a.at(at...)
	})
}

var convLayouts = map[int][][2]string{
	1: {{"NCW", "OIW"}, {"NWC", "WIO"}},
	2: {{"NCHW", "OIHW"}, {"NHWC", "HWIO"}, {"NHWC", "OHWI"}},
	3: {{"NCDHW", "OIDHW"}, {"NDHWC", "DHWIO"}},
}

func TestConv(t *testing.T) {
	r := newRand(7)
	for n := 1; n <= 3; n++ {
		for range 12 {
			c := randomConv(r, n, false)
			want := convRef(&c)
			for _, l := range convLayouts[n] {
				both(t, fmt.Sprintf("%dd %s", n, l[0]), func(k *kernelTest) {
					x := k.float(permuted(c.x, convLayouts[n][0][0], l[0]))
					w := k.fixed(permuted(c.w, convLayouts[n][0][1], l[1]), dtype.Float32T)
					if k.symbolic { // channels are constants in practice: groups divide them
						x.Shape[strings.IndexByte(l[0], 'C')] = tir.Int(int64(c.x.shape[1]))
					}
					out, err := Conv(x, w, c.opts(l[0], l[1]))
					k.want(k.ok(out, err), permuted(want, convLayouts[n][0][0], l[0]))
				})
			}
		}
	}
	if _, err := Conv(te.Placeholder("x", dtype.Float32T, intShape(1, 2, 3, 4)...), te.Placeholder("w", dtype.Float32T, intShape(1, 1, 1, 1)...), ConvOpts{Data: "NCHW4c", Kernel: "OIHW"}); err == nil {
		t.Error("an unsupported layout is an error")
	}
}

func convTransposeRef(c *convCase) nd {
	co := c.w.shape[0] * c.groups
	shape := dims(c.x.shape[0], co)
	for k := range c.n {
		span := (c.w.shape[2+k] - 1) * int(c.dilation[k])
		shape = append(shape, (c.x.shape[2+k]-1)*int(c.strides[k])+span+1+int(c.extra[k]-c.before[k]-c.after[k]))
	}
	out := fill(shape, func([]int) float64 { return 0 })
	pos := func(i []int) int {
		p := 0
		for k, d := range shape {
			p = p*d + i[k]
		}
		return p
	}
	in := c.x.shape[1] / c.groups
	fill(c.x.shape, func(i []int) float64 { // each input is spread over the outputs that its window covers
		g := i[1] / in
		for o := range c.w.shape[0] {
			eachWindow(c.w.shape[2:], func(w []int) {
				at, wt := dims(i[0], g*c.w.shape[0]+o), dims(o, i[1])
				for k := range w {
					p := i[2+k]*int(c.strides[k]) + w[k]*int(c.dilation[k]) - int(c.before[k])
					if p < 0 || p >= shape[2+k] {
						return
					}
					at, wt = append(at, p), append(wt, w[k])
				}
				out.v[pos(at)] += c.x.at(i...) * c.w.at(wt...)
			})
		}
		return 0
	})
	return out
}

func TestConvTranspose(t *testing.T) {
	r := newRand(8)
	for n := 1; n <= 3; n++ {
		for range 10 {
			c := randomConv(r, n, true)
			want := convTransposeRef(&c)
			for _, l := range convLayouts[n] {
				both(t, fmt.Sprintf("%dd %s", n, l[0]), func(k *kernelTest) {
					x := k.float(permuted(c.x, convLayouts[n][0][0], l[0]))
					if k.symbolic {
						x.Shape[strings.IndexByte(l[0], 'C')] = tir.Int(int64(c.x.shape[1]))
					}
					out, err := ConvTranspose(x, k.fixed(permuted(c.w, convLayouts[n][0][1], l[1]), dtype.Float32T), c.opts(l[0], l[1]))
					k.want(k.ok(out, err), permuted(want, convLayouts[n][0][0], l[0]))
				})
			}
		}
	}
}

func TestPool(t *testing.T) {
	r := newRand(9)
	for n := 1; n <= 3; n++ {
		for range 24 {
			c := randomConv(r, n, false)
			o := PoolOpts{
				Strides: c.strides, Dilation: c.dilation, Before: c.before, After: c.after,
				CeilMode: r.IntN(2) == 0, CountIncludePad: r.IntN(2) == 0, Layout: convLayouts[n][0][0],
			}
			for _, d := range c.w.shape[2:] {
				o.Size = append(o.Size, int64(d))
			}
			both(t, fmt.Sprintf("%dd ceil=%v pad=%v", n, o.CeilMode, o.CountIncludePad), func(k *kernelTest) {
				out, err := Pool("max", k.float(c.x), o)
				k.want(k.ok(out, err), poolRef(c.x, o, true))
			})
			both(t, fmt.Sprintf("%dd avg ceil=%v pad=%v", n, o.CeilMode, o.CountIncludePad), func(k *kernelTest) {
				out, err := Pool("avg", k.float(c.x), o)
				k.want(k.ok(out, err), poolRef(c.x, o, false))
			})
		}
	}
}

func poolRef(x nd, o PoolOpts, isMax bool) nd {
	n := len(x.shape) - 2
	shape := append([]int{}, x.shape[:2]...)
	var size []int
	for k := range n {
		room := x.shape[2+k] + int(o.Before[k]+o.After[k]) - int((o.Size[k]-1)*o.Dilation[k]) - 1
		if o.CeilMode {
			room += int(o.Strides[k]) - 1
		}
		shape = append(shape, room/int(o.Strides[k])+1)
		size = append(size, int(o.Size[k]))
	}
	return fill(shape, func(i []int) float64 {
		best, sum, count := math.Inf(-1), 0.0, 0
		eachWindow(size, func(w []int) {
			at := dims(i[0], i[1])
			inData, inPad := true, true
			for k := range w {
				p := i[2+k]*int(o.Strides[k]) + w[k]*int(o.Dilation[k]) - int(o.Before[k])
				inData = inData && p >= 0 && p < x.shape[2+k]
				inPad = inPad && p < x.shape[2+k]+int(o.After[k])
				at = append(at, p)
			}
			if inData {
				best, sum = math.Max(best, x.at(at...)), sum+x.at(at...)
			}
			if inData || inPad && o.CountIncludePad {
				count++
			}
		})
		if isMax {
			return best
		}
		return sum / float64(max(count, 1))
	})
}

func TestAdaptiveAvgPool(t *testing.T) {
	r := newRand(10)
	x := random(r, 2, 3, 7, 6)
	for _, out := range [][]int{{1, 1}, {3, 2}, {7, 6}, {5, 4}, {9, 1}} {
		want := fill(dims(2, 3, out[0], out[1]), func(i []int) float64 {
			lo := func(k, n int) int { return i[k] * n / out[k-2] }
			hi := func(k, n int) int { return ((i[k]+1)*n + out[k-2] - 1) / out[k-2] }
			s, c := 0.0, 0
			for y := lo(2, 7); y < hi(2, 7); y++ {
				for z := lo(3, 6); z < hi(3, 6); z++ {
					s, c = s+x.at(i[0], i[1], y, z), c+1
				}
			}
			return s / float64(c)
		})
		both(t, fmt.Sprint(out), func(k *kernelTest) {
			res, err := AdaptiveAvgPool(k.float(x), intShape(int64(out[0]), int64(out[1])), "NCHW", "")
			k.want(k.ok(res, err), want)
		})
	}
}

func TestNorms(t *testing.T) {
	r := newRand(11)
	x := random(r, 2, 4, 3, 5)
	for i := range x.v {
		x.v[i] = float64(float32(x.v[i] + 20)) // far from zero: one pass would lose the variance
	}
	const eps = 1e-3
	// normed returns the reference that normalises over the elements that share key(i).
	normed := func(key func(i []int) string) func(i []int) float64 {
		groups := map[string][]float64{}
		fill(x.shape, func(i []int) float64 { groups[key(i)] = append(groups[key(i)], x.at(i...)); return 0 })
		return func(i []int) float64 {
			g := groups[key(i)]
			return (x.at(i...) - sumOf(g)/float64(len(g))) / math.Sqrt(varOf(g)+eps)
		}
	}
	g2, b2 := random(r, 3, 5), random(r, 3, 5)
	both(t, "layer", func(k *kernelTest) {
		e := normed(func(i []int) string { return fmt.Sprint(i[:2]) })
		out := LayerNorm(k.float(x), k.float(g2), k.float(b2), []int{2, 3}, eps)
		k.wantTuned(out, fill(x.shape, func(i []int) float64 { return e(i)*g2.at(i[2], i[3]) + b2.at(i[2], i[3]) }))
	})
	g, b := random(r, 4), random(r, 4)
	affine := func(e func([]int) float64) nd {
		return fill(x.shape, func(i []int) float64 { return e(i)*g.at(i[1]) + b.at(i[1]) })
	}
	both(t, "instance", func(k *kernelTest) {
		e := normed(func(i []int) string { return fmt.Sprint(i[:2]) })
		k.wantTuned(InstanceNorm(k.float(x), k.float(g), k.float(b), 1, []int{2, 3}, eps), affine(e))
	})
	both(t, "group", func(k *kernelTest) {
		e := normed(func(i []int) string { return fmt.Sprint(i[0], i[1]/2) })
		in := k.float(x)
		in.Shape[1] = tir.Int(4)
		gt, bt := k.fixed(g, dtype.Float32T), k.fixed(b, dtype.Float32T)
		k.wantTuned(GroupNorm(in, gt, bt, 2, 1, []int{2, 3}, eps), affine(e))
	})
	g5 := random(r, 5)
	both(t, "rms", func(k *kernelTest) {
		k.want(RMSNorm(k.float(x), k.float(g5), []int{3}, eps), fill(x.shape, func(i []int) float64 {
			s := 0.0
			for j := range 5 {
				v := x.at(i[0], i[1], i[2], j)
				s += v * v
			}
			return x.at(i...) / math.Sqrt(s/5+eps) * g5.at(i[3])
		}))
	})
	mean, variance := random(r, 4), fill(dims(4), func(i []int) float64 { return float64(i[0] + 1) })
	both(t, "batch inference", func(k *kernelTest) {
		outs := BatchNorm(k.float(x), k.float(g), k.float(b), k.float(mean), k.float(variance), BatchNormOpts{Axis: 1, Epsilon: eps})
		got := k.run(outs, x.shape, mean.shape, variance.shape)
		k.compare(got[0], fill(x.shape, func(i []int) float64 {
			return (x.at(i...)-mean.at(i[1]))/math.Sqrt(variance.at(i[1])+eps)*g.at(i[1]) + b.at(i[1])
		}))
		k.compare(got[1], mean)
		k.compare(got[2], variance)
	})
	both(t, "batch training", func(k *kernelTest) {
		e := normed(func(i []int) string { return fmt.Sprint(i[1]) })
		stat := reduceRef(x, []int{0, 2, 3}, false, func(v []float64) float64 { return sumOf(v) / float64(len(v)) })
		outs := BatchNorm(k.float(x), k.float(g), k.float(b), k.float(mean), k.float(variance), BatchNormOpts{Axis: 1, Epsilon: eps, Momentum: 0.25, Training: true})
		got := k.run(outs, x.shape, mean.shape, variance.shape)
		k.compare(got[0], affine(e))
		k.compare(got[1], fill(dims(4), func(i []int) float64 { return 0.75*mean.at(i...) + 0.25*stat.at(i...) }))
	})
}

func TestAttention(t *testing.T) {
	r := newRand(12)
	for _, kv := range []int{4, 2} {
		for _, causal := range []string{"", "TopLeft", "BottomRight"} {
			q, key, v, bias := random(r, 2, 3, 4, 5), random(r, 2, 6, kv, 5), random(r, 2, 6, kv, 7), random(r, 2, 1, 3, 6)
			seen := func(row, col int) bool {
				switch causal {
				case "TopLeft":
					return col <= row
				case "BottomRight":
					return col <= row+3
				}
				return true
			}
			want := fill(dims(2, 3, 4, 7), func(i []int) float64 {
				h := i[2] / (4 / kv)
				num, den := 0.0, 0.0
				for j := range 6 {
					if !seen(i[1], j) {
						continue
					}
					s := 0.0
					for d := range 5 {
						s += q.at(i[0], i[1], i[2], d) * key.at(i[0], j, h, d)
					}
					e := math.Exp(s/math.Sqrt(5) + bias.at(i[0], 0, i[1], j))
					num, den = num+e*v.at(i[0], j, h, i[3]), den+e
				}
				return num / den
			})
			both(t, fmt.Sprint(kv, causal), func(k *kernelTest) {
				o := AttentionOpts{Causal: causal, Scale: 1 / math.Sqrt(5)}
				k.want(Attention(k.float(q), k.float(key), k.float(v), k.float(bias), o), want)
			})
		}
	}
}
