package transform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// graphRegion is a list of bindings that move into a function: the allocation of storage, or launches.
type graphRegion struct {
	bindings []relax.Binding
	inputs   []*relax.Var // used, and bound outside
	outputs  []*relax.Var // used outside, in the order of first use
	fields   []int        // where the outputs stand in the result
	symbols  []*tir.Var

	isInput, isOutput map[*relax.Var]bool
	isSymbol          map[*tir.Var]bool
}

func newGraphRegion() *graphRegion {
	return &graphRegion{isInput: map[*relax.Var]bool{}, isOutput: map[*relax.Var]bool{}, isSymbol: map[*tir.Var]bool{}}
}

// function returns the function of a region, which shares its variables.
func (r *graphRegion) function(base ir.Base) *relax.Function {
	fields := make([]relax.Expr, len(r.outputs))
	for i, v := range r.outputs {
		fields[i] = v
	}
	params := slices.Clone(r.inputs)
	if len(r.symbols) > 0 {
		params = append(params, &relax.Var{Base: base, Name: "shape_expr", SInfo: relax.SInfoOf(shapeOfVars(r.symbols))})
	}
	return graphFunction(base, params, r.bindings, fields)
}

// graphFunction returns a function that yields a tuple of what bindings bind.
func graphFunction(base ir.Base, params []*relax.Var, bindings []relax.Binding, fields []relax.Expr) *relax.Function {
	info := &relax.TupleStructInfo{}
	for _, f := range fields {
		info.Fields = append(info.Fields, relax.SInfoOf(f))
	}
	result := bindNew(base, "gv", info, &relax.Tuple{Base: base, Fields: fields})
	body := relax.Expr(result.Var)
	if len(fields) == 0 { // nothing is used as R.tuple()
		body = &relax.Tuple{Base: base}
	}
	return &relax.Function{
		Base: base, Params: params, Ret: info, Pure: true, Attrs: ir.NewAttrs(attrForcePure, true),
		Body: &relax.SeqExpr{Blocks: []*relax.BindingBlock{{Bindings: append(slices.Clone(bindings), result)}}, Body: body},
	}
}

func shapeOfVars(list []*tir.Var) *relax.ShapeExpr {
	s := &relax.ShapeExpr{}
	for _, v := range list {
		s.Values = append(s.Values, v)
	}
	return s
}

// graphPlan is what moves out of a function.
type graphPlan struct {
	c       *pass.Context
	m       *ir.Module
	name    string
	fn      *relax.Function
	alloc   *graphRegion
	regions []*graphRegion
	region  map[*relax.Var]*graphRegion // that binds a variable

	fixed    map[*relax.Var]bool // lies at the same address in each run
	symbols  map[*tir.Var]bool   // may be used in regions
	leaves   map[*relax.Var]bool // is, or may be, memory of the result
	storage  bool                // storage of this function may be allocated once
	branches int                 // around what is planned
	at       *graphRegion        // that the next binding may join
}

// planGraphs finds the regions of f. Without storage, it allocates anew in each run.
func planGraphs(c *pass.Context, m *ir.Module, name string, f *relax.Function, storage bool) (*graphPlan, error) {
	p := &graphPlan{
		c: c, m: m, name: name, fn: f, alloc: newGraphRegion(), region: map[*relax.Var]*graphRegion{}, storage: storage,
		fixed: map[*relax.Var]bool{}, symbols: map[*tir.Var]bool{}, leaves: map[*relax.Var]bool{},
	}
	if f.Pure && !f.Attrs.Bool(attrForcePure, false) {
		c.Declined(ruleCapture, f, "the function is pure, and what replays a graph is not: RemovePurityChecking comes first")
		return p, nil
	}
	inputs, has, err := numInput(f)
	if err != nil {
		return nil, err
	}
	hints, err := captureHints(f)
	if err != nil {
		return nil, err
	}
	for i, v := range f.Params {
		weight := has && i >= inputs
		p.fixed[v] = weight
		for _, x := range relax.DefinableVars(v.SInfo) {
			if weight || slices.Contains(hints, ir.Value(x.Name)) {
				p.symbols[x] = true
			}
		}
	}
	usedVars(f.Body.Body, func(v *relax.Var) { p.leaves[v] = true })
	p.follow(f.Body)
	p.seq(f.Body)
	p.alloc.bindings = slices.DeleteFunc(p.alloc.bindings, func(b relax.Binding) bool {
		unused := !p.alloc.isOutput[b.Bound()]
		if unused {
			delete(p.region, b.Bound())
		}
		return unused
	})
	return p, nil
}

// captureHints returns the names of symbolic variables of inputs that regions may use: a graph is recorded for each of their values.
func captureHints(f *relax.Function) ([]ir.Value, error) {
	const key = "relax.rewrite_cuda_graph.capture_symbolic_vars"
	v, has := f.Attrs.Get(key)
	list, ok := v.([]ir.Value)
	if has && (!ok || slices.ContainsFunc(list, func(x ir.Value) bool { _, name := x.(string); return !name })) {
		return nil, fmt.Errorf("the attribute %s is %v, want a list of names", key, v)
	}
	return list, nil
}

// follow finds the variables of s whose memory the result may be, from the end; those of s.Body are known.
func (p *graphPlan) follow(s *relax.SeqExpr) {
	leave := func(v *relax.Var) { p.leaves[v] = true }
	for _, blk := range slices.Backward(s.Blocks) {
		for _, b := range slices.Backward(blk.Bindings) {
			leaves := p.leaves[b.Bound()]
			switch e := b.BoundValue().(type) {
			case *relax.If:
				if leaves {
					usedVars(e.Then.Body, leave)
					usedVars(e.Else.Body, leave)
				}
				p.follow(e.Then)
				p.follow(e.Else)
			case *relax.Function:
				usedVars(e, leave)
			case *relax.Call:
				switch opName(e) {
				case "relax.make_closure":
					usedVars(e, leave)
				case opMemAllocTensor, opReshape, opMemView, opMemZeroOffset, "relax.to_vdevice", "relax.hint_on_device":
					if leaves {
						usedVars(e, leave)
					}
				}
			default:
				if leaves {
					usedVars(e, leave)
				}
			}
		}
	}
}

func (p *graphPlan) seq(s *relax.SeqExpr) {
	for _, blk := range s.Blocks {
		for _, b := range blk.Bindings {
			p.binding(b)
		}
		p.at = nil
	}
	p.used(s.Body)
}

// used notes what e uses of regions other than the one at hand.
func (p *graphPlan) used(e relax.Expr) {
	usedVars(e, func(v *relax.Var) {
		if r := p.region[v]; r != nil && r != p.at && !r.isOutput[v] {
			r.isOutput[v] = true
			r.outputs, r.fields = append(r.outputs, v), append(r.fields, len(r.fields))
		}
	})
}

func (p *graphPlan) binding(b relax.Binding) {
	if _, cast := b.(*relax.MatchCast); cast {
		p.used(b.BoundValue())
		return
	}
	switch e := b.BoundValue().(type) {
	case *relax.Call:
		switch opName(e) {
		case opMemAllocStorage:
			if p.allocates(b, e) {
				return
			}
		case opBuiltinAlloc:
		default:
			p.step(b, p.joins(b, e), p.launches(e))
		}
	case *relax.Var, *relax.Tuple, *relax.TupleGetItem, *relax.Constant:
		p.step(b, p.isFixed(e), false)
	case *relax.If:
		p.at = nil
		p.used(e.Cond)
		p.branches++
		p.seq(e.Then)
		p.seq(e.Else)
		p.branches--
		return
	}
	p.used(b.BoundValue())
}

// step adds a binding to the region at hand, or ends that.
func (p *graphPlan) step(b relax.Binding, joins, launches bool) {
	if !joins {
		p.at = nil
		return
	}
	p.fixed[b.Bound()] = true
	if p.at == nil && launches {
		p.at = newGraphRegion()
		p.regions = append(p.regions, p.at)
	}
	r := p.at
	if r == nil { // nothing is launched so far: it stays where it is
		return
	}
	usedVars(b.BoundValue(), func(v *relax.Var) {
		if p.region[v] != r && !r.isInput[v] {
			r.isInput[v] = true
			r.inputs = append(r.inputs, v)
		}
	})
	p.eachSymbol(b.BoundValue(), func(x *tir.Var) {
		if !r.isSymbol[x] {
			r.isSymbol[x] = true
			r.symbols = append(r.symbols, x)
		}
	})
	r.bindings = append(r.bindings, b)
	p.region[b.Bound()] = r
}

// allocates adds storage to what is allocated once.
func (p *graphPlan) allocates(b relax.Binding, c *relax.Call) bool {
	why := ""
	_, known := storageBytes(c)
	kind, isType := c.Args[1].(*relax.PrimValue)
	switch {
	case !known:
		why = "the size is not known"
	case p.leaves[b.Bound()]:
		why = "a result lies in the storage, which the next run would overwrite"
	case !isType || !tir.IsConst(kind.Value, 0):
		why = "it is not on device 0"
	case !p.storage:
		why = "functions call this one, and could share the storage with it"
	case p.branches > 0 && len(p.alloc.bindings) == 0:
		why = "it is in a branch, and no storage outside of it comes before"
	default:
		if len(p.alloc.bindings) == 0 { // a region that began before could not use it
			p.at = nil
		}
		p.alloc.bindings = append(p.alloc.bindings, b)
		p.region[b.Bound()], p.fixed[b.Bound()] = p.alloc, true
		return true
	}
	p.c.Declined(ruleAllocGraph, b, why)
	return false
}

// storageBytes returns the size of storage, false if it is symbolic.
func storageBytes(c *relax.Call) (int64, bool) {
	if s, ok := c.Args[0].(*relax.ShapeExpr); ok && len(s.Values) == 1 {
		return tir.AsInt(s.Values[0])
	}
	return 0, false
}

// launches reports whether CUDA records a call. Views and allocations on storage are none of its business.
func (p *graphPlan) launches(c *relax.Call) bool {
	switch name := opName(c); name {
	case "":
		return true
	case opReshape, "relax.null_value":
		return false
	default:
		return !strings.HasPrefix(name, "relax.memory.") && !strings.HasPrefix(name, "relax.builtin.")
	}
}

// joins reports whether a call may be in a region: all its arguments are at fixed addresses, and it acts on the device alone.
func (p *graphPlan) joins(b relax.Binding, c *relax.Call) bool {
	why := ""
	switch callee := c.Op.(type) {
	case *ir.GlobalVar:
		if _, kernel := p.m.Lookup(callee.Name).(*tir.PrimFunc); !kernel {
			why = "it calls a Relax function"
		}
	case *relax.ExternFunc:
		if strings.HasPrefix(callee.Symbol, "vm.builtin") || strings.HasPrefix(callee.Symbol, "relax.run.") {
			why = "it calls a function of the machine"
		}
	case *ir.Op:
		switch callee.Name {
		case opCallBuiltin, "relax.make_closure", "relax.invoke_closure", "relax.invoke_pure_closure", "relax.print", "relax.assert_op":
			why = "it acts on the host"
		}
	default:
		why = "what it calls is not known"
	}
	if why == "" {
		for _, a := range c.Args {
			if !p.isFixed(a) {
				why = "an argument may lie elsewhere in each run, or has a shape that is not known"
				break
			}
		}
	}
	if why != "" && p.launches(c) {
		p.c.Declined(ruleCapture, b, why)
	}
	return why == ""
}

// isFixed reports whether e is known before the run, or lies at the same address in each.
func (p *graphPlan) isFixed(e relax.Expr) bool {
	switch e := e.(type) {
	case *relax.Constant, *relax.DataTypeImm, *relax.StringImm, *ir.GlobalVar:
		return true
	case *relax.PrimValue:
		return p.areCaptured(relax.VarsOf(e.Value))
	case *relax.ShapeExpr:
		return p.areCaptured(varsOfAll(e.Values))
	case *relax.Var:
		return p.fixed[e] && isShaped(e.SInfo) && p.areCaptured(relax.FreeSymbolicVars(e.SInfo))
	case *relax.TupleGetItem:
		return p.isFixed(e.Tuple)
	case *relax.Tuple:
		return !slices.ContainsFunc(e.Fields, func(f relax.Expr) bool { return !p.isFixed(f) })
	}
	return false
}

func (p *graphPlan) areCaptured(list []*tir.Var) bool {
	return !slices.ContainsFunc(list, func(v *tir.Var) bool { return !p.symbols[v] })
}

// isShaped reports whether s tells the shapes of all tensors.
func isShaped(s relax.StructInfo) bool {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		if v, ok := s.Shape.(*relax.Var); ok {
			return isShaped(v.SInfo)
		}
		return s.Shape != nil
	case *relax.ShapeStructInfo:
		return s.Values != nil
	case *relax.TupleStructInfo:
		return !slices.ContainsFunc(s.Fields, func(f relax.StructInfo) bool { return !isShaped(f) })
	case *relax.ObjectStructInfo, *relax.PrimStructInfo:
		return true
	}
	return false
}

// eachSymbol calls f for the symbolic variables in e and in what is known of its variables, in order.
func (p *graphPlan) eachSymbol(e relax.Expr, f func(*tir.Var)) {
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *relax.Var:
			for _, x := range relax.FreeSymbolicVars(n.SInfo) {
				f(x)
			}
		case *tir.Var:
			f(n)
		case relax.StructInfo:
			return false
		}
		return true
	})
}
