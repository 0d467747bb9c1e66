package starpass

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// maxAnalyzed bounds the nodes, written out as a tree, that these functions look at.
const maxAnalyzed = 1 << 16

// analyzed counts the nodes of n, for the budget of a script.
func analyzed(n ir.Node) (int, error) {
	count := 0
	ir.Walk(n, func(ir.Node) bool { count++; return count <= maxAnalyzed })
	if count > maxAnalyzed {
		return 0, fmt.Errorf("it has more than %d nodes", maxAnalyzed)
	}
	return count, nil
}

// domainTouched returns the region of a buffer that a statement loads, stores, or both; an empty list if it
// does neither.
func domainTouched(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var stmt, buffer starlark.Value
	loads, stores := true, true
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "stmt", &stmt, "buffer", &buffer, "consider_loads?", &loads, "consider_stores?", &stores); err != nil {
		return nil, err
	}
	s, err := asNode[tir.Stmt](stmt, "a statement")
	if err != nil {
		return nil, fmt.Errorf("domain_touched: stmt: %w", err)
	}
	buf, err := asNode[*tir.Buffer](buffer, "a buffer")
	if err != nil {
		return nil, fmt.Errorf("domain_touched: buffer: %w", err)
	}
	n, err := analyzed(s)
	if err != nil {
		return nil, fmt.Errorf("domain_touched: stmt: %w", err)
	}
	if err := runOf(t).work(100 * (n + 1)); err != nil {
		return nil, err
	}
	var out []starlark.Value
	for _, r := range arith.DomainTouched(s, buf, loads, stores) {
		out = append(out, &Node{r})
	}
	return starlark.NewList(out), nil
}

// narrowPredicate returns a condition without the variables of ranges that holds only where the one given
// does for all their values.
func narrowPredicate(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var cond, free starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "expr", &cond, "free_parameters", &free); err != nil {
		return nil, err
	}
	e, err := conditionOf(cond)
	if err != nil {
		return nil, fmt.Errorf("narrow_predicate_expression: %w", err)
	}
	ranges, err := rangesOf(free)
	if err != nil {
		return nil, fmt.Errorf("narrow_predicate_expression: free_parameters: %w", err)
	}
	n, err := analyzed(e)
	if err != nil {
		return nil, fmt.Errorf("narrow_predicate_expression: expr: %w", err)
	}
	if err := runOf(t).work(1000 * (n + len(ranges) + 1)); err != nil {
		return nil, err
	}
	return &Node{arith.NarrowPredicateExpression(e, ranges)}, nil
}
