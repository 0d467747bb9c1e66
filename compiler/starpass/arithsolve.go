package starpass

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// maxSolved bounds the conditions, and the variables, of a system: elimination takes the cube of them.
const maxSolved = 32

// readConstraints reads a system, and counts the work of solving it.
func readConstraints(t *starlark.Thread, name string, relations, variables, bounds starlark.Value) (c *arith.IntConstraints, err error) {
	if s, ok := relations.(*starlarkstruct.Struct); ok && s.Constructor() == starlark.String("IntConstraints") {
		if variables != nil || bounds != nil {
			return nil, fmt.Errorf("%s: an IntConstraints has its variables and ranges: expected no others", name)
		}
		field := func(name string) starlark.Value { v, _ := s.Attr(name); return v }
		relations, variables, bounds = field("relations"), field("variables"), field("ranges")
	}
	c = &arith.IntConstraints{}
	if c.Relations, err = exprsOf(relations, dtype.BoolT); err != nil {
		return nil, fmt.Errorf("%s: equations: %w", name, err)
	}
	if c.Variables, err = intVarsOf(variables); err != nil {
		return nil, fmt.Errorf("%s: variables: %w", name, err)
	}
	if c.Ranges, err = rangesOf(bounds); err != nil {
		return nil, fmt.Errorf("%s: ranges: %w", name, err)
	}
	if len(c.Variables) > maxSolved || len(c.Relations) > maxSolved {
		return nil, fmt.Errorf("%s: %d equations in %d variables, expected at most %d of each", name, len(c.Relations), len(c.Variables), maxSolved)
	}
	work := 1
	for _, e := range c.Relations {
		n, err := analyzed(e)
		if err != nil {
			return nil, fmt.Errorf("%s: equations: %w", name, err)
		}
		work += n
	}
	return c, runOf(t).work(100 * (work + len(c.Variables)))
}

// solveEquations returns the change of variables that arith.SolveLinearEquations finds.
func solveEquations(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var equations, variables, bounds starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "equations", &equations, "variables?", &variables, "ranges?", &bounds); err != nil {
		return nil, err
	}
	c, err := readConstraints(t, b.Name(), equations, variables, bounds)
	if err != nil {
		return nil, err
	}
	n := len(c.Variables) + len(c.Relations)
	if err := runOf(t).work(1000 * (n + 1)); err != nil {
		return nil, err
	}
	return transformValue(arith.SolveLinearEquations(c))
}

// solveInequalities returns ranges of the variables of a system, or with deskew_range a change to variables
// whose ranges begin at 0.
func solveInequalities(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var equations, variables, bounds starlark.Value
	deskew := false
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "equations", &equations, "variables?", &variables, "ranges?", &bounds, "deskew_range?", &deskew); err != nil {
		return nil, err
	}
	c, err := readConstraints(t, b.Name(), equations, variables, bounds)
	if err != nil {
		return nil, err
	}
	// Each variable is eliminated from up to a few hundred conditions, which are compared in pairs.
	n := len(c.Relations) + len(c.Ranges) + 1
	if err := runOf(t).work(2000 * (len(c.Variables) + 1) * n); err != nil {
		return nil, err
	}
	if deskew {
		return transformValue(arith.SolveInequalitiesDeskewRange(c))
	}
	return constraintsValue(arith.SolveInequalitiesToRange(c))
}

func transformValue(s *arith.IntConstraintsTransform) (starlark.Value, error) {
	fields := starlark.StringDict{}
	for name, f := range map[string]func() (starlark.Value, error){
		"src":        func() (starlark.Value, error) { return constraintsValue(s.Src) },
		"dst":        func() (starlark.Value, error) { return constraintsValue(s.Dst) },
		"src_to_dst": func() (starlark.Value, error) { return mapValue(s.Src.Variables, s.SrcToDst) },
		"dst_to_src": func() (starlark.Value, error) { return mapValue(s.Dst.Variables, s.DstToSrc) },
	} {
		v, err := f()
		if err != nil {
			return nil, err
		}
		fields[name] = v
	}
	return record("IntConstraintsTransform", fields), nil
}

// mapValue returns the entries of m for the variables, in their order.
func mapValue(vars []*tir.Var, m map[*tir.Var]tir.Expr) (starlark.Value, error) {
	out := starlark.NewDict(len(m))
	for _, v := range vars {
		if e, ok := m[v]; ok {
			if err := out.SetKey(&Node{v}, &Node{e}); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func constraintsValue(c *arith.IntConstraints) (starlark.Value, error) {
	ranges := starlark.NewDict(len(c.Ranges))
	var vars []starlark.Value
	for _, v := range c.Variables {
		vars = append(vars, &Node{v})
		if r := c.Ranges[v]; r != nil {
			if err := ranges.SetKey(&Node{v}, &Node{r}); err != nil {
				return nil, err
			}
		}
	}
	return record("IntConstraints", starlark.StringDict{"variables": starlark.NewList(vars), "ranges": ranges, "relations": nodesOf(c.Relations)}), nil
}

// constraintsType is arith.int_solver.IntConstraints(variables, ranges, relations).
func constraintsType() starlark.Value {
	return builtin("IntConstraints", func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var variables, bounds, relations starlark.Value
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "variables", &variables, "ranges", &bounds, "relations", &relations); err != nil {
			return nil, err
		}
		c, err := readConstraints(t, b.Name(), relations, variables, bounds)
		if err != nil {
			return nil, err
		}
		return record("IntConstraints", starlark.StringDict{"variables": varsValue(c.Variables), "ranges": bounds, "relations": nodesOf(c.Relations)}), nil
	})
}

func varsValue(vars []*tir.Var) *starlark.List {
	out := make([]starlark.Value, len(vars))
	for i, v := range vars {
		out[i] = &Node{v}
	}
	return starlark.NewList(out)
}
