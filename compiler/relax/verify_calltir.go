package relax

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// callTIR checks a call of a PrimFunc in destination-passing style against its signature:
// the tensors, then the results that are not in place, then the scalars.
func (v *verifier) callTIR(c *Call) {
	o, ok := c.Op.(*ir.Op)
	if !ok || (o.Name != "relax.call_tir" && o.Name != "relax.call_tir_inplace") {
		return
	}
	known := v.opts.Checked.of(c)
	callee := v.callee(c)
	if known.fits != nil && callee != nil && callee.SameCode(known.fits) {
		return
	}
	if err := checkCallTIR(c, v.ctx); err != nil {
		v.report(c, "%s", err)
		return
	}
	known.fits = callee
	v.opts.Checked.put(c, known)
}

// callee returns the PrimFunc that a call names first, nil if there is none.
func (v *verifier) callee(c *Call) *tir.PrimFunc {
	if len(c.Args) == 0 {
		return nil
	}
	gv, ok := c.Args[0].(*ir.GlobalVar)
	if !ok {
		return nil
	}
	f, _ := v.mod.Lookup(gv.Name).(*tir.PrimFunc)
	return f
}

// checkCallTIR returns what is wrong with a call of relax.call_tir or relax.call_tir_inplace:
// a callee that is no PrimFunc of the module, or arguments and results that do not fit it.
func checkCallTIR(c *Call, ctx *InferContext) error {
	name := calleeName(c.Op)
	if len(c.Args) < 2 {
		return fmt.Errorf("%s: expected a function and a tuple of arguments", name)
	}
	gv, ok := c.Args[0].(*ir.GlobalVar)
	if !ok {
		return fmt.Errorf("%s: expected a function of the module, got %s", name, describeExpr(c.Args[0]))
	}
	args, ok := c.Args[1].(*Tuple)
	if !ok {
		return fmt.Errorf("%s of %s: its arguments must be a literal tuple, not %s", name, gv.Name, describeExpr(c.Args[1]))
	}
	f, ok := ctx.Func(gv.Name).(*tir.PrimFunc)
	if !ok {
		return fmt.Errorf("%s of %s: expected a PrimFunc of the module, got %T", name, gv.Name, ctx.Func(gv.Name))
	}
	given, err := callTIROperands(c, args, ctx)
	if err != nil {
		return fmt.Errorf("%s of %s: %w", name, gv.Name, err)
	}
	if distributedOperands(given) {
		return nil // each device passes its parts, whose shapes follow from passes that are still to run
	}
	params := primFuncSInfo(f).Params
	if len(params) != len(given) {
		return fmt.Errorf("%s of %s: the PrimFunc has %d parameters, but the call passes %d", name, gv.Name, len(params), len(given))
	}
	if sub, bad := ctx.MatchParams(params, given); bad >= 0 {
		return fmt.Errorf("%s of %s: parameter %s is %s, but the call passes %s", name, gv.Name, f.Params[bad].Name,
			FormatSInfo(Subst{Prims: sub}.SInfo(params[bad])), FormatSInfo(given[bad]))
	}
	return nil
}

func distributedOperands(given []StructInfo) bool {
	return slices.ContainsFunc(given, func(s StructInfo) bool {
		t, ok := s.(*TensorStructInfo)
		return ok && t.Sharding != nil
	})
}

// callTIROperands lists what a call passes to its PrimFunc: arguments, fresh results, scalars.
func callTIROperands(c *Call, args *Tuple, ctx *InferContext) ([]StructInfo, error) {
	var given []StructInfo
	for i, a := range args.Fields {
		info := ctx.SInfoOf(a)
		if info == nil {
			return nil, fmt.Errorf("argument %d has no struct info", i)
		}
		given = append(given, info)
	}
	if len(c.SInfoArgs) != 1 {
		return nil, fmt.Errorf("expected one struct info argument, got %d", len(c.SInfoArgs))
	}
	results := []StructInfo{c.SInfoArgs[0]}
	if t, ok := c.SInfoArgs[0].(*TupleStructInfo); ok {
		results = t.Fields
	}
	inplace := c.Attrs.Ints("inplace_indices")
	for i, r := range results {
		if i >= len(inplace) || inplace[i] < 0 {
			given = append(given, r)
		}
	}
	if len(c.Args) > 2 {
		shape, ok := ctx.SInfoOf(c.Args[2]).(*ShapeStructInfo)
		if !ok || shape.NDim < 0 {
			return nil, fmt.Errorf("the scalars must be a shape of known length")
		}
		for i := range shape.NDim {
			p := &PrimStructInfo{DType: dtype.Int64T}
			if shape.Values != nil {
				p.Value = shape.Values[i]
			}
			given = append(given, p)
		}
	}
	return given, nil
}
