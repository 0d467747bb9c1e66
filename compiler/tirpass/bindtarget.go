package tirpass

import (
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target"
)

// attrIsHostFunc marks functions that run on the host whatever the target.
const attrIsHostFunc = "tir.is_host_func"

// BindTarget notes the target on each PrimFunc.
var BindTarget = &pass.Pass{
	Name: "tir.BindTarget", Kind: pass.Module, Lowering: true,
	Doc:         "Notes on each PrimFunc the target that it is compiled for: on public ones the target with its host, on private ones that of the side that calls them. One that is called from the host and from threads of a device becomes two.",
	Options:     []pass.Option{{Name: "target", Default: "", Doc: "the target, e.g. wasm; empty takes that of the run"}},
	ReadsTarget: true,
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		t := c.TargetOf()
		if !t.IsZero() && onDevice(t.Kind().Name) && hostOf(t.String()) == "" {
			t = t.WithHost(target.Of("llvm")) // a device is always one of a host
		}
		if s := c.Arg("target").(string); s != "" {
			var err error
			if t, err = target.Parse(s); err != nil {
				return nil, fmt.Errorf("option target: %w", err)
			}
		}
		if t.IsZero() {
			return nil, errors.New("no target is set: give one, such as wasm")
		}
		b := &targetBinder{c: c, e: m.Edit(), whole: t.String(), device: t.WithoutHost().String(), host: hostOf(t.String())}
		b.onHost = b.host
		if b.host == "" {
			b.onHost = defaultHost(t)
		}
		b.calls(m)
		for gv, fn := range m.Funcs() {
			if f, ok := fn.(*tir.PrimFunc); ok {
				c.Working(gv.Name)
				b.bind(gv, f)
			}
		}
		b.redirect(m)
		return b.e.Done(), nil
	},
}

// defaultHost is the target of host code of a target that names none: TVM's default, or the target itself if it is
// one of those that run in this process.
func defaultHost(t target.Target) string {
	if t.Kind().Code {
		return t.String()
	}
	return "llvm"
}

type targetBinder struct {
	c             *pass.Context
	e             *ir.Editor
	whole, device string            // the target with and without its host
	host, onHost  string            // the host that it names, and the target of host code
	fromHost      map[string]bool   // functions that public ones call outside of threads
	fromDevice    map[string]bool   // and in threads
	copies        map[string]string // the copies for the host of those of both
}

// calls finds what public functions call, if there are private functions that it matters for.
func (b *targetBinder) calls(m *ir.Module) {
	b.fromHost, b.fromDevice, b.copies = map[string]bool{}, map[string]bool{}, map[string]string{}
	private := false
	for _, fn := range m.Funcs() {
		f, ok := fn.(*tir.PrimFunc)
		private = private || ok && ir.GlobalSymbol(f) == "" && !f.Attrs.Has(ir.AttrTarget)
	}
	if !private {
		return
	}
	for _, fn := range m.Funcs() {
		if f, ok := fn.(*tir.PrimFunc); ok && ir.GlobalSymbol(f) != "" {
			scanSides(f.Body, false, func(g *ir.GlobalVar, inThreads bool) {
				if inThreads {
					b.fromDevice[g.Name] = true
				} else {
					b.fromHost[g.Name] = true
				}
			})
		}
	}
}

// startsThreads reports whether s is run by threads of a device.
func startsThreads(s ir.Node) bool {
	switch s := s.(type) {
	case *tir.For:
		return s.Kind == tir.ThreadBinding
	case *tir.AttrStmt:
		return s.Key == tir.KeyThreadExtent || s.Key == tir.KeyVirtualThread
	}
	return false
}

// scanSides calls f for each call of a function of the module in n.
func scanSides(n ir.Node, inThreads bool, f func(g *ir.GlobalVar, inThreads bool)) {
	inThreads = inThreads || startsThreads(n)
	if call, ok := n.(*tir.Call); ok {
		if g, ok := call.Op.(*ir.GlobalVar); ok {
			f(g, inThreads)
		}
	}
	n.EachChild(func(n ir.Node) { scanSides(n, inThreads, f) })
}

func (b *targetBinder) note(gv *ir.GlobalVar, f *tir.PrimFunc, text string) {
	out := f.WithAttrs(f.Attrs.With(ir.AttrTarget, text))
	b.e.Set(gv.Name, out)
	b.c.Rewrite("note the target", f, out)
}

func (b *targetBinder) bind(gv *ir.GlobalVar, f *tir.PrimFunc) {
	public := ir.GlobalSymbol(f) != ""
	host, device := b.fromHost[gv.Name], b.fromDevice[gv.Name]
	switch own := f.Attrs.Str(ir.AttrTarget, ""); {
	case f.Attrs.Has(ir.AttrTarget):
		if public && b.host != "" && hostOf(own) == "" {
			out := f.WithAttrs(f.Attrs.With(ir.AttrTarget, withHost(own, b.host)))
			b.e.Set(gv.Name, out)
			b.c.Rewrite("add the host to the target", f, out)
		} else {
			b.c.Declined("note the target", f, "it has one already")
		}
	case f.Attrs.Bool(attrIsHostFunc, false):
		text := b.onHost
		if text != b.whole { // what has no host of its own is called as all others
			text = withHost(text, text)
		}
		b.note(gv, f.WithAttrs(f.Attrs.Without(attrIsHostFunc)), text)
	case public:
		b.note(gv, f, b.whole)
	case host && device:
		b.note(gv, f, b.device)
		again := tir.CopyFunc(f)
		again = again.WithAttrs(again.Attrs.With(ir.AttrTarget, b.onHost))
		name := freshKernel(b.e, gv.Name+"_host")
		b.e.Set(name, again)
		b.copies[gv.Name] = name
		b.c.Rewrite("copy a function for the host", f, again)
	case host:
		b.note(gv, f, b.onHost)
	default:
		b.note(gv, f, b.device)
	}
}

// redirect makes calls outside of threads call the copies for the host.
func (b *targetBinder) redirect(m *ir.Module) {
	if len(b.copies) == 0 {
		return
	}
	for gv := range m.Funcs() {
		f, ok := b.e.Lookup(gv.Name).(*tir.PrimFunc)
		if !ok || ir.GlobalSymbol(f) == "" {
			continue
		}
		mp := &tir.Mapper{}
		mp.Expr = func(e tir.Expr) tir.Expr {
			e = mp.MapExpr(e)
			call, ok := e.(*tir.Call)
			if !ok {
				return e
			}
			g, ok := call.Op.(*ir.GlobalVar)
			if !ok || b.copies[g.Name] == "" {
				return e
			}
			out := call.WithOp(ir.NewGlobalVar(b.copies[g.Name]))
			b.c.Working(gv.Name)
			b.c.Rewrite("call the copy for the host", call, out)
			return out
		}
		mp.Stmt = func(s tir.Stmt) tir.Stmt {
			if startsThreads(s) {
				return s
			}
			return mp.MapStmt(s)
		}
		b.e.Set(gv.Name, f.WithBody(mp.Stmt(f.Body)))
	}
}
