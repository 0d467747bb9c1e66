package transform

import (
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// expr puts what a batch normalization of a convolution with an addition becomes in the place of its first result.
func (s *scaleFolder) expr(e relax.Expr) relax.Expr {
	e = s.m.VisitExpr(e)
	if item, ok := e.(*relax.TupleGetItem); ok && item.Index == 0 {
		if out := s.normalized(item); out != nil {
			return out
		}
	}
	return e
}

// normalized returns what the first result of a batch normalization becomes, nil if it stays.
func (s *scaleFolder) normalized(item *relax.TupleGetItem) relax.Expr {
	tuple, ok := item.Tuple.(*relax.Var)
	if !ok {
		return nil
	}
	norm := callsOp(s.m.Builder().LookupBinding(tuple), "relax.nn.batch_norm")
	if norm == nil {
		return nil
	}
	v, ok := norm.Args[0].(*relax.Var)
	if !ok {
		return nil
	}
	result, conv, bias := s.behind(v)
	if conv == nil || bias == nil {
		return nil
	}
	if why := s.normReason(tuple, norm, v, result, conv, bias); why != "" {
		s.c.Declined(ruleFoldScale, norm, why)
		return nil
	}
	t := s.m.Builder().Context().SInfoOf(norm.Args[1]).(*relax.TensorStructInfo)
	n, _ := t.Dims()
	one := relax.Ints([]int64{1})[0]
	perChannel := func(x relax.Expr) relax.Expr { return s.emit(op.Reshape(x, n[0], one, one)) }
	scale := s.emit(normScale(norm, norm.Args[1], norm.Args[4], t.DType))
	k := perChannel(scale)
	shift := perChannel(normShift(norm, norm.Args[2], norm.Args[3], scale))
	// (b - mean) * scale + beta is b * scale + shift.
	return op.Add(s.again(conv, k, result), s.emit(op.Add(s.emit(op.Multiply(bias, k)), shift)))
}

// normReason says why a batch normalization of v, a convolution's result with bias added to it, stays, "" if it need not. tuple has its results.
func (s *scaleFolder) normReason(tuple *relax.Var, norm *relax.Call, v, result *relax.Var, conv *relax.Call, bias relax.Expr) string {
	if why := s.reason("relax.multiply", v, result, conv, bias, nil); why != "" {
		return why
	}
	infer := s.m.Builder().Context()
	w := infer.SInfoOf(conv.Args[1]).(*relax.TensorStructInfo)
	dims, _ := w.StaticDims()
	if norm.Attrs.Bool("training", true) {
		return "the normalization is by statistics of the batch"
	}
	if norm.Attrs.Int("axis", 1) != 1 {
		return "the channels are not the second axis"
	}
	for _, x := range norm.Args[1:] {
		t, ok := infer.SInfoOf(x).(*relax.TensorStructInfo)
		if !ok || !s.constants.has(x) {
			return "the parameters are not constant"
		}
		if d, known := t.StaticDims(); t.DType != w.DType || !known || len(d) != 1 || d[0] != dims[0] {
			return "the parameters are not one number for each channel, of the type of the weights"
		}
	}
	if s.uses[tuple] != 1 {
		return "other results of the normalization are used too"
	}
	return ""
}
