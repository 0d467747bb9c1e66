package transform

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// attrPreproc marks a block that writes a buffer in the layout that the rest of a kernel reads.
const attrPreproc = "meta_schedule.layout_rewrite_preproc"

// ruleSplitPreproc is the name of the rule in rewrites and decisions.
const ruleSplitPreproc = "split off the rewriting of layouts"

// SplitLayoutRewritePreproc makes kernels of their own of what rewrites the layout of weights.
var SplitLayoutRewritePreproc = &pass.Pass{
	Name: "SplitLayoutRewritePreproc", Kind: pass.Module,
	Doc: "Splits each kernel with blocks marked meta_schedule.layout_rewrite_preproc in two: NAME_weight_prepack runs these blocks, which write weights in another layout, and NAME_prepacked computes with the result. LiftTransformParams can then run the first before the inputs are known.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		parts := map[string]*splitKernel{}
		for gv, fn := range m.Funcs() {
			f, ok := fn.(*tir.PrimFunc)
			if !ok {
				continue
			}
			c.Working(gv.Name)
			s, err := splitPreproc(f)
			if err != nil {
				return nil, err
			}
			if s != nil {
				parts[gv.Name] = s
			}
		}
		c.Working("")
		if len(parts) == 0 {
			return m, nil
		}
		b := op.NewBlockBuilder(m)
		out, err := eachFunction(c, m, func(_ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
			mu := newMutator(c, m, ruleSplitPreproc)
			mu.Call = func(call *relax.Call) relax.Expr {
				if kernelOf(m, call) == nil {
					return call
				}
				name := call.Args[0].(*ir.GlobalVar).Name
				s := parts[name]
				if s == nil {
					return call
				}
				return s.call(mu, call, b.AddFunc(name+"_weight_prepack", s.prepack), b.AddFunc(name+"_prepacked", s.compute))
			}
			return mu.Function(f)
		})
		if err != nil || out == m {
			return m, err
		}
		if out, err = replacedKernels(c, m, out, b.Module(), nil); err != nil {
			return nil, err
		}
		return eachFunction(c, out, func(_ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) { return removeUnused(c, out, f) })
	},
}

// splitKernel is a kernel in two parts.
type splitKernel struct {
	prepack, compute *tir.PrimFunc
	rewrites         []layoutRewrite
}

// layoutRewrite is a parameter of a kernel that a block copies to a buffer of another layout.
type layoutRewrite struct {
	param    int
	from, to *tir.Buffer
}

// call returns what computes the same as a call of the whole kernel.
func (s *splitKernel) call(mu *relax.ExprMutator, call *relax.Call, prepack, compute *ir.GlobalVar) relax.Expr {
	args := slices.Clone(fieldsOf(call.Args[1]))
	var from []relax.Expr
	var infos []relax.StructInfo
	for _, r := range s.rewrites {
		from = append(from, args[r.param])
		dims := make([]int64, len(r.to.Shape))
		for i, e := range r.to.Shape {
			dims[i], _ = tir.AsInt(e)
		}
		infos = append(infos, relax.StaticTensor(r.to.DType, dims...))
	}
	info := infos[0]
	if len(infos) > 1 {
		info = &relax.TupleStructInfo{Fields: infos}
	}
	packed := mu.Emit(&relax.Call{Base: call.Base, Op: call.Op, Args: []relax.Expr{prepack, &relax.Tuple{Fields: from}}, SInfoArgs: []relax.StructInfo{info}}, "")
	for i, r := range s.rewrites {
		if args[r.param] = packed; len(infos) > 1 {
			args[r.param] = &relax.TupleGetItem{Base: call.Base, Tuple: packed, Index: i}
		}
	}
	return mu.Emit(call.WithArgs(append([]relax.Expr{compute, &relax.Tuple{Fields: args}}, call.Args[2:]...)), "")
}

// splitPreproc splits a kernel, or returns nil if it has no block that is marked.
func splitPreproc(f *tir.PrimFunc) (*splitKernel, error) {
	root, ok := f.Body.(*tir.BlockRealize)
	if !ok {
		return nil, nil
	}
	stmts := []tir.Stmt{root.Block.Body}
	if seq, ok := root.Block.Body.(*tir.SeqStmt); ok {
		stmts = seq.Seq
	}
	s := &splitKernel{}
	var before, rest []tir.Stmt
	for _, x := range stmts {
		marked, plain, err := s.blocks(f, x)
		switch {
		case err != nil:
			return nil, err
		case marked && plain:
			return nil, fmt.Errorf("a block marked %s and one that is not stand in one loop nest: they cannot be split", attrPreproc)
		case marked:
			before = append(before, unmarked(x))
		default:
			rest = append(rest, x)
		}
	}
	switch {
	case len(before) == 0:
		return nil, nil
	case len(rest) == 0:
		return nil, fmt.Errorf("all blocks are marked %s: nothing computes with what they write", attrPreproc)
	}
	slices.SortStableFunc(s.rewrites, func(a, b layoutRewrite) int { return cmp.Compare(a.param, b.param) })
	s.build(f, root.Block, before, rest)
	return s, nil
}

// blocks notes the rewrites of the marked blocks in x, and tells whether it has marked blocks, and others.
func (s *splitKernel) blocks(f *tir.PrimFunc, x tir.Stmt) (marked, plain bool, err error) {
	ir.Walk(x, func(n ir.Node) bool {
		b, ok := n.(*tir.Block)
		if !ok {
			return true
		}
		if !b.Annotations.Bool(attrPreproc, false) {
			plain = true
			return true
		}
		marked = true
		switch {
		case len(b.Reads) != 1 || len(b.Writes) != 1:
			err = fmt.Errorf("block %s is marked %s and reads %d buffers and writes %d, want one of each", b.Name, attrPreproc, len(b.Reads), len(b.Writes))
		case len(b.AllocBuffers) > 0 || len(b.MatchBuffers) > 0:
			err = fmt.Errorf("block %s is marked %s and has buffers of its own", b.Name, attrPreproc)
		default:
			r := layoutRewrite{slices.Index(f.Buffers, b.Reads[0].Buffer), b.Reads[0].Buffer, b.Writes[0].Buffer}
			switch {
			case r.param < 0:
				err = fmt.Errorf("block %s is marked %s and reads %s, which is no parameter", b.Name, attrPreproc, r.from.Name)
			case slices.ContainsFunc(r.to.Shape, func(e tir.Expr) bool { _, known := tir.AsInt(e); return !known }):
				err = fmt.Errorf("block %s is marked %s and writes %s, whose shape is not known", b.Name, attrPreproc, r.to.Name)
			case slices.Contains(f.Buffers, r.to):
				err = fmt.Errorf("block %s is marked %s and writes the parameter %s, want a buffer of the kernel", b.Name, attrPreproc, r.to.Name)
			}
			s.rewrites = append(s.rewrites, r)
		}
		return err == nil
	})
	return marked, plain, err
}

// unmarked returns a statement without the marks.
func unmarked(s tir.Stmt) tir.Stmt {
	return tir.RewriteStmt(s, func(s tir.Stmt) tir.Stmt {
		if b, ok := s.(*tir.Block); ok && b.Annotations.Has(attrPreproc) {
			return b.WithAnnotations(b.Annotations.Without(attrPreproc))
		}
		return s
	}, nil)
}

// build makes the two kernels of the statements of both.
func (s *splitKernel) build(f *tir.PrimFunc, root *tir.Block, before, rest []tir.Stmt) {
	prepack := &tir.PrimFunc{Base: f.Base, RetType: f.RetType, Attrs: splitAttrs(f.Attrs, "_weight_prepack")}
	port := func(b *tir.Buffer) {
		prepack.Params = append(prepack.Params, tir.NewVar(b.Name, f.Params[0].DType()))
		prepack.Buffers = append(prepack.Buffers, b)
	}
	for _, r := range s.rewrites {
		port(r.from)
	}
	buffers, allocs := slices.Clone(f.Buffers), root.AllocBuffers
	for _, r := range s.rewrites {
		port(r.to)
		buffers[r.param] = r.to
		allocs = slices.DeleteFunc(slices.Clone(allocs), func(b *tir.Buffer) bool { return b == r.to })
	}
	body := func(list []tir.Stmt, allocs []*tir.Buffer) tir.Stmt {
		return &tir.BlockRealize{Base: root.Base, Predicate: tir.Bool(true), Block: &tir.Block{Base: root.Base, Name: "root", AllocBuffers: allocs, Body: tir.Seq(list...)}}
	}
	prepack.Body = body(before, nil)
	compute := *f
	compute.Buffers, compute.Body, compute.Attrs = buffers, body(rest, allocs), splitAttrs(f.Attrs, "_prepacked")
	s.prepack, s.compute = tir.CopyFunc(prepack), tir.CopyFunc(&compute)
}

// splitAttrs returns the attributes of a part: those of the whole with another symbol.
func splitAttrs(a *ir.Attrs, suffix string) *ir.Attrs {
	a = a.Without(attrLayoutFree)
	if name := a.Str("global_symbol", ""); name != "" {
		a = a.With("global_symbol", name+suffix)
	}
	return a
}
