package transform

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
)

// advancedRule returns the rules of operators that index by several tensors, undo broadcasts and make grids.
func advancedRule(name string) rule {
	switch name {
	case "collapse_sum_like", "collapse_sum_to":
		return func(k *kernel) ([]*te.Tensor, error) { return orSkip(topi.CollapseSum(k.tensor(0), k.shape(0))) }
	case "meshgrid":
		return func(k *kernel) ([]*te.Tensor, error) {
			xs := k.tensors(0)
			return topi.Meshgrid(xs, k.str("indexing")), k.err
		}
	case "index_tensor":
		return func(k *kernel) ([]*te.Tensor, error) {
			x, indices := k.tensor(0), k.tensors(1)
			if k.err != nil {
				return nil, k.err
			}
			return orSkip(topi.IndexTensor(x, indices, k.shape(0)))
		}
	case "index_put":
		return indexPut
	case "slice_scatter":
		return sliceScatter
	case "bucketize":
		return one(func(k *kernel) *te.Tensor {
			values, boundaries := k.tensor(0), k.tensor(1)
			if k.err != nil {
				return values
			}
			return topi.SearchSorted(boundaries, values, k.bool("right"), k.out(0).DType)
		})
	case "hamming_window":
		return func(k *kernel) ([]*te.Tensor, error) {
			periodic, known := tir.AsInt(k.prim(1))
			alpha, beta := valueOf(k.prim(2)), valueOf(k.prim(3))
			if k.err == nil && (!known || alpha != alpha || beta != beta) {
				k.fail(skipf("whether it is periodic and its coefficients are not constants"))
			}
			if k.err != nil {
				return nil, k.err
			}
			return list(topi.HammingWindow(k.shape(0)[0], periodic != 0, alpha, beta, k.out(0).DType), nil)
		}
	case "grad.max_pool2d_backward":
		return poolGrad("max")
	case "grad.avg_pool2d_backward":
		return poolGrad("avg")
	}
	return nil
}

// orSkip returns t as the results of a rule; what topi has no kernel for is left alone.
func orSkip(t *te.Tensor, err error) ([]*te.Tensor, error) {
	if err != nil {
		return nil, skipf("%v", err)
	}
	return []*te.Tensor{t}, nil
}

func indexPut(k *kernel) ([]*te.Tensor, error) {
	x, indices, values := k.tensor(0), k.tensors(1), k.tensor(2)
	if k.err != nil {
		return nil, k.err
	}
	if len(indices) != x.NDim() {
		return nil, skipf("it has %d indices for %d axes, and a kernel takes one for each", len(indices), x.NDim())
	}
	var shapes [][]tir.Expr
	for _, t := range indices {
		shapes = append(shapes, t.Shape)
	}
	shape, err := topi.BroadcastShape(shapes...)
	if err != nil {
		return nil, skipf("its indices: %v", err)
	}
	all, err := topi.BroadcastShape(shape, values.Shape)
	if err != nil || len(all) != len(shape) {
		return nil, skipf("its values do not broadcast to the shape of its indices")
	}
	return []*te.Tensor{topi.IndexPut(x, indices, values, all, k.bool("accumulate"))}, nil
}

// sliceScatter counts ends below zero from the end of the axis and keeps them inside, as slices do.
func sliceScatter(k *kernel) ([]*te.Tensor, error) {
	x, src := k.tensor(0), k.tensor(1)
	start, end, step := k.prim(2), k.prim(3), k.prim(4)
	axis, _ := k.axis("axis", x.NDim())
	if k.err != nil {
		return nil, k.err
	}
	if n, known := tir.AsInt(step); !known || n < 1 {
		return nil, skipf("its step is not a positive constant")
	}
	n := x.Shape[axis]
	inside := func(e tir.Expr) tir.Expr {
		e = tir.CastTo(n.DType(), e)
		if v, known := tir.AsInt(e); !known {
			e = tir.Add(e, &tir.Select{Cond: tir.LT(e, tir.Int(0)), True: n, False: tir.Int(0)})
		} else if v < 0 {
			e = tir.Add(e, n)
		}
		return tir.Min(tir.Max(e, tir.Int(0)), n)
	}
	return []*te.Tensor{topi.SliceScatter(x, src, inside(start), inside(end), tir.CastTo(n.DType(), step), axis)}, nil
}

// poolGrad is the rule of the gradient of a pooling of that kind.
func poolGrad(kind string) rule {
	return func(k *kernel) ([]*te.Tensor, error) {
		grad, x := k.tensor(0), k.tensor(1)
		if k.err != nil {
			return nil, k.err
		}
		o := topi.PoolOpts{
			Size: k.ints("pool_size"), Strides: k.ints("strides"), Dilation: k.ints("dilation"), CeilMode: k.bool("ceil_mode"),
			CountIncludePad: k.bool("count_include_pad"), Layout: k.str("layout"),
		}
		o.Before, o.After = halves(k.ints("padding"))
		if out := k.str("out_layout"); out != "" && out != o.Layout {
			return nil, skipf("its result has another layout than its input")
		}
		return orSkip(topi.PoolGrad(kind, grad, x, o))
	}
}
