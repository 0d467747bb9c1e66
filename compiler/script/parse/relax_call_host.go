package parse

import (
	"strings"

	"github.com/irscope/irscope/compiler/script/syntax"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// hostOnly says what to write in place of functions of R that work on values of Python.
var hostOnly = map[string]string{
	"emit_te":  "write the function that it makes as @T.prim_func and call it with R.call_tir",
	"rewriter": "a pattern rewriter is no module: read pattern and replacement for themselves",
	"If":       "write the statement in Python's form", "Then": "write the statement in Python's form", "Else": "write the statement in Python's form",
}

// linear evaluates R.linear(data, weight, bias): a product with the transposed weight, and a sum.
func (b *builder) linear(n *syntax.Node) any {
	a := b.bind(n, "data", "weight", "bias", "out_dtype")
	b.need(n, a, 2, "data", "weight")
	kws := map[string]given{}
	if a[3] != nil {
		kws["out_dtype"] = given{b.eval(a[3]), a[3]}
	}
	data := b.eval(a[0])
	weight := b.opCall(n, "relax.permute_dims", []any{b.eval(a[1])}, nil)
	out := b.opCall(n, "relax.matmul", []any{data, weight}, kws)
	if a[2] != nil {
		if bias := b.eval(a[2]); bias != nil {
			out = b.opCall(n, "relax.add", []any{out, bias}, nil)
		}
	}
	return out
}

// emitWithSInfo evaluates R.emit_with_sinfo("relax.op", (args...), sinfo_args).
func (b *builder) emitWithSInfo(n *syntax.Node) any {
	a := b.bind(n, "op", "args", "sinfo_args")
	b.need(n, a, 2, "op", "args")
	name := b.strOf(a[0], "the name of an operator")
	o := op.Lookup(name)
	if o == nil {
		b.unknownOperator(strings.TrimPrefix(name, "relax."), n)
	}
	args, ok := b.toRelax(b.eval(a[1]), a[1]).(*relax.Tuple)
	if !ok {
		b.fail(a[1], "", "expected a tuple of arguments")
	}
	c, err := op.New(name, args.Fields, nil)
	if err != nil {
		b.fail(n, "", "%v", err)
	}
	c.Base = b.span(n)
	if a[2] != nil {
		c.SInfoArgs = b.sinfoList(a[2])
	}
	return c
}

// arange fills in what Python's range does: the start, the step, and the element type.
func (b *builder) arange(pos []given, kws map[string]given, n *syntax.Node) ([]given, map[string]given) {
	all := map[string]given{}
	for k, g := range kws {
		all[k] = g
	}
	for i, g := range pos {
		if i < 4 {
			all[[]string{"start", "end", "step", "dtype"}[i]] = g
		}
	}
	if _, ok := all["start"]; !ok {
		b.fail(n, "write the number of elements, or start and end", "R.arange needs an argument")
	}
	if e, ok := all["end"]; !ok || e.v == nil {
		all["end"], all["start"] = all["start"], given{int64(0), n}
	}
	if s, ok := all["step"]; !ok || s.v == nil {
		all["step"] = given{int64(1), n}
	}
	if d, ok := all["dtype"]; !ok || d.v == nil {
		t := "int64"
		for _, k := range []string{"start", "end", "step"} {
			v := all[k].v
			if p, ok := v.(*relax.PrimValue); ok {
				v = p.Value
			}
			if e, ok := v.(tir.Expr); ok && e.DType().IsFloat() {
				t = "float32"
			} else if hasFloat(v) {
				t = "float32"
			}
		}
		all["dtype"] = given{t, n}
	}
	return nil, all
}

// deviceKinds are the numbers of DLPack.
var deviceKinds = map[string]int64{
	"cpu": 1, "llvm": 1, "cuda": 2, "opencl": 4, "cl": 4, "vulkan": 7, "metal": 8, "rocm": 10, "webgpu": 15, "hexagon": 16,
}

func (b *builder) deviceCall(n *syntax.Node) any {
	a := b.bind(n, "dev_type", "dev_id")
	b.need(n, a, 1, "dev_type")
	d := device{}
	switch v := b.eval(a[0]).(type) {
	case string:
		k, ok := deviceKinds[v]
		if !ok {
			b.fail(a[0], "", "unknown kind of device %q", v)
		}
		d.kind = k
	case int64:
		d.kind = v
	}
	if a[1] != nil {
		d.index = b.intOf(a[1], "the number of the device")
	}
	return d
}
