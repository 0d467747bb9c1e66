package parse

import (
	"slices"
	"strings"
	"sync"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
)

// Expr reads one expression of the loop level, such as T.exp(x) * 2, outside of any function: its names are those of o.Define.
// Literals have the types that they have in a PrimFunc.
func Expr(name, text string, o Options) (tir.Expr, []ir.Diagnostic) {
	f := syntax.Parse(name, text)
	defer f.Close()
	if !f.Failed() && (len(f.Stmts) != 1 || f.Stmts[0].Kind != syntax.ExprStmt) {
		return nil, wholeText(name, text, "expected one expression", "")
	}
	b := newBuilder(f, text, o)
	var e tir.Expr
	if !f.Failed() {
		s := f.Stmts[0]
		b.guard(s, func() {
			v := b.eval(s.Value)
			if x, ok := v.(fresh); ok {
				v = x.v
			}
			e = b.toExpr(v, s.Value)
		})
	}
	if f.Failed() {
		return nil, b.spans.diagnostics(f.List)
	}
	return e, nil
}

// ExprNames returns, sorted, what may stand behind "T." in the text of Expr. It is not to be changed.
var ExprNames = sync.OnceValue(func() []string {
	var out []string
	for known, s := range constructs() {
		if name, ok := strings.CutPrefix(known, "T."); ok && s.place == anywhere && !strings.Contains(name, ".") {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
})
