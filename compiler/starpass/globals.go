package starpass

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/target"
)

// predeclared returns the names that scripts may use; mod is the input, None if there is none.
func predeclared(mod *ir.Module) starlark.StringDict {
	relaxPasses, relayPasses, tirPasses := compilerPasses()
	relaxNames, tirNames := constructors(levelRelax), constructors(levelTIR)
	relaxPasses["FusionPattern"] = builtin("FusionPattern", fusionPatternBuiltin)
	relaxNames["const"] = builtin("const", constBuiltin)
	relaxNames["transform"] = namespace("transform", relaxPasses)
	relaxNames["BlockBuilder"] = &typeValue{name: "BlockBuilder", call: builtin("BlockBuilder", builderBuiltin), is: func(v starlark.Value) bool { _, ok := v.(*Builder); return ok }}
	relaxNames["GlobalVar"] = typeOfKind(kindOf("GlobalVar"), "GlobalVar", constructor(kindOf("GlobalVar"), "GlobalVar"))
	relaxNames["op"] = operators{"relax."}
	relaxNames["analysis"] = analysis()
	relaxNames["dpl"] = dplNamespace()
	relaxNames["backend"] = backendNamespace()
	tirNames["stmt_functor"] = stmtFunctor()
	tirNames["const"] = builtin("const", teConst)
	tirNames["transform"] = namespace("tir.transform", tirPasses)
	tirNames["Schedule"] = scheduleType()
	tirNames["IndexMap"] = indexMapType()
	tirNames["TensorIntrin"] = tensorIntrinType()
	tirNames["schedule"] = namespace("tir.schedule", starlark.StringDict{
		"Schedule": tirNames["Schedule"], "Trace": traceType(), "IndexMap": tirNames["IndexMap"], "TensorIntrin": tirNames["TensorIntrin"],
	})
	d := starlark.StringDict{
		"IRModule":           moduleType(),
		"IndexMap":           indexMapType(),
		"PassContext":        contextType(),
		"PrintIR":            builtin("PrintIR", printIR),
		"R":                  operators{"relax."},
		"T":                  loopDialect{},
		"arith":              arithNamespace(),
		"at":                 builtin("at", atBuiltin),
		"current_context":    builtin("current_context", currentContextBuiltin),
		"dataflowblock_pass": builtin("dataflowblock_pass", passMaker(pass.DataflowBlock)),
		"function_pass":      builtin("function_pass", passMaker(pass.Function)),
		"mod":                starlark.None,
		"module_pass":        builtin("module_pass", passMaker(pass.Module)),
		"mutator":            builtin("mutator", walkerMaker(true)),
		"op":                 builtin("op", opBuiltin),
		"parse":              builtin("parse", parseBuiltin),
		"pass_context":       builtin("pass_context", passContextBuiltin),
		"pass_instrument":    builtin("pass_instrument", instrumentBuiltin),
		"path_of":            builtin("path_of", pathBuiltin),
		"pipeline":           builtin("pipeline", pipelineBuiltin),
		"prim_func_pass":     builtin("prim_func_pass", passMaker(pass.PrimFunc)),
		"register_op":        builtin("register_op", registerOp),
		"sch":                starlark.None,
		"relax":              namespace("relax", relaxNames),
		"register_op_attr":   builtin("register_op_attr", registerOpAttr),
		"replace":            builtin("replace", replaceBuiltin),
		"sequential":         builtin("sequential", sequentialBuiltin),
		"structural_equal":   builtin("structural_equal", equalBuiltin),
		"structural_hash":    builtin("structural_hash", hashBuiltin),
		"te":                 teNamespace(),
		"tir":                namespace("tir", tirNames),
		"topi":               topiFunctions{},
		"transform":          namespace("transform", relaxPasses),
		"visitor":            builtin("visitor", walkerMaker(false)),
	}
	if mod != nil {
		d["mod"] = &Module{m: mod}
	}
	for name, c := range functorClasses() {
		d[name] = c
	}
	d["relay"] = relayNamespace(d, relaxNames, relayPasses)
	d["PassTimingInstrument"] = builtin("PassTimingInstrument", timingBuiltin)
	for _, name := range []string{"PassPrintingInstrument", "PrintBeforeAll", "PrintAfterAll"} {
		d[name] = builtin(name, printingBuiltin)
	}
	for _, more := range []starlark.StringDict{universe(), guards(), syntaxFunctions(), pythonNames()} {
		for k, v := range more {
			d[k] = v
		}
	}
	d["tvm"] = tvmModule(d)
	return d
}

// compilerPasses returns the passes of the compiler as functions that make them: graph passes by
// name, those of Relay and loop passes without their prefix.
func compilerPasses() (relaxPasses, relayPasses, tirPasses starlark.StringDict) {
	relaxPasses, relayPasses, tirPasses = starlark.StringDict{}, starlark.StringDict{}, starlark.StringDict{}
	for _, p := range pipeline.All() {
		if short, ok := strings.CutPrefix(p.Name, "tir."); ok {
			tirPasses[short[strings.LastIndexByte(short, '.')+1:]] = registered(p)
		} else if short, ok := strings.CutPrefix(p.Name, pipeline.RelayPrefix); ok {
			relayPasses[short] = registered(p)
		} else {
			relaxPasses[p.Name] = registered(p)
		}
	}
	for newer, older := range ir.NewerNames() {
		tirPasses[newer] = tirPasses[older]
	}
	for name, f := range withFunctions() {
		relaxPasses[name] = builtin(name, f)
	}
	for name, f := range relayPassesWithRules() {
		relayPasses[name] = builtin(pipeline.RelayPrefix+name, f)
	}
	for name, f := range relayPasses { // where relax.transform has none of the name, nothing else can be meant
		if relaxPasses[name] == nil {
			relaxPasses[name] = f
		}
	}
	relaxPasses["Sequential"] = builtin("Sequential", sequentialBuiltin)
	relaxPasses["PrintIR"] = builtin("PrintIR", printIR)
	tirPasses["Sequential"] = relaxPasses["Sequential"]
	tirPasses["Apply"] = builtin("Apply", applyBuiltin)
	relayPasses["Sequential"] = relaxPasses["Sequential"]
	return relaxPasses, relayPasses, tirPasses
}

// registered is transform.Name(option=value, ...).
func registered(p *pass.Pass) *starlark.Builtin {
	return builtin(p.Name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) > len(p.Options) {
			return nil, fmt.Errorf("%s has %d options, got %d values; run it with %s()(mod)", p.Name, len(p.Options), len(args), p.Name)
		}
		var set *ir.Attrs
		for i, v := range args {
			x, err := attrValue(v, 0)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.Name, err)
			}
			set = set.With(p.Options[i].Name, x)
		}
		for _, kv := range kwargs {
			x, err := attrValue(kv[1], 0)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.Name, err)
			}
			set = set.With(string(kv[0].(starlark.String)), x)
		}
		if set.Len() == 0 {
			return wrapPass(p), nil
		}
		q, err := p.With(set)
		if err != nil {
			return nil, err
		}
		return wrapPass(q), nil
	})
}

// pipelineBuiltin is pipeline("default"): that of the target of the context that is current. A pass that asks for one declares what it reads.
func pipelineBuiltin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	name := ""
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "name?", &name); err != nil {
		return nil, err
	}
	r, of := runOf(t), target.Target{}
	if r.cur != nil {
		of = r.cur.Target
	}
	p, err := pipeline.Lookup(name, of)
	if err != nil {
		return nil, err
	}
	if err := r.reads.covers(p); err != nil {
		return nil, err
	}
	return wrapPass(p), nil
}

// parseBuiltin is parse(text, name="script"): a module of TVMScript, verified.
func parseBuiltin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var text string
	name := "<text>"
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "text", &text, "name?", &name); err != nil {
		return nil, err
	}
	r := runOf(t)
	if err := r.alloc(int64(len(text)) * 64); err != nil { // nodes take far more than their text
		return nil, fmt.Errorf("parse: %w", err)
	}
	src, _, err := frontend.One(r.ctx, name, []byte(text), frontend.Options{Form: frontend.Script, Script: parse.Options{AllowMissingConstants: true}})
	if err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	return &Module{m: src.Module}, nil
}

// atBuiltin is at(root, path): what a path such as functions["main"].body.blocks[0] leads to.
func atBuiltin(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var root starlark.Value
	var text string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "root", &root, "path", &text); err != nil {
		return nil, err
	}
	p, err := ir.ParsePath(text)
	if err != nil {
		return nil, err
	}
	from, err := rootOf(root)
	if err != nil {
		return nil, err
	}
	x, err := ir.At(from, p)
	if err != nil {
		return nil, err
	}
	return value(x), nil
}

// pathBuiltin is path_of(root, node): the path from one to the other, None if there is none.
func pathBuiltin(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var root, node starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "root", &root, "node", &node); err != nil {
		return nil, err
	}
	from, err := rootOf(root)
	if err != nil {
		return nil, err
	}
	n, err := asNode[ir.Node](node, "a node")
	if err != nil {
		return nil, err
	}
	p, ok := ir.PathOf(from, n)
	if !ok {
		return starlark.None, nil
	}
	return starlark.String(p.String()), nil
}

func rootOf(v starlark.Value) (any, error) {
	switch v := v.(type) {
	case *Module:
		return v.m, nil
	case *Node:
		return v.n, nil
	}
	return nil, fmt.Errorf("expected an IRModule or a node, got %s", describe(v))
}

// equalBuiltin is structural_equal(a, b, map_free_vars=False).
func equalBuiltin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x, y starlark.Value
	free := false
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "a", &x, "b", &y, "map_free_vars?", &free); err != nil {
		return nil, err
	}
	opts := ir.EqualOpts{MapFreeVars: free}
	switch x := x.(type) {
	case *Module:
		if y, ok := y.(*Module); ok {
			return starlark.Bool(ir.StructuralEqualModule(x.m, y.m, opts)), nil
		}
	case *Node:
		if y, ok := y.(*Node); ok {
			return starlark.Bool(ir.StructuralEqual(x.n, y.n, opts) || runOf(t).graphs && sameGraph(x.n, y.n, opts)), nil
		}
	}
	return nil, fmt.Errorf("structural_equal compares two nodes or two modules, got %s and %s", describe(x), describe(y))
}

// hashBuiltin is structural_hash(node).
func hashBuiltin(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "node", &x); err != nil {
		return nil, err
	}
	switch x := x.(type) {
	case *Module:
		return starlark.MakeUint64(ir.StructuralHashModule(x.m)), nil
	case *Node:
		return starlark.MakeUint64(ir.StructuralHash(x.n)), nil
	}
	return nil, fmt.Errorf("structural_hash: expected a node or an IRModule, got %s", describe(x))
}
