package ir_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

func mustPath(t testing.TB, s string) ir.Path {
	t.Helper()
	p, err := ir.ParsePath(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestParsePath(t *testing.T) {
	for in, want := range map[string]string{
		"":                                    "",
		"body":                                "body",
		`functions["main"].body.blocks[0]`:    `functions["main"].body.blocks[0]`,
		`functions['a"b'].x`:                  `functions["a\"b"].x`,
		`["k"][2]`:                            `["k"][2]`,
		`[007]`:                               `[7]`,
		`attrs["x"][2].a_1`:                   `attrs["x"][2].a_1`,
		"attrs[\"\\n\\u00e9\\xff\"].sinfo[0]": `attrs["\né` + `\xff"].sinfo[0]`,
	} {
		if got := mustPath(t, in).String(); got != want {
			t.Errorf("%q is printed as %q, expected %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		".a":                         "path, column 1: expected a field name or '[', found '.'",
		"a.":                         "path, column 3: expected a field name, found the end",
		"a..b":                       "path, column 3: expected a field name, found '.'",
		"a b":                        "path, column 2: expected '.' or '[', found ' '",
		"a[":                         "path, column 3: expected an index or a key in quotes, found the end",
		"a[-1]":                      "path, column 3: expected an index or a key in quotes, found '-'",
		"a[1":                        "path, column 4: expected ']', found the end",
		`a["x]`:                      "path, column 3: expected a key in double quotes, found one that is not closed or has an invalid escape",
		`a['x]`:                      "path, column 3: expected a key in quotes, found one that is not closed",
		`a["x"`:                      "path, column 6: expected ']', found the end",
		"a[99999999999999999999999]": "path, column 3: expected an index of at most 9223372036854775807, found 99999999999999999999",
		"é":                          "path, column 1: expected a field name or '[', found 'é'",
	} {
		if p, err := ir.ParsePath(in); err == nil || err.Error() != want {
			t.Errorf("%q: %v, %v, expected the error\n %s", in, p, err, want)
		}
	}
}

func FuzzParsePath(f *testing.F) {
	for _, s := range []string{"", `functions["main"].body[1]`, `a['b'].c`, "a[", `["\x00"]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ir.ParsePath(s)
		if err != nil {
			return
		}
		q, err := ir.ParsePath(p.String())
		if err != nil || q.String() != p.String() || len(q) != len(p) {
			t.Fatalf("%q is printed as %q, which reads as %q, %v", s, p, q, err)
		}
	})
}

func pathModule() *ir.Module {
	main := function("x", "n", "relax.exp")
	blocks := main.Body.Blocks[0].Bindings
	call := *blocks[1].(*relax.VarBinding).Value.(*relax.Call)
	call.Attrs = ir.NewAttrs("axis", []int64{3, 4}, "more", ir.NewAttrs("n", tir.Int(5)))
	b := *main
	b.Body = &relax.SeqExpr{
		Blocks: []*relax.BindingBlock{{Bindings: []relax.Binding{blocks[0], &relax.VarBinding{Var: blocks[1].Bound(), Value: &call}}}},
		Body:   main.Body.Body,
	}
	return ir.NewModule().With("main", &b).With("loops", loop("a")).
		WithAttrs(ir.NewAttrs("input_names", []string{"x", "y"})).
		WithGlobalInfos("vdevice", []ir.Node{&relax.VDevice{Target: "llvm", ID: 2}})
}

func TestAt(t *testing.T) {
	m := pathModule()
	for path, want := range map[string]any{
		`functions["main"].params[0].name`:                                            "x",
		`functions["main"].body.blocks[0].bindings[1].value.op.name`:                  "relax.exp",
		`functions["main"].body.blocks[0].bindings[1].value.attrs["axis"][1]`:         int64(4),
		`functions["main"].body.blocks[0].bindings[1].value.sinfo.ndim`:               2,
		`functions["main"].body.blocks[0].bindings[1].value.attrs["more"]["n"].value`: int64(5),
		`functions["loops"].buffers[0].shape[1].value`:                                int64(8),
		`functions["loops"].body.body.body.buffer.name`:                               "a2",
		`functions["loops"].buffers[0].dtype`:                                         dtype.Float32T,
		`attrs["input_names"][1]`:                                                     "y",
		`global_infos["vdevice"][0].id`:                                               2,
		`functions["loops"].body.body.body.predicate`:                                 nil,
	} {
		if got, err := ir.At(m, mustPath(t, path)); err != nil || got != want {
			t.Errorf("%s is %v, %v, expected %v", path, got, err, want)
		}
	}
	if got, err := ir.At(m, nil); err != nil || got != m {
		t.Errorf("the empty path leads to %v, %v", got, err)
	}
	if got, err := ir.At(m, mustPath(t, "functions")); err != nil || len(got.(map[string]ir.Function)) != 2 {
		t.Errorf("functions are %v, %v", got, err)
	}
}

func TestAtErrors(t *testing.T) {
	m := pathModule()
	for path, want := range map[string]string{
		`function["main"]`:                    `no function["main"]: the root is a module with fields functions, attrs, global_infos; did you mean functions?`,
		`functions["mian"].body`:              `no functions["mian"].body: functions is the functions of a module with keys main, loops; did you mean main?`,
		`functions["main"].bdoy`:              `no functions["main"].bdoy: functions["main"] is a relax.Function with fields params, body, ret, pure, attrs; did you mean body?`,
		`functions["main"].params[3]`:         `no functions["main"].params[3]: functions["main"].params is a list of length 1`,
		`functions["main"].params.x`:          `no functions["main"].params.x: functions["main"].params is a list of length 1, which has no fields`,
		`functions["main"].pure["x"]`:         `no functions["main"].pure["x"]: functions["main"].pure is the value true, which has no keys`,
		`functions["main"].params[0].name[1]`: `no functions["main"].params[0].name[1]: functions["main"].params[0].name is a string, which has no index`,
		`functions["loops"].body.step.value`:  `no functions["loops"].body.step.value: functions["loops"].body.step is not set`,
		`attrs["input_name"]`:                 `no attrs["input_name"]: attrs is a dictionary with keys input_names; did you mean input_names?`,
		`global_infos["v"]`:                   `no global_infos["v"]: global_infos is the global infos of a module with keys vdevice`,
	} {
		_, err := ir.At(m, mustPath(t, path))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, expected\n %s", path, err, want)
			continue
		}
		var pe *ir.PathError
		if !errors.As(err, &pe) || !strings.HasPrefix(pe.Path.String(), pe.Prefix.String()) {
			t.Errorf("%s: the error has no prefix of the path", path)
		}
	}
	if _, err := ir.At("x", nil); err == nil {
		t.Error("a path from a string is not an error")
	}
	if _, err := ir.NodeAt(m, mustPath(t, `functions["main"].pure`)); err == nil {
		t.Error("a bool is taken for a node")
	}
}

// checkPaths checks that At leads to the nodes that WalkPaths names, and that PathOf finds the
// first place of each.
func checkPaths(t *rapid.T, root any) {
	first := map[ir.Node]string{}
	ir.WalkPaths(root, func(p ir.Path, n ir.Node) bool {
		got, err := ir.NodeAt(root, p)
		if err != nil || got != n {
			t.Fatalf("%s leads to %v, %v, expected a %s", p, got, err, ir.TypeName(n))
		}
		parsed, err := ir.ParsePath(p.String())
		if err != nil || parsed.String() != p.String() {
			t.Fatalf("%s is read as %s, %v", p, parsed, err)
		}
		if _, ok := first[n]; !ok {
			first[n] = p.String()
		}
		return true
	})
	for n, want := range first {
		if p, ok := ir.PathOf(root, n); !ok || p.String() != want {
			t.Fatalf("PathOf gives %s, expected %s", p, want)
		}
	}
}

func TestPathProperties(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		mk := newMaker(rapid.Uint64().Draw(t, "seed"), "a", -1)
		switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); kind {
		case 3:
			checkPaths(t, pathModule().With("f", mk.function()))
		default:
			checkPaths(t, mk.node(kind))
		}
	})
}

func TestPathOfIsLinear(t *testing.T) {
	deep := sharedChain(60, tir.NewVar("x", dtype.Int64T))
	if _, ok := ir.PathOf(deep, tir.Int(1)); ok {
		t.Error("a node that is not there is found")
	}
	p, ok := ir.PathOf(pathModule(), pathModule().Lookup("main"))
	if ok {
		t.Errorf("a node of another module is found at %s", p)
	}
}

// sharedChain is a sum in which e stands in 2^depth places.
func sharedChain(depth int, e tir.Expr) tir.Expr {
	for range depth {
		e = tir.NewBinary(tir.OpAdd, e, e)
	}
	return e
}
