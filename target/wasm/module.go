package wasm

import (
	"context"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/codegen"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// module is the wasm module under construction.
type module struct {
	bin     *wasmbin.Module
	target  target.Target
	funcs   map[string]*function // by name in the module and by global_symbol
	list    []*function
	helpers [numHelpers]*wasmbin.Func
	base    wasmbin.GlobalRef
	left    wasmbin.GlobalRef // the poll budget
	polls   bool              // left is defined
	data    data
	errors  messages
	raise   *wasmbin.FuncRef // records an error; nil where nothing does yet
	graphs  lower.Memory     // of one function after the other
	probes  probeScan
}

// function is a TIR function and the wasm function that it becomes.
type function struct {
	name, symbol string
	prim         *tir.PrimFunc
	f            *wasmbin.Func
	origins      codegen.Origins // by the number of the instruction
	kernel       bool            // packed convention: returns an error code
	frame        int             // bytes of the stack area that callers have in use
	calls        []string
	state        int // 0 new, 1 being ordered, 2 ordered
}

// lines prints the code, and returns the statement that each line is for.
func (fn *function) lines() (string, []tir.Stmt) {
	text, at := fn.f.TextAndLines()
	out := make([]tir.Stmt, len(at))
	for i, n := range at {
		if n >= 0 {
			out[i] = fn.origins.Of(n)
		}
	}
	return text, out
}

func newModule(t target.Target) *module {
	m := &module{bin: &wasmbin.Module{}, target: t, funcs: map[string]*function{}}
	m.probes = probeScan{found: map[*node]int{}, seen: map[*node]bool{}}
	m.data = data{strings: map[string]int{}, blobs: map[*ir.Blob]int{}}
	m.bin.ImportMemory(abi.ImportModule, abi.ImportMemory, wasmbin.Limits{Min: abi.MemoryMinPages})
	m.base = m.bin.ImportGlobal(abi.ImportModule, abi.ImportDataBase, wasmbin.I32, false)
	return m
}

// dataBase is the imported global that holds the address of the data segment.
func (m *module) dataBase() wasmbin.GlobalRef { return m.base }

// declare adds a function without its body.
func (m *module) declare(name string, p *tir.PrimFunc) error {
	fn := &function{name: name, symbol: ir.GlobalSymbol(p), prim: p}
	fn.kernel = lower.IsPacked(p)
	typeOf := func(d dtype.DType, what string) (wasmbin.ValType, error) {
		t, ok := machine().TypeOf(d)
		if !ok || d.Lanes > 1 {
			return 0, &lower.Error{Target: kind, Func: name, Node: what, Msg: fmt.Sprintf("cannot pass %s", d)}
		}
		return wasmbin.ValType(t), nil
	}
	var t wasmbin.FuncType
	for _, v := range p.Params {
		pt, err := typeOf(v.DType(), "parameter "+v.Name)
		if err != nil {
			return err
		}
		t.Params = append(t.Params, pt)
	}
	if d := ir.TypeDType(p.RetType); p.RetType != nil && !d.IsVoid() {
		rt, err := typeOf(d, "result")
		if err != nil {
			return err
		}
		t.Results = []wasmbin.ValType{rt}
	} else if fn.kernel {
		t.Results = []wasmbin.ValType{wasmbin.I32}
	}
	for _, n := range []string{name, fn.symbol} {
		if other := m.funcs[n]; n != "" && other != nil && other != fn {
			return fmt.Errorf("target wasm: two functions are named %q", n)
		}
		if n != "" {
			m.funcs[n] = fn
		}
	}
	label := fn.symbol
	if label == "" {
		label = name
	}
	fn.f = m.bin.AddFunc(label, t)
	for i, v := range p.Params {
		fn.f.NameParam(i, v.Name)
	}
	ir.Walk(p.Body, func(n ir.Node) bool {
		if c, ok := n.(*tir.Call); ok {
			if name, ok := calleeName(c); ok {
				fn.calls = append(fn.calls, name)
			}
		}
		return true
	})
	m.list = append(m.list, fn)
	return nil
}

// calleeName is the function that a call may go to.
func calleeName(c *tir.Call) (string, bool) {
	op, ok := c.Op.(*ir.Op)
	if !ok {
		return c.Op.CalleeName(), true
	}
	switch op.Name {
	case tir.OpCallExtern.Name, tir.OpCallPureExtern.Name, tir.OpCallPackedLowered.Name, tir.OpCallCPackedLowered.Name:
		if s, ok := c.Args[0].(*tir.StringImm); ok && len(c.Args) > 0 {
			return s.Value, true
		}
	}
	return "", false
}

// callOrder lists the functions with callers before callees, as frames are laid out in that
// order; recursion has no place for its frames.
func (m *module) callOrder() ([]*function, error) {
	var out []*function
	var visit func(f *function) error
	visit = func(f *function) error {
		switch f.state {
		case 1:
			return fmt.Errorf("target wasm: function %s calls itself: recursion is not supported", f.name)
		case 2:
			return nil
		}
		f.state = 1
		for _, c := range f.calls {
			if g := m.funcs[c]; g != nil {
				if err := visit(g); err != nil {
					return err
				}
			}
		}
		f.state = 2
		out = append(out, f)
		return nil
	}
	for i := len(m.list) - 1; i >= 0; i-- {
		if err := visit(m.list[i]); err != nil {
			return nil, err
		}
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out, nil
}

// generate writes the body of fn.
func (m *module) generate(ctx context.Context, fn *function) (err error) {
	defer lower.Recover(&err)
	g := &gen{
		mod: m, target: m.target, kernel: fn.kernel, frame: fn.frame,
		simd: m.target.Feature("simd128") && m.target.IntAttr("max-simd-width", 0) >= 128,
	}
	g.Walker = lower.NewWalker(ctx, kind, fn.name, machine(), g,
		func(name string, t lower.Type) lower.Reg { return lower.Reg(fn.f.NewLocal(name, wasmbin.ValType(t))) },
		func(r lower.Reg) lower.Type { return lower.Type(fn.f.LocalType(wasmbin.Local(r))) })
	g.In(&m.graphs)
	g.Plain = !fn.kernel
	body := g.Cur
	for i, v := range fn.prim.Params {
		g.Vars[v] = one(v.DType(), g.Stable(lower.Reg(fn.f.Param(i)), body, v.Size || v.DType().IsHandle()))
	}
	g.Function(fn.prim, func(c *tir.Call) bool {
		name, ok := calleeName(c)
		return ok && m.funcs[name] != nil
	})
	emitBody(fn.f, body, fn.kernel, g.polls, m, &fn.origins)
	if t := fn.f.Type.Results; len(t) > 0 {
		zero(fn.f, t[0])
	}
	fn.f.End()
	for _, c := range fn.calls {
		if callee := m.funcs[c]; callee != nil {
			callee.frame = max(callee.frame, g.frame)
		}
	}
	if err := fn.f.Err(); err != nil {
		return fmt.Errorf("target wasm: %w", err)
	}
	return nil
}

// zero pushes a zero of type t.
func zero(f *wasmbin.Func, t wasmbin.ValType) {
	switch t {
	case wasmbin.I64:
		f.I64Const(0)
	case wasmbin.F32:
		f.F32Const(0)
	case wasmbin.F64:
		f.F64Const(0)
	case wasmbin.V128:
		f.V128Const(0, 0)
	default:
		f.I32Const(0)
	}
}
