package onnx

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// coupled turns the probabilities of the first class of each pair into those of all classes, as libsvm does (Wu, Lin, and Weng, 2004): those p are sought for which
// p Q p is least, where Q is made of the probabilities of pairs.
func (s *svm) coupled(pairs relax.Expr) relax.Expr {
	classes := s.labels.count
	k := tir.Int(int64(classes))
	q := s.coupling(pairs)
	f32 := func(shape ...tir.Expr) *relax.TensorStructInfo {
		return &relax.TensorStructInfo{DType: dtype.Float32T, NDim: len(shape), Shape: shapeExpr(shape)}
	}
	p := &prim{name: "couple", body: func(p *prim, row, _ tir.Expr) tir.Stmt { return couple(p, row, classes) }}
	results := []*relax.TensorStructInfo{f32(s.rows, k), f32(s.rows, k), f32(s.rows, tir.Int(4))}
	y := s.prim(p, args(q), []string{"q"}, results, []string{"p", "qp", "state"})
	return s.bind(&relax.TupleGetItem{Base: ir.Base{Origin: s.origin}, Tuple: y, Index: 0}, s.base+"_probabilities", false)
}

// coupling is Q (rows, classes, classes). With r(i, j) the probability of i in its pair with j, an element beside the diagonal is -r(i, j) r(j, i), and one on it the
// sum of the squares of all r(j, i).
func (s *svm) coupling(pairs relax.Expr) relax.Expr {
	classes, p := s.labels.count, s.pairCount()
	at := make([]int64, classes*classes) // of the probabilities of pairs, their complements, and a zero
	diagonal := make([]byte, classes*classes)
	pair := 0
	for i := range classes {
		at[i*classes+i], diagonal[i*classes+i] = int64(2*p), 1
		for j := i + 1; j < classes; j++ {
			at[i*classes+j], at[j*classes+i] = int64(pair), int64(p+pair)
			pair++
		}
	}
	k := tir.Int(int64(classes))
	zero := s.filled(dtype.Float32T, []tir.Expr{s.rows, tir.Int(1)}, 0)
	other := s.emit("relax.subtract", args(s.constant(dtype.Float32T, 1), pairs))
	all := s.emit("relax.concat", args(tuple(args(pairs, other, zero))), "axis", int64(1))
	r := s.reshape(s.emit("relax.take", args(all, vectorOf(s.node, dtype.Int64T, at)), "axis", int64(1)), []tir.Expr{s.rows, k, k})
	back := s.emit("relax.permute_dims", args(r), "axes", []int64{0, 2, 1})
	squares := s.emit("relax.sum", args(s.emit("relax.multiply", args(back, back))), "axis", []int64{2}, "keepdims", true)
	products := s.emit("relax.negative", args(s.emit("relax.multiply", args(r, back))))
	return s.emit("relax.where", args(s.reshape(vectorOf(s.node, dtype.BoolT, diagonal), []tir.Expr{tir.Int(1), k, k}), squares, products))
}

// The elements of the state of a row.
const (
	coupleSum  = iota // p Q p
	coupleOff         // how far p is from a solution
	coupleStep        // what an element of p changes by
	coupleDone        // 1 at the end
)

// couple are the statements for one row: at most 100 turns, in each of which all elements of p are changed one after the other.
func couple(b *prim, row tir.Expr, classes int) tir.Stmt {
	q, p, qp, state := b.in[0], b.out[0], b.out[1], b.out[2]
	k := tir.Int(int64(classes))
	float := func(v float64) tir.Expr { return tir.FloatConst(dtype.Float32T, v) }
	get := func(i int64) tir.Expr { return tir.Load(state, row, tir.Int(i)) }
	set := func(i int64, v tir.Expr) tir.Stmt { return tir.Store(state, v, row, tir.Int(i)) }
	measure := serial("t", k, func(t tir.Expr) tir.Stmt {
		sum := serial("j", k, func(j tir.Expr) tir.Stmt {
			return tir.Store(qp, tir.Add(tir.Load(qp, row, t), tir.Mul(tir.Load(q, row, t, j), tir.Load(p, row, j))), row, t)
		})
		return tir.Seq(
			tir.Store(qp, float(0), row, t), sum,
			set(coupleSum, tir.Add(get(coupleSum), tir.Mul(tir.Load(p, row, t), tir.Load(qp, row, t)))),
		)
	})
	off := serial("t", k, func(t tir.Expr) tir.Stmt {
		d := tir.Sub(tir.Load(qp, row, t), get(coupleSum))
		return set(coupleOff, tir.Max(get(coupleOff), tir.Max(d, tir.Sub(float(0), d))))
	})
	change := serial("t", k, func(t tir.Expr) tir.Stmt {
		own, step := tir.Load(q, row, t, t), get(coupleStep)
		scale := tir.Add(float(1), step)
		sum := tir.Add(get(coupleSum), tir.Mul(step, tir.Add(tir.Mul(step, own), tir.Mul(float(2), tir.Load(qp, row, t)))))
		return tir.Seq(
			set(coupleStep, tir.Div(tir.Sub(get(coupleSum), tir.Load(qp, row, t)), own)),
			tir.Store(p, tir.Add(tir.Load(p, row, t), step), row, t),
			set(coupleSum, tir.Div(tir.Div(sum, scale), scale)),
			serial("j", k, func(j tir.Expr) tir.Stmt {
				return tir.Seq(
					tir.Store(qp, tir.Div(tir.Add(tir.Load(qp, row, j), tir.Mul(step, tir.Load(q, row, t, j))), scale), row, j),
					tir.Store(p, tir.Div(tir.Load(p, row, j), scale), row, j),
				)
			}),
		)
	})
	turn := tir.Seq(
		set(coupleSum, float(0)), measure, set(coupleOff, float(0)), off,
		&tir.IfThenElse{Cond: tir.LT(get(coupleOff), float(float64(float32(0.005)/float32(classes)))), Then: set(coupleDone, float(1)), Else: change},
	)
	return tir.Seq(
		set(coupleDone, float(0)),
		serial("t", k, func(t tir.Expr) tir.Stmt { return tir.Store(p, float(float64(1/float32(classes))), row, t) }),
		serial("turn", tir.Int(100), func(tir.Expr) tir.Stmt {
			return &tir.IfThenElse{Cond: tir.LT(get(coupleDone), float(1)), Then: turn}
		}),
	)
}
