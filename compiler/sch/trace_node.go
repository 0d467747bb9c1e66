package sch

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/irjson"
	"github.com/irscope/irscope/compiler/tir"
)

// nodeLimits bound an index map or expression in a trace.
var nodeLimits = irjson.Limits{FileBytes: 1 << 20, Nodes: 1 << 14, Places: 1 << 16, Depth: 200, StringBytes: 1 << 12}

// nodeJSON returns an index map or expression as text in TVM's form of saved nodes. Variables that were drawn have their names in the trace.
func nodeJSON(x ir.Node, n names) string {
	sub := map[*tir.Var]tir.Expr{}
	for r, name := range n {
		if v, ok := r.(*tir.Var); ok {
			sub[v] = &tir.Var{Base: v.Base, Name: name, Type: v.Type}
		}
	}
	var b bytes.Buffer
	if err := irjson.Save(&b, substNode(x, sub), irjson.Options{}); err != nil {
		panic(fmt.Sprintf("sch: a node of a trace cannot be saved: %v", err)) // only functions of other levels cannot
	}
	return strings.TrimSpace(b.String())
}

// substNode replaces variables in an index map or expression.
func substNode(x ir.Node, sub map[*tir.Var]tir.Expr) ir.Node {
	if len(sub) == 0 {
		return x
	}
	switch x := x.(type) {
	case *tir.IndexMap:
		out := *x
		out.Final = make([]tir.Expr, len(x.Final))
		for i, e := range x.Final {
			out.Final[i] = tir.SubstExpr(e, sub)
		}
		if x.Inverse != nil {
			out.Inverse = substNode(x.Inverse, sub).(*tir.IndexMap)
		}
		return &out
	case tir.Expr:
		return tir.SubstExpr(x, sub)
	}
	return x
}

// nodeOf reads an index map or expression. Its variables called as references of the trace are these.
func nodeOf(text string, refs map[string]any) (ir.Node, error) {
	x, err := irjson.Load(strings.NewReader(text), nodeLimits)
	if err != nil {
		return nil, err
	}
	n, ok := x.(ir.Node)
	if !ok {
		return nil, fmt.Errorf("expected an index map or expression, got %T", x)
	}
	defined, sub := map[*tir.Var]bool{}, map[*tir.Var]tir.Expr{}
	if m, ok := n.(*tir.IndexMap); ok {
		for _, v := range m.Initial {
			defined[v] = true
		}
	}
	used := map[*tir.Var]bool{}
	varsOf(n, used)
	for v := range used {
		if r, ok := refs[v.Name].(*tir.Var); ok && !defined[v] {
			sub[v] = r
		}
	}
	return substNode(n, sub), nil
}
