package starpass

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/starpass/dialect"
	"github.com/irscope/irscope/compiler/tir"
)

// syntaxFunctions are what trees of package dialect call in place of syntax that Starlark does not have.
func syntaxFunctions() starlark.StringDict {
	d := control()
	for name, f := range map[string]builtinFunc{
		dialect.Class: classBuiltin, dialect.Super: superBuiltin, dialect.Import: importBuiltin, dialect.Enter: enterBuiltin, dialect.Exit: exitBuiltin,
		dialect.Is: isSame, dialect.Format: formatBuiltin, dialect.Join: joinBuiltin, dialect.Power: powerBuiltin, dialect.Script: scriptBuiltin,
	} {
		d[name] = builtin(name, f)
	}
	d[dialect.Matmul] = builtin(dialect.Matmul, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return nil, fmt.Errorf("unknown binary op: %s @ %s: write R.matmul", args[0].Type(), args[1].Type())
	})
	return d
}

// pythonNames are the names of Python that Starlark lacks.
func pythonNames() starlark.StringDict {
	d := starlark.StringDict{
		"__name__":   starlark.String("__main__"),
		"isinstance": builtin("isinstance", isInstance),
		"super":      builtin("super", superBuiltin),
		"object":     &typeValue{name: "object"},
		"callable": builtin("callable", func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			if len(args) != 1 {
				return nil, fmt.Errorf("callable: expected one argument")
			}
			_, ok := args[0].(starlark.Callable)
			return starlark.Bool(ok), nil
		}),
	}
	for _, w := range []string{"staticmethod", "classmethod", "property"} {
		d[w] = wrapperMaker(w)
	}
	for name, c := range exceptions() {
		d[name] = c
	}
	return d
}

// scriptBuiltin is (script)(text, name): TVMScript that stands in a script. Its places are those of the script.
func scriptBuiltin(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	r := runOf(t)
	text, name := string(args[0].(starlark.String)), string(args[1].(starlark.String))
	if err := r.alloc(int64(len(text)) * 64); err != nil {
		return nil, err
	}
	src, _, err := frontend.One(r.ctx, r.name, []byte(text), frontend.Options{Form: frontend.Script, Script: parse.Options{AllowMissingConstants: true}})
	if err != nil {
		return nil, err
	}
	if f := src.Module.Lookup(name); f != nil && src.Module.Len() == 1 { // a function alone
		return &Node{f}, nil
	}
	return &Module{m: src.Module}, nil
}

// moduleType is IRModule: IRModule({name: function}), IRModule.from_expr(function).
func moduleType() starlark.Value {
	add := func(m *ir.Module, key, fn starlark.Value) (*ir.Module, error) {
		name, err := funcName(key)
		if err != nil {
			return nil, err
		}
		f, err := asNode[ir.Function](fn, "a function")
		if err != nil {
			return nil, fmt.Errorf("IRModule: %s: %w", name, err)
		}
		return m.With(name, f), nil
	}
	return &typeValue{
		name: "IRModule",
		is:   func(v starlark.Value) bool { _, ok := v.(*Module); return ok },
		call: builtin("IRModule", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var functions, attrs starlark.Value
			if err := starlark.UnpackArgs(b.Name(), args, kwargs, "functions?", &functions, "attrs?", &attrs); err != nil {
				return nil, err
			}
			m := ir.NewModule()
			if functions != nil && functions != starlark.None {
				d, ok := functions.(starlark.IterableMapping)
				if !ok {
					return nil, fmt.Errorf("IRModule: expected a dict of functions by name, got %s", describe(functions))
				}
				for _, kv := range d.Items() {
					var err error
					if m, err = add(m, kv[0], kv[1]); err != nil {
						return nil, err
					}
				}
			}
			a, err := attrsOf(attrs)
			if err != nil {
				return nil, fmt.Errorf("IRModule: attrs: %w", err)
			}
			if a.Len() > 0 {
				m = m.WithAttrs(a)
			}
			return &Module{m: m}, nil
		}),
		members: starlark.StringDict{"from_expr": builtin("from_expr", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var fn starlark.Value
			if err := starlark.UnpackArgs(b.Name(), args, kwargs, "expr", &fn); err != nil {
				return nil, err
			}
			f, err := functionOf(fn)
			if err != nil {
				return nil, err
			}
			fn = &Node{f}
			name := "main"
			if s, ok := f.FuncAttrs().Get(ir.AttrGlobalSymbol); ok {
				if s, ok := s.(string); ok {
					name = s
				}
			}
			m, err := add(ir.NewModule(), starlark.String(name), fn)
			return &Module{m: m}, err
		})},
	}
}

// contextType is PassContext: PassContext(opt_level=3), PassContext.current().
func contextType() starlark.Value {
	return &typeValue{
		name: "PassContext", call: builtin("PassContext", contextBuiltin),
		is:      func(v starlark.Value) bool { _, ok := v.(*Context); return ok },
		members: starlark.StringDict{"current": builtin("current", currentContextBuiltin)},
	}
}

// tvmNamespace is the module tvm as far as scripts have it, made once for a run.
func tvmNamespace(r *run) starlark.Value {
	if r.tvm == nil {
		r.tvm = predeclared(nil)["tvm"]
	}
	return r.tvm
}

// tvmModule arranges the names of scripts as TVM's modules do.
func tvmModule(d starlark.StringDict) starlark.Value {
	in := func(name string, members starlark.StringDict) starlark.Value { return namespace(name, members) }
	passMakers := func(base starlark.Value, more ...string) starlark.StringDict {
		out := starlark.StringDict{"PassContext": d["PassContext"], "Sequential": d["sequential"], "module_pass": d["module_pass"], "PrintIR": d["PrintIR"], "ApplyPassToFunction": member(d["transform"], "ApplyPassToFunction")}
		if base != nil {
			for k, v := range base.(*nameModule).members {
				out[k] = v
			}
		}
		for _, n := range more {
			out[n] = d[n]
		}
		return out
	}
	functors := starlark.StringDict{"mutator": d["mutator"], "visitor": d["visitor"]}
	for _, n := range []string{"PyExprVisitor", "PyExprMutator"} {
		functors[n] = d[n]
	}
	instrument := starlark.StringDict{"pass_instrument": d["pass_instrument"]}
	for _, n := range []string{"PassTimingInstrument", "PassPrintingInstrument", "PrintBeforeAll", "PrintAfterAll"} {
		instrument[n] = d[n]
	}
	top := passMakers(nil)
	nodes := starlark.StringDict{
		"IRModule": d["IRModule"], "GlobalVar": typeOfKind(kindOf("GlobalVar"), "GlobalVar", constructor(kindOf("GlobalVar"), "GlobalVar")),
		"Op": opType(), "BaseFunc": typeOfNodes[ir.Function]("BaseFunc"), "PrimExpr": typeOfNodes[tir.Expr]("PrimExpr"), "Range": rangeType(), "structural_equal": d["structural_equal"], "structural_hash": d["structural_hash"], "register_op_attr": d["register_op_attr"],
		"assert_structural_equal": builtin("assert_structural_equal", assertEqual),
		"transform":               in("tvm.ir.transform", top), "instrument": in("tvm.ir.instrument", instrument),
	}
	relaxMembers := starlark.StringDict{}
	for k, v := range d["relax"].(*nameModule).members {
		relaxMembers[k] = v
	}
	relaxMembers["transform"] = in("tvm.relax.transform", passMakers(member(d["relax"], "transform"), "function_pass", "dataflowblock_pass"))
	relaxMembers["expr_functor"] = in("tvm.relax.expr_functor", functors)
	relaxMembers["expr"] = in("tvm.relax.expr", relaxMembers)
	relaxMembers["struct_info"] = in("tvm.relax.struct_info", relaxMembers)
	relaxMembers["op"] = d["R"]
	relaxMembers["get_pipeline"] = d["pipeline"]
	relaxMembers["build"] = builtin("build", compileBuiltin)
	relaxMembers["VirtualMachine"] = builtin("VirtualMachine", machineBuiltin)
	tirMembers := starlark.StringDict{"PyStmtExprVisitor": d["PyStmtExprVisitor"], "PyStmtExprMutator": d["PyStmtExprMutator"]}
	for k, v := range d["tir"].(*nameModule).members {
		tirMembers[k] = v
	}
	tirMembers["transform"] = in("tvm.tir.transform", passMakers(member(d["tir"], "transform"), "prim_func_pass"))
	adreno := in("tvm.tir.backend.adreno", starlark.StringDict{"transform": tirMembers["transform"]})
	tirMembers["backend"] = in("tvm.tir.backend", starlark.StringDict{"adreno": adreno})
	tirMembers["functor"] = in("tvm.tir.functor", starlark.StringDict{"PyStmtExprVisitor": d["PyStmtExprVisitor"], "PyStmtExprMutator": d["PyStmtExprMutator"], "mutator": d["mutator"], "visitor": d["visitor"]})
	tirModule := in("tvm.tir", tirMembers) // tirx and s_tir in newer versions
	script := starlark.StringDict{"relax": d["R"], "ir": starlark.None, "tir": d["T"], "tirx": d["T"], "from_source": d["parse"]}
	errors := starlark.StringDict{}
	for name, c := range exceptions() {
		errors[name] = c
	}
	return in("tvm", starlark.StringDict{
		"IRModule": d["IRModule"], "TVMError": exceptions()["TVMError"], "error": in("tvm.error", errors), "ir": in("tvm.ir", nodes), "instrument": in("tvm.instrument", instrument),
		"relax": in("tvm.relax", relaxMembers), "relay": d["relay"], "tir": tirModule, "tirx": tirModule, "s_tir": tirModule, "te": d["te"], "topi": d["topi"], "arith": d["arith"], "transform": in("tvm.transform", passMakers(nil)), "script": in("tvm.script", script),
		"compile": builtin("compile", compileBuiltin), "cpu": builtin("cpu", deviceBuiltin), "device": builtin("device", deviceBuiltin),
		"runtime": in("tvm.runtime", starlark.StringDict{"tensor": builtin("tensor", tensorBuiltin)}),
		"target":  &typeValue{name: "tvm.target", call: targetType().(*typeValue).call, members: starlark.StringDict{"Target": targetType()}},
	})
}

func kindOf(name string) *kind {
	for _, k := range kinds() {
		if k.name == name {
			return k
		}
	}
	panic("starpass: no kind " + name)
}

// opType is tvm.ir.Op: Op.get("relax.add").
func opType() starlark.Value {
	t := typeOfNodes[*ir.Op]("Op")
	t.members = starlark.StringDict{"get": builtin("get", opBuiltin)}
	return t
}

// assertEqual is tvm.ir.assert_structural_equal(a, b, map_free_vars=False).
func assertEqual(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	same, err := equalBuiltin(t, b, args, kwargs)
	if err != nil {
		return nil, err
	}
	if same == starlark.False {
		return assertBuiltin(t, b, starlark.Tuple{starlark.String("the two differ")}, nil)
	}
	return starlark.None, nil
}
