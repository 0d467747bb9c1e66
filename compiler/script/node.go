package script

import (
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Node prints any node on its own, on one line where that is possible. Variables that it
// does not define stand under their names.
func Node(n ir.Node, o Options) string {
	p := newPrinter(&o, n)
	switch n.(type) {
	case relax.Expr, relax.StructInfo, relax.Binding, *relax.BindingBlock:
		if o.IntDType.IsVoid() {
			p.intDType = dtype.Void // as in a Relax function
		}
	}
	p.node(n)
	switch n.(type) {
	case ir.Function, tir.Stmt, relax.Binding, *relax.BindingBlock:
	default:
		if o.VerboseExpr {
			p.end()
			p.declareFree(0)
		}
	}
	if len(p.buf) > 0 && p.buf[len(p.buf)-1] != '\n' {
		p.end()
	}
	return strings.TrimRight(p.text().Source, "\n")
}

func (p *printer) node(n ir.Node) {
	switch n := n.(type) {
	case ir.Function:
		name := p.opts.Name
		if name == "" {
			name = "func"
		}
		p.function(name, n)
	case tir.Stmt:
		p.prescan(n)
		p.body(n)
	case tir.Expr:
		p.expr(n, 0)
	case relax.StructInfo:
		p.sinfo(n)
	case *relax.BindingBlock:
		p.block(n)
	case relax.Binding:
		p.binding(n)
	case relax.Expr:
		p.rexpr(n)
	case *tir.Range:
		p.rangeOf(n)
	case *tir.Buffer:
		p.bufferDecl("Buffer", n, false)
	case *tir.BufferRegion:
		p.region(n)
	case *tir.IterVar:
		p.use(n.Var)
	case *tir.MatchBufferRegion:
		p.matchRegion(n)
	case *tir.CommReducer:
		p.commReducer(n)
	case *tir.IndexMap:
		p.indexMap(n)
	case *tir.Array:
		p.attrNode(n)
	case *relax.VDevice:
		p.vdevice(n)
	case *relax.DeviceMesh:
		p.deviceMesh(n)
	case *relax.Sharding:
		p.quote(relax.PlacementText(n.Placement))
	case ir.Type:
		p.typ(n)
	default:
		panic("script: no form for " + typeName(n))
	}
}
