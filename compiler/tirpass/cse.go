package tirpass

import (
	"strconv"
	"sync"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// Expressions that are computed several times are bound to a variable once. The two questions are which
// ones are the same, and where the binding goes.
//
// Hash consing answers the first: scan numbers terms bottom up by operator and numbers of operands, so
// that equal terms get one number and the function's expressions become a DAG. The second is answered by
// the lowest common ancestor of the statements that use a term, and a term that is inside of another
// that gets a variable counts once for all uses of that one. The walk therefore goes from users to
// operands, largest terms first:
//
//	A[i*4 + j] = B[i*4 + j] + C[i*4]      i*4 + j is used twice, i*4 then twice too: once in the
//	                                      binding of i*4 + j, once in C[i*4]
//
// The extents of the threads of a kernel count as used in front of all of it: whoever launches it computes them, and a variable inside would be unknown there.
//
// Nothing is moved in front of a condition that guards it, and reads of memory are not terms, since
// stores in between may change them. Linear in the distinct terms, apart from the ancestors. TVM's
// src/tir/transforms/common_subexpr_elim.cc does the same by collecting all subterms of each statement.

// CommonSubexprElimTIR computes repeated expressions once.
var CommonSubexprElimTIR = &pass.Pass{
	Name: "tir.CommonSubexprElimTIR", Kind: pass.PrimFunc,
	Doc: "Binds expressions that occur several times to variables, at the innermost statement that holds all their uses. It leaves functions alone that still have blocks.",
	Options: []pass.Option{
		{Name: "enable_cse_tir", Default: true, Doc: "false leaves everything as it is"},
		{Name: "identify_equiv_terms", Default: false, Doc: "also find integer terms that are equal after simplification, and modulo distribution and the order of operands"},
	},
	Config: []string{"tir.disable_cse_tir", "tir.enable_equiv_terms_in_cse_tir"},
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if c.ConfigBool("tir.disable_cse_tir") || !c.Arg("enable_cse_tir").(bool) || hasBlock(f.Body) {
			c.Declined("compute a repeated expression once", f, "it is switched off, or the function still has blocks")
			return f, nil
		}
		equiv := c.ConfigBool("tir.enable_equiv_terms_in_cse_tir") || c.Arg("identify_equiv_terms").(bool)
		return f.WithBody(eliminateCommon(c, f.Body, equiv)), nil
	}),
}

// eliminateCommon numbers equal expressions alike, which makes the function's expressions a
// DAG. Walking it from users to operands tells how often each would be computed and the
// innermost statement around its uses; those computed twice or more get a variable there.
//
// With equiv, integer expressions are numbered by a normal form. The first of those with one
// form stands for all, so that only its operands count.
func eliminateCommon(ctx *pass.Context, body tir.Stmt, equiv bool) tir.Stmt {
	c := csers.Get().(*cser)
	defer c.release()
	if equiv {
		c.normal, c.named = newNormalizer(), map[string]*cseTerm{}
	}
	c.scan(body)
	lets := c.choose()
	if len(lets) == 0 {
		return body
	}
	place := -1 // statements are met in the order in which scan numbered them
	m := &tir.Mapper{}
	memo, done := tir.MemoFor(func(e tir.Expr) tir.Expr {
		if t, _ := c.of.Get(e); t != nil {
			if t.v != nil {
				return t.v
			}
			if c.normal != nil && t.operands[0] != nil && t.e != e { // computed here, by other operands
				e = t.e
			}
		}
		return m.MapExpr(e)
	})
	defer done()
	m.Expr = memo
	m.Stmt = func(s tir.Stmt) tir.Stmt {
		place++
		here := place
		out := m.MapStmt(s)
		for _, t := range lets[here] { // users first, so the operands end up outermost
			let := &tir.LetStmt{Var: t.v, Value: m.MapExpr(t.e), Body: out}
			ctx.Rewrite("compute a repeated expression once", t.e, let)
			out = let
		}
		return out
	}
	return m.Stmt(body)
}

// cser collects the terms of a function. A statement is known by its number in the order of
// a walk, not by pointer: unrolled copies may be one node in several places.
type cser struct {
	normal *normalizer                 // nil where only the same expressions are equal
	ids    map[termKey]*cseTerm        // of constants and operations
	named  map[string]*cseTerm         // by normal form, which says the type
	of     ir.Memo[tir.Expr, *cseTerm] // nil for what may not be moved
	terms  []*cseTerm                  // operands before users
	room   []cseTerm                   // for the next ones
	child  func(ir.Node)               // visits an operand
	inLet  map[*tir.Var]bool           // variables of Let expressions, which end with the expression
	parent []int
	depth  []int
	cur    int // number of the current statement
	at     int // that in front of which its expressions may be computed, which is the same but for launches
	// launch is the number of the outermost statement around that starts threads, -1 outside of kernels.
	launch int
	kernel tir.Stmt // that statement
}

// csers are kept for the next function, with the memory of their tables.
var csers = sync.Pool{New: func() any { return &cser{ids: map[termKey]*cseTerm{}, inLet: map[*tir.Var]bool{}, cur: -1, launch: -1} }}

// maxKeptTerms is how many terms a cser may have had that is kept: one that had more would hold on to much.
const maxKeptTerms = 1 << 12

// release gives back c, of which nothing is used any more.
func (c *cser) release() {
	if len(c.terms) > maxKeptTerms {
		return
	}
	clear(c.ids)
	clear(c.inLet)
	c.of.Clear()
	clear(c.terms)
	*c = cser{ids: c.ids, of: c.of, inLet: c.inLet, child: c.child, terms: c.terms[:0], parent: c.parent[:0], depth: c.depth[:0], cur: -1, launch: -1}
	csers.Put(c)
}

func (c *cser) scan(s tir.Stmt) {
	saved := c.cur
	depth := 0
	if saved >= 0 {
		depth = c.depth[saved] + 1
	}
	c.cur = len(c.parent)
	c.parent, c.depth = append(c.parent, saved), append(c.depth, depth)
	launch, at := c.launch, c.cur
	if a, ok := s.(*tir.AttrStmt); ok && a.Key == tir.KeyThreadExtent {
		if c.launch < 0 {
			c.launch, c.kernel = c.cur, s
		}
		if !c.usesKernel(a.Value) {
			at = c.launch
		}
	}
	s.EachChild(func(n ir.Node) {
		switch n := n.(type) {
		case tir.Stmt:
			c.scan(n)
		case tir.Expr:
			c.at = at
			c.root(n)
		}
	})
	c.cur, c.launch = saved, launch
}

// root notes that the current statement computes e.
func (c *cser) root(e tir.Expr) {
	if t := c.term(e); t != nil {
		c.use(t, c.at, 1)
	}
}

// usesKernel reports whether e uses a variable that is not defined outside of the kernel, or what is in memory.
func (c *cser) usesKernel(e tir.Expr) bool {
	if _, ok := tir.AsInt(e); ok {
		return false
	}
	outside := map[*tir.Var]bool{}
	for _, v := range freeVars(c.kernel) {
		outside[v] = true
	}
	return ir.Any(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Var:
			return !outside[n]
		case *tir.BufferLoad:
			return true
		}
		return false
	})
}

func (c *cser) use(t *cseTerm, at, n int) {
	if t.uses == 0 {
		t.at = at
	} else {
		t.at = c.common(t.at, at)
	}
	t.uses += n
}

// common returns the innermost statement around a and b.
func (c *cser) common(a, b int) int {
	for c.depth[a] > c.depth[b] {
		a = c.parent[a]
	}
	for c.depth[b] > c.depth[a] {
		b = c.parent[b]
	}
	for a != b {
		a, b = c.parent[a], c.parent[b]
	}
	return a
}

// choose decides which terms get a variable and around which statement, users before operands.
func (c *cser) choose() map[int][]*cseTerm {
	lets := map[int][]*cseTerm{}
	n := 0
	for i := len(c.terms) - 1; i >= 0; i-- {
		t := c.terms[i]
		if t.uses == 0 {
			continue
		}
		times := t.uses
		if t.eligible && t.uses >= 2 {
			n++
			t.v = tir.NewVar("cse_v"+strconv.Itoa(n), t.e.DType())
			lets[t.at] = append(lets[t.at], t)
			times = 1
		}
		for _, o := range t.operands {
			if o != nil {
				c.use(o, t.at, times)
			}
		}
	}
	return lets
}
