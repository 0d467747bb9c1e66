package transform_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/transform"
)

// plan says which storage of a module's main each tensor lies in: "a@0" allocates a in the first one. A storage of n bytes starts as "0=n", with its device and scope where
// those are not the usual ones.
func plan(m *ir.Module) string {
	storages := map[*relax.Var]int{}
	var out []string
	relax.EachBinding(ir.MustLookup[*relax.Function](m, "main").Body, func(_ *relax.BindingBlock, b relax.Binding) {
		c, ok := b.BoundValue().(*relax.Call)
		if !ok {
			return
		}
		op, _ := c.Op.(*ir.Op)
		switch {
		case op == nil:
		case op.Name == "relax.memory.alloc_storage":
			n := len(storages)
			storages[b.Bound()] = n
			place := ""
			if d, s := relax.FormatPrim(c.Args[1].(*relax.PrimValue).Value), c.Args[2].(*relax.StringImm).Value; d != "0" || s != "global" {
				place = fmt.Sprintf("(%s,%s)", d, s)
			}
			out = append(out, fmt.Sprintf("%d=%s%s", n, relax.FormatPrim(c.Args[0].(*relax.ShapeExpr).Values[0]), place))
		case op.Name == "relax.memory.alloc_tensor":
			out = append(out, fmt.Sprintf("%s@%d", b.Bound().Name, storages[c.Args[0].(*relax.Var)]))
		case op.Name == "relax.builtin.alloc_tensor":
			out = append(out, b.Bound().Name+"?")
		}
	})
	return strings.Join(out, " ")
}

// TestMemoryPlans plans functions: "a:n" stands for the allocation of a vector of n bytes, and "f a b" for a kernel on a and b.
func TestMemoryPlans(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"a:8; f x a", "0=8 a@0"},
		{"a:8; f x a; b:8; f a b; c:8; f b c", "0=8 a@0 1=8 b@1 c@0"},
		{"a:8; f x a; b:8; f x b; f a b", "0=8 a@0 1=8 b@1"},
		// The last use of a tensor counts, not the first.
		{"a:8; f x a; b:8; f a b; f a b; c:8; f b c", "0=8 a@0 1=8 b@1 c@0"},
		// A tensor that nothing uses has storage of its own.
		{"a:8; b:8; f x b", "0=8 a@0 1=8 b@1"},

		// Storage that is too small grows, and storage that is larger is taken where there is none that fits.
		{"a:8; f x a; b:16; f x b", "0=16 a@0 b@0"},
		{"a:16; f x a; b:8; f x b", "0=16 a@0 b@0"},
		// Sizes up to 16 times apart share.
		{"a:8; f x a; b:128; f x b", "0=128 a@0 b@0"},
		{"a:8; f x a; b:129; f x b", "0=129 a@0 b@0"},
		{"a:128; f x a; b:8; f x b", "0=128 a@0 b@0"},
		{"a:129; f x a; b:8; f x b", "0=129 a@0 1=8 b@1"},
		{"a:129; f x a; b:9; f x b", "0=129 a@0 b@0"},

		// Of several the smallest that is large enough, or else the largest.
		{"a:10; b:14; c:12; f a b c; d:11; f x d", "0=10 a@0 1=14 b@1 2=12 c@2 d@2"},
		{"a:14; b:10; c:12; f a b c; d:13; f x d", "0=14 a@0 1=10 b@1 2=12 c@2 d@0"},
		{"a:10; b:12; c:11; f a b c; d:20; f x d", "0=10 a@0 1=20 b@1 2=11 c@2 d@1"},
		{"a:10; b:12; f a b; d:10; f x d", "0=10 a@0 1=12 b@1 d@0"},
		{"b:12; a:10; f a b; d:10; f x d", "0=12 b@0 1=10 a@1 d@1"},
		{"a:12; b:10; f a b; d:11; f x d", "0=12 a@0 1=10 b@1 d@0"},
		{"a:10; b:12; f a b; d:11; f x d", "0=10 a@0 1=12 b@1 d@1"},
		{"a:10; b:12; f a b; d:11; e:11; f d e", "0=11 a@0 1=12 b@1 d@1 e@0"},
		// What grew is as large as it has become.
		{"a:8; f x a; b:16; f x b; c:200; f x c", "0=200 a@0 b@0 c@0"},

		// Places.
		{"a:8@1; f x a; b:8; f x b; c:8@1; f x c", "0=8(1,global) a@0 1=8 b@1 c@0"},
		{"a:8@0@local; f x a; b:8; f x b; c:8@0@local; f x c", "0=8(0,local) a@0 1=8 b@1 c@0"},

		// What holds a tensor keeps it alive.
		{"a:8; f x a; n = a; b:8; f x b; f n b", "0=8 a@0 1=8 b@1"},
		{"a:8; f x a; n = (a, x); b:8; f x b; m = n[0]; f m b", "0=8 a@0 1=8 b@1"},
		{"a:8; f x a; n = R.reshape(a, R.shape([8])); b:8; f x b; f n b", "0=8 a@0 1=8 b@1"},
		{"a:8; f x a; n = R.memory.ensure_zero_offset(a); b:8; f x b; f n b", "0=8 a@0 1=8 b@1"},
		{"a:8; f x a; n = R.memory.view(a, R.shape([8])); b:8; f x b; f n b", "0=8 a@0 1=8 b@1"},
		{"a:8; f x a; b:8; f a b; n = (a, b); m = (n, x); o = m[0]; w = o[1]; c:8; f w c", "0=8 a@0 1=8 b@1 c@0"},
		{"a:8; f x a; b:8; f a b; n = (a, b); m = (n, x); o = m[0]; w = o[0]; c:8; f w c", "0=8 a@0 1=8 b@1 c@1"},
		// What only looks at it does not.
		{"a:8; f x a; n = R.shape_of(a); b:8; f x b", "0=8 a@0 b@0"},
		{"a:8; f x a; n = R.size(a); b:8; f x b", "0=8 a@0 b@0"},
		{"a:8; f x a; R.print(a, format=R.str(\"a\")); b:8; f x b", "0=8 a@0 b@0"},
		{"a:8; f x a; R.vm.call_tir_dyn(cls.kernel2, (x, a, R.shape([1]))); b:8; f x b", "0=8 a@0 b@0"},
		{"a:8; f x a; R.call_packed(\"f\", x, a, sinfo_args=(R.Tuple,)); b:8; f x b", "0=8 a@0 b@0"},
		// What may keep it for ever makes it stay out of the plan.
		{"a:8; f x a; n = R.call_packed(\"f\", a, sinfo_args=(R.Object,)); b:8; f x b", "0=8 a@0 b@0"},
		{"a:8; f x a; n = R.call_packed(\"vm.builtin.reshape\", a, R.shape([8]), sinfo_args=(R.Tensor((8,), \"uint8\"),)); b:8; f x b; f n b", "0=8 a@0 1=8 b@1"},
		{"a:8; f x a; n = cls.helper(a); b:8; f x b", "a? 0=8 b@0"},
		{"a:8; f x a; n = R.add(a, a); b:8; f x b", "a? 0=8 b@0"},
		{"a:8; f x a; m = (a, x); n = R.add(m[0], x); b:8; f x b", "a? 0=8 b@0"},
		{"a:8; f x a; return a", "a?"},
		{"a:8; f x a; n = a; return n", "a?"},
		{"a:8; f x a; n = (a, x); m = n[0]; return m", "a?"},
		// Extents that are not known: what is equal shares.
		{"a:k; f x a; b:8; f x b", "0=k a@0 1=8 b@1"},
		{"a:k; f x a; b:k+k; f x b; c:2*k; f x c; d:k; f x d", "0=k a@0 1=k + k b@1 c@1 d@0"},
	} {
		var body, result string
		for part := range strings.SplitSeq(c.body, ";") {
			part = strings.TrimSpace(part)
			words := strings.Fields(part)
			name, size, alloc := strings.Cut(words[0], ":")
			switch {
			case words[0] == "f":
				body += fmt.Sprintf("    cls.kernel%d(%s)\n", len(words)-1, strings.Join(words[1:], ", "))
			case words[0] == "return":
				result = words[1]
			case alloc:
				place := strings.Split(size+"@0@global", "@")
				if len(strings.Split(size, "@")) == 2 {
					place[2] = "global"
				}
				body += fmt.Sprintf("    %s: R.Tensor((%s,), \"uint8\") = R.builtin.alloc_tensor(R.shape([%s]), R.dtype(\"uint8\"), R.prim_value(%s), R.str(\"%s\"))\n", name, place[0], place[0], place[1], place[2])
			default:
				body += "    " + part + "\n"
			}
		}
		if result == "" {
			result = "x"
		}
		m := read(t, `
@T.prim_func(private=True)
def kernel2(a: T.handle, b: T.handle):
    n = T.int64()
    m = T.int64()
    A = T.match_buffer(a, (n,), "uint8")
    B = T.match_buffer(b, (m,), "uint8")
    B[T.int64(0)] = A[T.int64(0)]

@T.prim_func(private=True)
def kernel3(a: T.handle, b: T.handle, c: T.handle):
    n = T.int64()
    m = T.int64()
    k = T.int64()
    A = T.match_buffer(a, (n,), "uint8")
    B = T.match_buffer(b, (m,), "uint8")
    C = T.match_buffer(c, (k,), "uint8")
    C[T.int64(0)] = A[T.int64(0)] + B[T.int64(0)]

@R.function(private=True)
def helper(x: R.Tensor((8,), "uint8")) -> R.Tensor((8,), "uint8"):
    return x

@R.function
def main(x: R.Tensor((8,), "uint8"), s: R.Shape(["k"])):
    k = T.int64()
    R.func_attr({"relax.force_pure": T.bool(True)})
    cls = Module
`+body+"    return "+result+"\n")
		out := runPass(t, passtest.NewContext(), transform.StaticPlanBlockMemory, m)
		passtest.WellFormed(t, c.body, out)
		if got := plan(out); got != c.want {
			t.Errorf("%s\n is planned as %s\n want          %s", c.body, got, c.want)
		}
	}
}

// TestMemoryPlansOfBlocks: what other blocks, branches and closures see is not planned, and bounds give symbolic extents a size.
func TestMemoryPlansOfBlocks(t *testing.T) {
	const kernel = `
@T.prim_func(private=True)
def kernel(a: T.handle, b: T.handle):
    n = T.int64()
    m = T.int64()
    A = T.match_buffer(a, (n,), "uint8")
    B = T.match_buffer(b, (m,), "uint8")
    B[T.int64(0)] = A[T.int64(0)]

@R.function
def main(x: R.Tensor((8,), "uint8"), p: R.Tensor((), "bool"), v: R.Tensor(("n", "m"), "float32")):
    n = T.int64()
    m = T.int64()
`
	alloc := func(name, shape, dtype string) string {
		return fmt.Sprintf("%s: R.Tensor((%s,), %q) = R.builtin.alloc_tensor(R.shape([%s]), R.dtype(%q), R.prim_value(0), R.str(\"global\"))\n", name, shape, dtype, shape, dtype)
	}
	for _, c := range []struct{ name, attrs, body, want string }{
		{"a branch uses it", "", "    " + alloc("a", "8", "uint8") + "    " + alloc("b", "8", "uint8") + `    cls.kernel(a, b)
    if p:
        cls.kernel(x, a)
        r = x
    else:
        r = x
    return r
`, "a? 0=8 b@0"},
		{"in a branch", "", `    if p:
        ` + alloc("a", "8", "uint8") + `        cls.kernel(x, a)
        ` + alloc("b", "8", "uint8") + `        cls.kernel(x, b)
        r = b
    else:
        r = x
    return r
`, "0=8 a@0 b?"},
		{"a local function uses it", "", "    " + alloc("a", "8", "uint8") + `
    @R.function
    def f(y: R.Tensor((8,), "uint8")) -> R.Tensor((8,), "uint8"):
        return a

    r = f(x)
    return r
`, "a?"},
		{"another block uses it", "", "    " + alloc("a", "8", "uint8") + "    " + alloc("b", "8", "uint8") + `    cls.kernel(a, b)
    with R.dataflow():
        c = R.add(x, x)
        R.output(c)
    cls.kernel(x, a)
    return x
`, "a? 0=8 b@0"},
		{"bounds", `, "tir_var_upper_bound": {"n": 4, "m": 2}`, "    " + alloc("a", "n", "float32") + "    R.call_packed(\"f\", a, sinfo_args=(R.Tuple,))\n    " + alloc("b", "n, m", "float32") + "    R.call_packed(\"f\", b, sinfo_args=(R.Tuple,))\n    return x\n", "0=32 a@0 b@0"},
		{"bounds of variables bound differences", `, "tir_var_upper_bound": {"n": 4, "m": 2}`, "    " + alloc("a", "8 - n", "float32") + "    return x\n", "0=32 a@0"},
		{"a lower bound", `, "tir_var_upper_bound": {"n": 4}, "tir_var_lower_bound": {"n": 2}`, "    " + alloc("a", "8 - n", "float32") + "    return x\n", "0=24 a@0"},
		{"no bound for one of two", `, "tir_var_upper_bound": {"n": 4}`, "    " + alloc("a", "n", "float32") + "    " + alloc("b", "n, m", "float16") + "    return x\n", "0=16 a@0 1=8 * m b@1"},
		{"a result", `, "tir_var_upper_bound": {"n": 4}`, "    " + alloc("a", "n", "float32") + "    return a\n", "a?"},
		{"a result of a bound size", `, "tir_var_upper_bound": {"n": 4}, "relax.memory_plan_dynamic_func_output": 1`, "    " + alloc("a", "n", "float32") + "    " + alloc("b", "8", "float32") + "    return (a, b)\n", "0=16 a@0 b?"},
		{"a result of a size that is bound in part", `, "tir_var_upper_bound": {"n": 4}, "relax.memory_plan_dynamic_func_output": 1`, "    " + alloc("a", "n, m", "float32") + "    return a\n", "0=16 * m a@0"},
		{"a bound so large that there is no such tensor", `, "tir_var_upper_bound": {"n": 4611686018427387904}`, "    " + alloc("a", "n, 4", "float32") + "    return x\n", "a?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := read(t, kernel+"    R.func_attr({\"relax.force_pure\": 1"+c.attrs+"})\n    cls = Module\n"+c.body)
			out := runPass(t, passtest.NewContext(), transform.StaticPlanBlockMemory, m)
			passtest.WellFormed(t, "after", out)
			if got := plan(out); got != c.want {
				t.Errorf("it is planned as %s, want %s", got, c.want)
			}
		})
	}
}

// TestMemoryBoundErrors: attributes that bound symbolic variables by something else than numbers are refused.
func TestMemoryBoundErrors(t *testing.T) {
	for attr, want := range map[string]string{
		`"tir_var_upper_bound": {"n": "4"}`:                                `attribute tir_var_upper_bound: the bound of n is "4", want a whole number`,
		`"tir_var_lower_bound": 4`:                                         `attribute tir_var_lower_bound is 4, want numbers by the names of symbolic variables, like {"n": 16}`,
		`"tir_non_negative_var": [1]`:                                      "attribute tir_non_negative_var is [1], want a list of names of symbolic variables",
		`"tir_var_upper_bound": {"n": 1}, "tir_var_lower_bound": {"n": 2}`: "attribute tir_var_lower_bound says that n is at least 2, tir_var_upper_bound that it is at most 1",
	} {
		m := read(t, `
@R.function
def main(x: R.Tensor(("n",), "uint8")):
    n = T.int64()
    R.func_attr({`+attr+`})
    return x
`)
		_, err := passtest.NewContext().Run(transform.StaticPlanBlockMemory, m)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %s", attr, err, want)
		}
	}
}
