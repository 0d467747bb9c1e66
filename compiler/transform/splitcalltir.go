package transform

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

const (
	ruleSplitCall = "call a library for the beginning of a kernel"
	// attrLibraryKernel is the source that a library has for a kernel.
	attrLibraryKernel = "library_kernel"
)

// SplitCallTIRByPattern calls libraries for the beginnings of kernels.
var SplitCallTIRByPattern = &pass.Pass{
	Name: "SplitCallTIRByPattern", Kind: pass.Module,
	Doc: "Splits a kernel whose first nests of loops match patterns in two: those become a function of their own, which is called by its symbol as that of a library is, and the rest the kernel unfused_epilogue, called with its result.",
	Options: []pass.Option{
		{Name: "patterns", Default: []ir.Value{}, Elem: "", Doc: "the names of PrimFuncs of the module, each with one nest of loops; parameters behind the buffers stand for constants"},
	},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		var patterns []*tir.PrimFunc
		for _, v := range c.Arg("patterns").([]ir.Value) {
			f, ok := m.Lookup(v.(string)).(*tir.PrimFunc)
			if !ok {
				return nil, fmt.Errorf("patterns: %v is not the name of a PrimFunc of the module", v)
			}
			patterns = append(patterns, f)
		}
		return splitCalls(c, m, patterns, func(matches []TIRMatch) (LibraryCode, error) {
			return LibraryCode{Matched: len(matches)}, nil
		})
	},
}

// LibraryCode is what a library has for a kernel.
type LibraryCode struct {
	Source  string        // becomes the attribute library_kernel of the function; {global_symbol} in it the symbol
	Matched int           // how many of the matched nests it computes; 0 leaves the kernel alone
	Args    []*tir.Buffer // what it is called with, in this order; nil for what these nests read of the parameters, in their order
}

// SplitCallTIRByPatternWith is SplitCallTIRByPattern with patterns from elsewhere and a function that says what the library has for what they
// match, TVM's fcodegen.
func SplitCallTIRByPatternWith(patterns []*tir.PrimFunc, codegen func([]TIRMatch) (LibraryCode, error)) *pass.Pass {
	p := *SplitCallTIRByPattern
	p.Options, p.Foreign = nil, true
	p.Run = func(c *pass.Context, m *ir.Module) (*ir.Module, error) { return splitCalls(c, m, patterns, codegen) }
	return &p
}

func splitCalls(c *pass.Context, m *ir.Module, patterns []*tir.PrimFunc, codegen func([]TIRMatch) (LibraryCode, error)) (*ir.Module, error) {
	for _, p := range patterns {
		if err := checkPattern(p); err != nil {
			return nil, err
		}
	}
	s := &callSplitter{c: c, m: m, patterns: patterns, codegen: codegen, split: map[string]*libraryCall{}}
	mu := newMutator(c, m, ruleSplitCall)
	s.mu = mu
	mu.Call = func(call *relax.Call) relax.Expr {
		out, err := s.call(call)
		if err != nil {
			mu.Fail(err)
			return call
		}
		return out
	}
	for gv, fn := range m.Funcs() {
		f, ok := fn.(*relax.Function)
		if !ok {
			continue
		}
		if err := c.Err(); err != nil {
			return nil, err
		}
		c.Working(gv.Name)
		out, err := mu.Function(f)
		if err != nil {
			return nil, err
		}
		if out != f {
			mu.Builder().UpdateFunc(gv.Name, out)
		}
	}
	c.Working("")
	return mu.Builder().Module(), nil
}

// checkPattern refuses what can match nothing.
func checkPattern(p *tir.PrimFunc) error {
	root, ok := p.Body.(*tir.BlockRealize)
	if !ok {
		return fmt.Errorf("pattern %s: expected blocks, got lowered loops", ir.GlobalSymbol(p))
	}
	if _, ok := root.Block.Body.(*tir.For); !ok || len(root.Block.AllocBuffers) > 0 {
		return fmt.Errorf("pattern %s: expected one nest of loops without buffers of its own", ir.GlobalSymbol(p))
	}
	behind := false
	for i, b := range p.Buffers {
		if b != nil && behind {
			return fmt.Errorf("pattern %s: parameter %s: expected the buffers first, and behind them what stands for constants", ir.GlobalSymbol(p), p.Params[i].Name)
		}
		behind = behind || b == nil
	}
	return nil
}

type callSplitter struct {
	c        *pass.Context
	m        *ir.Module
	mu       *relax.ExprMutator
	patterns []*tir.PrimFunc
	codegen  func([]TIRMatch) (LibraryCode, error)
	split    map[string]*libraryCall // by the name of the kernel, nil for one that stays
}

// libraryCall is a kernel in two parts.
type libraryCall struct {
	symbol      string // of the function that a library has
	args        []int  // what it is called with, by the arguments of the kernel
	out         *relax.TensorStructInfo
	epilogue    *ir.GlobalVar // nil if the library has all of it
	epilogueArg []int         // behind the result of the library
}

// call returns what a call of a kernel becomes, call itself if it stays.
func (s *callSplitter) call(call *relax.Call) (relax.Expr, error) {
	f := kernelOf(s.m, call)
	if f == nil || opName(call) != opCallTIR {
		return call, nil
	}
	args, ok := call.Args[1].(*relax.Tuple)
	if !ok || len(call.Args) > 2 {
		return call, nil
	}
	name := call.Args[0].(*ir.GlobalVar).Name
	k, seen := s.split[name]
	if !seen {
		var err error
		if k, err = s.kernel(name, f, len(args.Fields)); err != nil {
			return nil, fmt.Errorf("kernel %s: %w", name, err)
		}
		s.split[name] = k
	}
	if k == nil {
		return call, nil
	}
	pick := func(list []int) (out []relax.Expr) {
		for _, i := range list {
			out = append(out, args.Fields[i])
		}
		return out
	}
	library := &relax.Call{
		Base: call.Base, Op: ir.NewOp(opCallDPS),
		Args:      []relax.Expr{&relax.ExternFunc{Symbol: k.symbol}, &relax.Tuple{Fields: pick(k.args)}},
		SInfoArgs: []relax.StructInfo{k.out},
	}
	if k.epilogue == nil {
		return library, nil
	}
	v := s.mu.Emit(library, "lv")
	rest := call.WithArgs([]relax.Expr{k.epilogue, &relax.Tuple{Fields: append([]relax.Expr{v}, pick(k.epilogueArg)...)}})
	return rest, nil
}

// kernel splits a kernel that is called with n tensors; nil if it stays as it is.
func (s *callSplitter) kernel(name string, f *tir.PrimFunc, n int) (*libraryCall, error) {
	declined := func(format string, args ...any) (*libraryCall, error) {
		s.c.Declined(ruleSplitCall, f, fmt.Sprintf(format, args...))
		return nil, nil
	}
	if slices.Contains(s.patterns, f) {
		return nil, nil
	}
	root, ok := f.Body.(*tir.BlockRealize)
	if !ok {
		return declined("its loops are lowered")
	}
	if len(f.Params) != n+1 || slices.Contains(f.Buffers, nil) {
		return declined("it has several results, or parameters that are no tensors")
	}
	nests := []tir.Stmt{root.Block.Body}
	if seq, ok := root.Block.Body.(*tir.SeqStmt); ok {
		nests = seq.Seq
	}
	var matches []TIRMatch
	for _, nest := range nests {
		match, ok := s.match(nest)
		if !ok {
			break
		}
		matches = append(matches, match)
	}
	if len(matches) == 0 {
		return declined("no pattern matches its first nest of loops")
	}
	code, err := s.codegen(matches)
	if err != nil {
		return nil, err
	}
	switch {
	case code.Matched == 0:
		return declined("the library has nothing for what the patterns match")
	case code.Matched < 0 || code.Matched > len(matches):
		return nil, fmt.Errorf("the code generator takes %d nests of loops, of the %d that patterns match", code.Matched, len(matches))
	}
	p, why := partitionKernel(f, root, nests, code.Matched)
	if why != "" {
		return declined("%s", why)
	}
	return s.emit(name, f, p, code)
}

// match returns the match of the first pattern that has one.
func (s *callSplitter) match(nest tir.Stmt) (TIRMatch, bool) {
	for _, p := range s.patterns {
		if m, ok := matchNest(nest, p); ok {
			return m, true
		}
	}
	return TIRMatch{}, false
}
