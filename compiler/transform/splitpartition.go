package transform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// kernelPartition is a kernel cut behind some of its nests of loops.
type kernelPartition struct {
	first, second []tir.Stmt
	between       *tir.Buffer // what the first part leaves for the second
	reads         [2]map[*tir.Buffer]bool
	allocs        [2][]*tir.Buffer
	root          *tir.BlockRealize
}

// partitionKernel cuts a kernel behind its first n nests of loops, or says why it can't be cut there.
func partitionKernel(f *tir.PrimFunc, root *tir.BlockRealize, nests []tir.Stmt, n int) (*kernelPartition, string) {
	p := &kernelPartition{first: nests[:n], second: nests[n:], root: root}
	writes := [2]map[*tir.Buffer]bool{}
	for part, list := range [][]tir.Stmt{p.first, p.second} {
		p.reads[part], writes[part] = map[*tir.Buffer]bool{}, map[*tir.Buffer]bool{}
		for _, s := range list {
			ir.Walk(s, func(n ir.Node) bool {
				switch n := n.(type) {
				case *tir.BufferStore:
					writes[part][n.Buffer] = true
					if part == 0 {
						p.between = n.Buffer
					}
				case *tir.BufferLoad:
					p.reads[part][n.Buffer] = true
				case *tir.Call:
					if tir.CallEffect(n) > tir.ReadState {
						p.between = nil
						writes[part][nil] = true
					}
				}
				return true
			})
		}
	}
	switch last := f.Buffers[len(f.Buffers)-1]; {
	case writes[0][nil] || writes[1][nil]:
		return nil, "it calls functions with effects"
	case len(p.second) == 0 && p.between == last:
		p.allocs[0] = root.Block.AllocBuffers
		return p, ""
	case len(p.second) == 0:
		return nil, "its last nest of loops does not compute the result"
	case slices.Contains(f.Buffers, p.between):
		return nil, fmt.Sprintf("the nests that match end in %s, which is a parameter", p.between.Name)
	}
	for _, e := range p.between.Shape {
		if _, ok := tir.AsInt(e); !ok {
			return nil, fmt.Sprintf("the extents of %s, which stands between the parts, are not constant", p.between.Name)
		}
	}
	for _, b := range tir.BuffersByName(writes[0]) {
		if b != p.between && p.reads[1][b] || writes[1][b] {
			return nil, fmt.Sprintf("%s, which the first part computes, is used by the second beside its result", b.Name)
		}
	}
	for _, b := range root.Block.AllocBuffers {
		if b == p.between {
			continue
		}
		for part := range p.allocs {
			if p.reads[part][b] || writes[part][b] {
				p.allocs[part] = append(p.allocs[part], b)
			}
		}
	}
	return p, ""
}

// function is a part as a function of its own.
func (p *kernelPartition) function(f *tir.PrimFunc, nests []tir.Stmt, allocs []*tir.Buffer, params []*tir.Var, buffers []*tir.Buffer) *tir.PrimFunc {
	block := p.root.Block.WithAllocBuffers(allocs).WithBody(tir.Seq(nests...)).WithReads(nil).WithWrites(nil)
	return tir.CopyFunc(f.WithParams(params).WithBuffers(buffers).WithBody(p.root.WithBlock(block)))
}

// emit adds the parts of a kernel to the module.
func (s *callSplitter) emit(name string, f *tir.PrimFunc, p *kernelPartition, code LibraryCode) (*libraryCall, error) {
	last := len(f.Params) - 1
	out := &libraryCall{}
	args := code.Args
	if args == nil {
		for _, b := range f.Buffers[:last] {
			if p.reads[0][b] {
				args = append(args, b)
			}
		}
	}
	var params []*tir.Var
	for _, b := range args {
		i := slices.Index(f.Buffers[:last], b)
		if i < 0 {
			return nil, fmt.Errorf("the code generator takes %s, which is no input of the kernel", b.Name)
		}
		out.args, params = append(out.args, i), append(params, f.Params[i])
	}
	for i, b := range f.Buffers[:last] {
		if p.reads[0][b] && !slices.Contains(out.args, i) {
			return nil, fmt.Errorf("the code generator does not take %s, which the nests of loops that it takes read", b.Name)
		}
	}
	dims := make([]tir.Expr, len(p.between.Shape))
	for i, e := range p.between.Shape {
		n, ok := tir.AsInt(e)
		if !ok {
			s.c.Declined(ruleSplitCall, f, fmt.Sprintf("the extents of %s are not constant", p.between.Name))
			return nil, nil
		}
		dims[i] = tir.Int(n)
	}
	out.out = relax.TensorOf(p.between.DType, dims...)
	result := &tir.Var{Name: "output", Type: f.Params[last].Type}
	library := p.function(f, p.first, p.allocs[0], append(params, result), append(slices.Clone(args), p.between))
	out.symbol = s.mu.Builder().AddFunc(name+"_library", library).Name
	attrs := library.Attrs.With(ir.AttrGlobalSymbol, out.symbol)
	if code.Source != "" {
		attrs = attrs.With(attrLibraryKernel, strings.ReplaceAll(code.Source, "{global_symbol}", out.symbol))
	}
	made := library.WithAttrs(attrs)
	s.mu.Builder().UpdateFunc(out.symbol, made)
	s.c.Rewrite(ruleSplitCall, f, made)
	if len(p.second) == 0 {
		return out, nil
	}
	params = []*tir.Var{{Name: "input", Type: f.Params[last].Type}}
	buffers := []*tir.Buffer{p.between}
	for i, b := range f.Buffers {
		if i == last || p.reads[1][b] {
			params, buffers = append(params, f.Params[i]), append(buffers, b)
			if i != last {
				out.epilogueArg = append(out.epilogueArg, i)
			}
		}
	}
	rest := p.function(f, p.second, p.allocs[1], params, buffers)
	out.epilogue = s.mu.Builder().AddFunc("unfused_epilogue", rest.WithAttrs(rest.Attrs.Without(ir.AttrGlobalSymbol)))
	return out, nil
}
