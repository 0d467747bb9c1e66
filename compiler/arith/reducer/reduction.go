package reducer

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Reduction is what a reduction block computes: it combines the elements of buffers at indices, in the order of the updates, with values by a
// reducer.
type Reduction struct {
	Buffers []*tir.Buffer
	Indices []tir.Expr
	Values  []tir.Expr
	Reducer *tir.CommReducer
}

// Definition is TVM's definition of a block that can be computed in parts. Error counts its conditions.
const Definition = `Definition of a reduction block that is applicable by RFactor and Cross-Thread Reduction:
1) The block init should be a single BufferStore or a SeqStmt of BufferStores
2) The buffers initialized in the block init should be all different
3) The number of consecutive LetStmts in the block body (if any) should equal the number of BufferStores in the block init
4) The variables of the LetStmts in the block body should be all different
5) The body of the innermost LetStmt should be a single BufferStore or a SeqStmt of BufferStores
6) The number of BufferStores under the block body should equal the number of BufferStores in the block init, and thereby equal the number of LetStmts above
7) The variables bound by the LetStmts in the block body must all directly serve as values of the BufferStores inside, and the stored values of the BufferStores can only be those variables
8) The variables stored by the BufferStores in the block body should be all different
9) The buffers written by the BufferStores in the block body should be all different
10) The buffers initialized in the block init and written in the block body should match
11) The buffers written by the block should have same shape
12) The indices of all BufferStores in the reduction block should be the same`

// Error says why a block is no reduction that can be computed in parts: it violates a condition of Definition, or, where Condition is 0, no
// reducer matches it, and Identities and Updates are what it has in place of one.
type Error struct {
	Condition  int
	Why        string
	Identities []tir.Expr
	Updates    []*tir.BufferStore
}

// Error returns the reason.
func (e *Error) Error() string { return e.Why }

func violates(n int, format string, args ...any) *Error {
	return &Error{Condition: n, Why: fmt.Sprintf(format, args...)}
}

// Of reads the init and the update of a block by the conditions of TVM's src/tir/schedule/analysis/reducer.cc. It returns an *Error if the
// block meets them not.
func Of(b *tir.Block) (*Reduction, error) {
	inits, ok := storesOf(b.Init)
	if !ok {
		return nil, violates(1, "the init must be a store or several stores")
	}
	initialized := map[*tir.Buffer]bool{}
	for _, s := range inits {
		if initialized[s.Buffer] {
			return nil, violates(2, "the init stores to %s twice", s.Buffer.Name)
		}
		initialized[s.Buffer] = true
	}
	updates, err := updatesOf(b.Body, len(inits))
	if err != nil {
		return nil, err
	}
	red := &Reduction{Indices: updates[0].Indices}
	place := map[*tir.Buffer]int{}
	for i, u := range updates {
		if _, twice := place[u.Buffer]; twice {
			return nil, violates(9, "buffer %s is updated twice", u.Buffer.Name)
		}
		place[u.Buffer] = i
		red.Buffers = append(red.Buffers, u.Buffer)
	}
	identity := make([]tir.Expr, len(updates))
	an := arith.NewAnalyzer()
	for i, u := range updates {
		if !equalAll(u.Buffer.Shape, updates[0].Buffer.Shape, an) {
			return nil, violates(11, "the buffers must have one shape, but %s and %s differ", updates[0].Buffer.Name, u.Buffer.Name)
		}
		if !equalAll(u.Indices, red.Indices, an) {
			return nil, violates(12, "all stores must have the same indices, but those of %s and %s differ", updates[0].Buffer.Name, u.Buffer.Name)
		}
		s := inits[i]
		if !equalAll(s.Indices, red.Indices, an) {
			return nil, violates(12, "the init of %s has other indices than the update", s.Buffer.Name)
		}
		k, ok := place[s.Buffer]
		if !ok {
			return nil, violates(10, "the init stores to %s, which the body does not update", s.Buffer.Name)
		}
		identity[k] = s.Value
	}
	loads, results := make([]tir.Expr, len(updates)), make([]tir.Expr, len(updates))
	for i, u := range updates {
		loads[i], results[i] = tir.Load(u.Buffer, u.Indices...), u.Value
	}
	for _, make := range reducers {
		if c := make(identity); c != nil {
			if red.Values = match(c, results, loads); red.Values != nil && !readsAny(red.Values, place) {
				red.Reducer = c
				return red, nil
			}
		}
	}
	return nil, &Error{
		Why: "no reducer matches its init and update: expected a sum, product, minimum, maximum, sums of two values, or the place of an extreme, " +
			"of values that do not depend on the result",
		Identities: identity, Updates: updates,
	}
}

// readsAny reports whether one of the values reads one of the buffers.
func readsAny(values []tir.Expr, buffers map[*tir.Buffer]int) bool {
	return slices.ContainsFunc(values, func(v tir.Expr) bool {
		return ir.Any(v, func(n ir.Node) bool {
			l, ok := n.(*tir.BufferLoad)
			if ok {
				_, ok = buffers[l.Buffer]
			}
			return ok
		})
	})
}

func equalAll(a, b []tir.Expr, an *arith.Analyzer) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !arith.Equal(a[i], b[i]) && !an.CanProveEqual(a[i], b[i]) {
			return false
		}
	}
	return true
}

// storesOf returns the stores that s consists of.
func storesOf(s tir.Stmt) ([]*tir.BufferStore, bool) {
	list := []tir.Stmt{s}
	if q, ok := s.(*tir.SeqStmt); ok {
		list = q.Seq
	}
	out := make([]*tir.BufferStore, len(list))
	for i, s := range list {
		st, ok := s.(*tir.BufferStore)
		if !ok || st.Predicate != nil {
			return nil, false
		}
		out[i] = st
	}
	return out, true
}

// updatesOf returns the n updates of a body: one store, or lets of all values and then stores of them.
func updatesOf(body tir.Stmt, n int) ([]*tir.BufferStore, error) {
	if st, ok := body.(*tir.BufferStore); ok && st.Predicate == nil {
		if n != 1 {
			return nil, violates(6, "the body stores once, the init %d times", n)
		}
		return []*tir.BufferStore{st}, nil
	}
	at := map[*tir.Var]int{}
	var values []tir.Expr
	for {
		let, ok := body.(*tir.LetStmt)
		if !ok {
			break
		}
		if _, twice := at[let.Var]; twice {
			return nil, violates(4, "the variable %s is bound twice", let.Var.Name)
		}
		if arith.UsesVar(let.Value, func(v *tir.Var) bool { _, bound := at[v]; return bound }) {
			return nil, violates(7, "the value of %s depends on another let", let.Var.Name)
		}
		at[let.Var] = len(values)
		values = append(values, let.Value)
		body = let.Body
	}
	if len(values) != n {
		return nil, violates(3, "the body has %d lets, the init %d stores", len(values), n)
	}
	stores, ok := storesOf(body)
	if !ok {
		return nil, violates(5, "the body must be stores below lets, or one store")
	}
	if len(stores) != n {
		return nil, violates(6, "the body has %d stores, the init %d", len(stores), n)
	}
	out := make([]*tir.BufferStore, n)
	for _, s := range stores {
		v, ok := s.Value.(*tir.Var)
		i, known := at[v]
		if !ok || !known {
			return nil, violates(7, "the store to %s does not store the value of a let", s.Buffer.Name)
		}
		if out[i] != nil {
			return nil, violates(8, "%s and %s both store the value of %s", out[i].Buffer.Name, s.Buffer.Name, v.Name)
		}
		out[i] = s.WithValue(values[i])
	}
	return out, nil
}
