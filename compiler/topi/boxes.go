package topi

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// ValidCounts moves the boxes (batch, boxes, elements) whose score is above threshold, and whose class is not negative if id says where it stands, to
// the front: how many there are, the boxes, and where they stood. What is left over is -1.
func ValidCounts(x *te.Tensor, threshold float64, id, score int64) []*te.Tensor {
	n, width := x.Shape[1], x.Shape[2]
	outs := []te.Out{
		{DType: dtype.Int32T, Shape: x.Shape[:1]}, {DType: x.DType, Shape: x.Shape}, {DType: dtype.Int32T, Shape: x.Shape[:2]},
	}
	return te.Extern("get_valid_counts", outs, []*te.Tensor{x}, func(in, out []*tir.Buffer) tir.Stmt {
		rows := newLoops("i", x.Shape[:1])
		i := rows.vars[0]
		count := tir.CastTo(dtype.Int64T, tir.Load(out[0], i))
		keep := func(from, to tir.Expr, v func(k tir.Expr) tir.Expr) tir.Stmt {
			return tir.Seq(
				count0("k", width, func(k tir.Expr) tir.Stmt { return tir.Store(out[1], v(k), i, to, k) }),
				tir.Store(out[2], from, i, to),
			)
		}
		return rows.wrap(tir.Seq(
			tir.Store(out[0], tir.Const(dtype.Int32T, 0), i),
			count0("j", n, func(j tir.Expr) tir.Stmt {
				valid := tir.GT(tir.Load(in[0], i, j, tir.Int(score)), constantOf(x.DType, threshold))
				if id >= 0 {
					valid = tir.And(valid, tir.GE(tir.Load(in[0], i, j, tir.Int(id)), tir.Const(x.DType, 0)))
				}
				return &tir.IfThenElse{Cond: valid, Then: tir.Seq(
					keep(tir.CastTo(dtype.Int32T, j), count, func(k tir.Expr) tir.Expr { return tir.Load(in[0], i, j, k) }),
					tir.Store(out[0], tir.Add(tir.Load(out[0], i), tir.Const(dtype.Int32T, 1)), i),
				)}
			}),
			count0("j", n, func(j tir.Expr) tir.Stmt {
				rest := keep(tir.Const(dtype.Int32T, -1), j, func(tir.Expr) tir.Expr { return tir.Const(x.DType, -1) })
				return &tir.IfThenElse{Cond: tir.GE(j, count), Then: rest}
			}),
		))
	})
}

// constantOf is a constant of type d nearest to v.
func constantOf(d dtype.DType, v float64) tir.Expr {
	if d.IsFloat() {
		return tir.FloatConst(d, v)
	}
	return tir.Const(d, int64(v))
}

// overlap is the intersection over the union of two boxes, whose corners a and b yield by 0 to 3 in either order; 0 where the union is empty.
func overlap(d dtype.DType, a, b func(k int64) tir.Expr) tir.Expr {
	zero := tir.Const(d, 0)
	span := func(k int64) (size, inA, inB tir.Expr) {
		lowA, highA := tir.Min(a(k), a(k+2)), tir.Max(a(k), a(k+2))
		lowB, highB := tir.Min(b(k), b(k+2)), tir.Max(b(k), b(k+2))
		return tir.Max(zero, tir.Sub(tir.Min(highA, highB), tir.Max(lowA, lowB))), tir.Sub(highA, lowA), tir.Sub(highB, lowB)
	}
	w, wa, wb := span(0)
	h, ha, hb := span(1)
	both := tir.Mul(h, w)
	union := tir.Sub(tir.Add(tir.Mul(wa, ha), tir.Mul(wb, hb)), both)
	some := tir.GT(union, zero)
	return &tir.Select{Cond: some, True: tir.Div(both, &tir.Select{Cond: some, True: union, False: tir.Const(d, 1)}), False: zero}
}

// NMSOpts are the parameters of NMS, with the names that TVM's non_max_suppression gives them.
type NMSOpts struct {
	MaxOutput, TopK          int64 // below one: as many as there are
	IOU                      float64
	Force                    bool
	CoordStart, Score, ID    int64 // ID is -1 where boxes have no class
	ReturnIndices, ToFront   bool
	SoftSigma, SoftThreshold float64 // no decay where the first is zero
}

// NMS keeps boxes (batch, boxes, elements) from the best score to the worst. Those of the same class whose overlap with a box that is kept is IOU or
// more are suppressed, which makes them -1, or lose of their score. Of the boxes of a batch those count that valid says, and stood where
// indices says. The result is the boxes; with ReturnIndices where those stood that are kept and how many they are, behind the boxes if scores decay.
//
// It computes what TVM's classic non_max_suppression does, in time that grows as the number of boxes times that of the boxes kept.
func NMS(x, valid, indices *te.Tensor, o NMSOpts) []*te.Tensor {
	_, rank := Sort(te.Compute("scores", x.Shape[:2], func(i []tir.Expr) tir.Expr {
		v := x.At(i[0], i[1], tir.Int(o.Score))
		counts := tir.And(tir.LT(i[1], tir.CastTo(i[1].DType(), valid.At(i[0]))), tir.EQ(v, v))
		return &tir.Select{Cond: counts, True: v, False: te.Lowest(x.DType)}
	}), SortOpts{Axis: 1, Descending: true, Keep: x.Shape[1], Indices: dtype.Int32T})
	i32 := func(v int64) tir.Expr { return tir.Const(dtype.Int32T, v) }
	n, width := x.Shape[1], x.Shape[2]
	outs := []te.Out{
		{DType: x.DType, Shape: x.Shape},
		{DType: dtype.Int32T, Shape: x.Shape[:2]},
		{DType: dtype.Int32T, Shape: []tir.Expr{x.Shape[0], tir.Int(1)}},
		{DType: dtype.Int64T, Shape: []tir.Expr{tir.Int(2)}},
	}
	soft := o.SoftSigma > 0
	least := 0.0
	if soft {
		least = o.SoftThreshold
	}
	ts := te.Extern("non_max_suppression", outs, []*te.Tensor{x, rank, valid, indices}, func(in, out []*tir.Buffer) tir.Stmt {
		rows := newLoops("i", x.Shape[:1])
		i := rows.vars[0]
		boxes, at, count, state := out[0], out[1], out[2], out[3]
		kept := tir.CastTo(dtype.Int64T, tir.Load(count, i, tir.Int(0)))
		one := tir.Store(count, tir.Add(tir.Load(count, i, tir.Int(0)), i32(1)), i, tir.Int(0))
		nkeep, best := tir.Load(state, tir.Int(0)), tir.Load(state, tir.Int(1))
		score := func(j tir.Expr) tir.Expr { return tir.Load(boxes, i, j, tir.Int(o.Score)) }
		alive := func(j tir.Expr) tir.Expr {
			return tir.And(tir.GE(tir.Load(at, i, j), i32(0)), tir.GT(score(j), constantOf(x.DType, least)))
		}
		fill := func(j tir.Expr, v func(k tir.Expr) tir.Expr) tir.Stmt {
			return count0("k", width, func(k tir.Expr) tir.Stmt { return tir.Store(boxes, v(k), i, j, k) })
		}
		drop := func(j tir.Expr) tir.Stmt {
			return tir.Seq(fill(j, func(tir.Expr) tir.Expr { return tir.Const(x.DType, -1) }), tir.Store(at, i32(-1), i, j))
		}
		room := tir.Expr(tir.Bool(true))
		if o.MaxOutput > 0 {
			room = tir.LT(kept, tir.Int(o.MaxOutput))
		}
		limit := tir.Max(tir.Min(tir.CastTo(dtype.Int64T, tir.Load(in[2], i)), n), tir.Int(0))
		if o.TopK > 0 {
			limit = tir.Min(limit, tir.Int(o.TopK))
		}
		start := count0("j", n, func(j tir.Expr) tir.Stmt {
			from := tir.CastTo(dtype.Int64T, tir.Load(in[1], i, j))
			return &tir.IfThenElse{Cond: tir.LT(j, nkeep), Then: tir.Seq(
				fill(j, func(k tir.Expr) tir.Expr { return tir.Load(in[0], i, from, k) }), tir.Store(at, tir.Load(in[1], i, j), i, j),
			), Else: drop(j)}
		})
		// against lowers what box j suppresses.
		against := func(j tir.Expr) tir.Stmt {
			return count0("m", nkeep, func(m tir.Expr) tir.Stmt {
				rival := tir.And(tir.GT(m, j), alive(m))
				if !o.Force && o.ID >= 0 {
					rival = tir.And(rival, tir.EQ(tir.Load(boxes, i, j, tir.Int(o.ID)), tir.Load(boxes, i, m, tir.Int(o.ID))))
				}
				corner := func(b tir.Expr) func(int64) tir.Expr {
					return func(k int64) tir.Expr { return tir.Load(boxes, i, b, tir.Int(o.CoordStart+k)) }
				}
				lower := let("iou", overlap(x.DType, corner(j), corner(m)), func(iou tir.Expr) tir.Stmt {
					out := &tir.IfThenElse{Cond: tir.GE(iou, constantOf(x.DType, o.IOU)), Then: tir.Store(at, i32(-1), i, m)}
					if soft {
						scale := tir.Mul(constantOf(x.DType, -0.5/o.SoftSigma), tir.Mul(iou, iou))
						out.Else = tir.Store(boxes, tir.Mul(score(m), call(tir.OpExp, scale)), i, m, tir.Int(o.Score))
					} else {
						out.Then = tir.Seq(out.Then, tir.Store(boxes, tir.Const(x.DType, -1), i, m, tir.Int(o.Score)))
					}
					return out
				})
				return &tir.IfThenElse{Cond: rival, Then: lower}
			})
		}
		var choose tir.Stmt
		if soft {
			// Scores change: the best of what is left is found each time, and changes places with the first of what is left.
			exchange := func(b *tir.Buffer, at ...tir.Expr) tir.Stmt {
				to := append([]tir.Expr{i, kept}, at...)
				from := append([]tir.Expr{i, best}, at...)
				return let("first", tir.Load(b, to...), func(v tir.Expr) tir.Stmt {
					return tir.Seq(tir.Store(b, tir.Load(b, from...), to...), tir.Store(b, v, from...))
				})
			}
			choose = count0("round", nkeep, func(tir.Expr) tir.Stmt {
				return &tir.IfThenElse{Cond: room, Then: tir.Seq(
					tir.Store(state, tir.Int(-1), tir.Int(1)),
					count0("j", nkeep, func(j tir.Expr) tir.Stmt {
						better := tir.Or(tir.LT(best, tir.Int(0)), tir.GT(score(j), score(tir.Max(best, tir.Int(0)))))
						return &tir.IfThenElse{Cond: tir.And(tir.GE(j, kept), alive(j)), Then: &tir.IfThenElse{Cond: better, Then: tir.Store(state, j, tir.Int(1))}}
					}),
					&tir.IfThenElse{Cond: tir.GE(best, tir.Int(0)), Then: tir.Seq(
						exchange(at), count0("k", width, func(k tir.Expr) tir.Stmt { return exchange(boxes, k) }), against(kept), one,
					)},
				)}
			})
			choose = tir.Seq(choose, count0("j", n, func(j tir.Expr) tir.Stmt {
				return &tir.IfThenElse{Cond: tir.GE(j, kept), Then: drop(j)}
			}))
		} else {
			choose = count0("j", nkeep, func(j tir.Expr) tir.Stmt {
				return &tir.IfThenElse{Cond: tir.And(alive(j), room), Then: tir.Seq(one, against(j)), Else: drop(j)}
			})
			if o.ReturnIndices || o.ToFront {
				choose = tir.Seq(choose, packFront(i, n, width, boxes, at, count, state, drop))
			}
		}
		if o.ReturnIndices {
			choose = tir.Seq(choose, count0("j", n, func(j tir.Expr) tir.Stmt {
				from := tir.CastTo(dtype.Int64T, tir.Load(at, i, j))
				return &tir.IfThenElse{Cond: tir.LT(j, kept), Then: tir.Store(at, tir.Load(in[3], i, from), i, j)}
			}))
		}
		return rows.wrap(tir.Seq(tir.Store(count, i32(0), i, tir.Int(0)), tir.Store(state, limit, tir.Int(0)), start, choose))
	})
	switch {
	case !o.ReturnIndices:
		return ts[:1]
	case soft:
		return ts[:3]
	}
	return ts[1:3]
}

// packFront moves the boxes that are kept to the front.
func packFront(i, n, width tir.Expr, boxes, at, count, state *tir.Buffer, drop func(j tir.Expr) tir.Stmt) tir.Stmt {
	to := tir.Load(state, tir.Int(1))
	return tir.Seq(
		tir.Store(state, tir.Int(0), tir.Int(1)),
		count0("j", n, func(j tir.Expr) tir.Stmt {
			return &tir.IfThenElse{Cond: tir.GE(tir.Load(at, i, j), tir.Const(dtype.Int32T, 0)), Then: tir.Seq(
				count0("k", width, func(k tir.Expr) tir.Stmt { return tir.Store(boxes, tir.Load(boxes, i, j, k), i, to, k) }),
				tir.Store(at, tir.Load(at, i, j), i, to),
				tir.Store(state, tir.Add(to, tir.Int(1)), tir.Int(1)),
			)}
		}),
		count0("j", n, func(j tir.Expr) tir.Stmt {
			return &tir.IfThenElse{Cond: tir.GE(j, tir.CastTo(dtype.Int64T, tir.Load(count, i, tir.Int(0)))), Then: drop(j)}
		}),
	)
}

// ClassNMS keeps for each class of each batch the boxes (batch, boxes, 4), corners in either order, whose score (batch, classes, boxes) is above
// threshold, from the best to the worst, but those that have more than iou of their union in common with one that is kept, and not more than limit.
// It is ONNX's NonMaxSuppression with a result of a fixed size: rows of batch, class and box, zeros behind the last, and how many there are. With
// byBatch that is for each batch by itself: rows of class and box, their scores, and how many there are, TensorFlow's combined form.
func ClassNMS(boxes, scores *te.Tensor, limit, iou, threshold Operand, byBatch bool) []*te.Tensor {
	_, rank := Sort(scores, SortOpts{Axis: 2, Descending: true, Keep: scores.Shape[2], Indices: dtype.Int32T, Above: threshold})
	batch, classes, n := scores.Shape[0], scores.Shape[1], scores.Shape[2]
	per := tir.Mul(classes, n)
	state := te.Out{DType: dtype.Int64T, Shape: []tir.Expr{tir.Int(3)}}
	outs := []te.Out{{DType: dtype.Int64T, Shape: []tir.Expr{tir.Mul(batch, per), tir.Int(3)}}, {DType: dtype.Int64T, Shape: []tir.Expr{tir.Int(1)}}, state}
	if byBatch {
		outs = []te.Out{
			{DType: dtype.Int64T, Shape: []tir.Expr{batch, per, tir.Int(2)}},
			{DType: dtype.Float32T, Shape: []tir.Expr{batch, per}},
			{DType: dtype.Int64T, Shape: []tir.Expr{batch}},
			state,
		}
	}
	inputs := []*te.Tensor{boxes, scores, rank}
	for _, o := range []Operand{limit, iou} {
		if o.Tensor != nil {
			inputs = append(inputs, o.Tensor)
		}
	}
	ts := te.Extern("all_class_non_max_suppression", outs, inputs, func(in, out []*tir.Buffer) tir.Stmt {
		next := 3
		scalar := func(o Operand) tir.Expr {
			if o.Tensor == nil {
				return o.Scalar
			}
			b := in[next]
			next++
			return tir.Load(b, zeros(len(b.Shape))...)
		}
		most, share := scalar(limit), scalar(iou)
		rows, total, state := out[0], out[len(out)-2], out[len(out)-1]
		outer := newLoops("i", []tir.Expr{batch, classes})
		b, c := outer.vars[0], outer.vars[1]
		// head is the index of what belongs to the whole batch.
		head := []tir.Expr{tir.Int(0)}
		var row []tir.Expr
		if byBatch {
			head, row = []tir.Expr{b}, []tir.Expr{b}
		}
		found := tir.Load(total, head...)
		first, free := tir.Load(state, tir.Int(0)), tir.Load(state, tir.Int(1))
		at := func(r tir.Expr, k int64) []tir.Expr { return append(row[:len(row):len(row)], r, tir.Int(k)) }
		width := int64(3)
		if byBatch {
			width = 2
		}
		choose := count0("j", n, func(j tir.Expr) tir.Stmt {
			return let("box", tir.CastTo(dtype.Int64T, tir.Load(in[2], b, c, j)), func(box tir.Expr) tir.Stmt {
				score := tir.Load(in[1], b, c, box)
				corner := func(box tir.Expr) func(int64) tir.Expr {
					return func(k int64) tir.Expr { return tir.Load(in[0], b, box, tir.Int(k)) }
				}
				clash := count0("r", tir.Sub(found, first), func(r tir.Expr) tir.Stmt {
					other := tir.Load(rows, at(tir.Add(first, r), width-1)...)
					more := tir.GT(tir.CastTo(share.DType(), overlap(boxes.DType, corner(other), corner(box))), share)
					return &tir.IfThenElse{Cond: more, Then: tir.Store(state, tir.Int(0), tir.Int(1))}
				})
				list := []tir.Stmt{tir.Store(rows, c, at(found, width-2)...), tir.Store(rows, box, at(found, width-1)...)}
				if byBatch {
					list = append(list, tir.Store(out[1], tir.CastTo(dtype.Float32T, score), append(row[:len(row):len(row)], found)...))
				} else {
					list = append(list, tir.Store(rows, b, at(found, 0)...))
				}
				list = append(list, tir.Store(total, tir.Add(found, tir.Int(1)), head...))
				room := tir.LT(tir.Sub(found, first), tir.CastTo(dtype.Int64T, most))
				return &tir.IfThenElse{Cond: tir.And(tir.GE(box, tir.Int(0)), room), Then: tir.Seq(
					tir.Store(state, tir.Int(1), tir.Int(1)), clash,
					&tir.IfThenElse{Cond: tir.NE(free, tir.Int(0)), Then: tir.Seq(list...)},
				)}
			})
		})
		var start []tir.Stmt
		for _, x := range out[:len(out)-1] {
			clear := newLoops("z", x.Shape)
			start = append(start, clear.wrap(tir.Store(x, tir.Const(x.DType, 0), clear.vars...)))
		}
		return tir.Seq(append(start, outer.wrap(tir.Seq(tir.Store(state, found, tir.Int(0)), choose)))...)
	})
	return ts[:len(ts)-1]
}

// zeros are n indices of zero.
func zeros(n int) []tir.Expr {
	out := make([]tir.Expr, n)
	for k := range out {
		out[k] = tir.Int(0)
	}
	return out
}

// Multibox decodes boxes from anchors (1, anchors, 4) of left, top, right, bottom and four numbers each, x, y, width and height times scales: the
// boxes as ymin, xmin, ymax, xmax, and the softmax over the classes of logits (batch, classes, anchors), zero where it is below threshold.
func Multibox(logits, numbers, anchors *te.Tensor, scales []float64, clip bool, threshold float64, background bool) []*te.Tensor {
	d := logits.DType
	number := func(v float64) tir.Expr { return constantOf(d, v) }
	boxes := te.Compute("multibox_boxes", []tir.Expr{logits.Shape[0], logits.Shape[2], tir.Int(4)}, func(i []tir.Expr) tir.Expr {
		anchor := func(k int64) tir.Expr { return anchors.At(tir.Int(0), i[1], tir.Int(k)) }
		value := func(k int64) tir.Expr {
			return tir.Mul(numbers.At(i[0], tir.Add(tir.Mul(i[1], tir.Int(4)), tir.Int(k))), number(scales[k]))
		}
		// edge is the lower or the upper one along the axis, 0 for x.
		edge := func(axis int64, sign float64) tir.Expr {
			size := tir.Sub(anchor(axis+2), anchor(axis))
			middle := tir.Mul(tir.Add(anchor(axis), anchor(axis+2)), number(0.5))
			center := tir.Add(tir.Mul(value(axis), size), middle)
			e := tir.Add(center, tir.Mul(tir.Mul(number(0.5*sign), call(tir.OpExp, value(axis+2))), size))
			if clip {
				e = tir.Max(number(0), tir.Min(number(1), e))
			}
			return e
		}
		out := edge(0, 1)
		for k, e := range []tir.Expr{edge(1, 1), edge(0, -1), edge(1, -1)} {
			out = &tir.Select{Cond: tir.EQ(i[2], tir.Int(int64(2-k))), True: e, False: out}
		}
		return out
	})
	scores := Softmax(logits, 1)
	scores = te.Compute("multibox_scores", logits.Shape, func(i []tir.Expr) tir.Expr {
		s := scores.At(i...)
		keep := tir.GE(s, number(threshold))
		if !background {
			keep = tir.And(keep, tir.GT(i[1], tir.Int(0)))
		}
		return &tir.Select{Cond: keep, True: s, False: number(0)}
	})
	return []*te.Tensor{boxes, scores}
}
