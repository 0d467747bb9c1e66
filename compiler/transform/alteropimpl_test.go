package transform_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
)

// shift is a module with a kernel over n elements that says it is relax.shift, and one over shape that can take its place.
func shift(n int, dt, shape string) string {
	rank := strings.Count(shape, ",")
	if strings.HasSuffix(shape, ",") {
		rank--
	}
	loops, at := []string{}, []string{}
	for i := range rank + 1 {
		loops, at = append(loops, fmt.Sprintf("i%d", i)), append(at, fmt.Sprintf("v%d", i))
	}
	return fmt.Sprintf(`
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def flat(a: T.Buffer((%[1]d,), "%[2]s"), b: T.Buffer((%[1]d,), "%[2]s")):
        T.func_attr({"operator_name": "relax.shift"})
        for i in range(%[1]d):
            with T.block("b"):
                v = T.axis.spatial(%[1]d, i)
                b[v] = a[v] * a[v] + T.%[2]s(3)

    @T.prim_func(private=True)
    def other(a: T.Buffer((%[3]s), "%[2]s"), b: T.Buffer((%[3]s), "%[2]s")):
        for %[4]s in T.grid(%[3]s):
            with T.block("b"):
                %[5]s = T.axis.remap("%[6]s", [%[4]s])
                b[%[5]s] = T.%[2]s(3) + a[%[5]s] * a[%[5]s]

    @R.function
    def main(x: R.Tensor((%[1]d,), "%[2]s")):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.flat, (x,), out_sinfo=R.Tensor((%[1]d,), "%[2]s"))
            z = R.call_tir(cls.flat, (y,), out_sinfo=R.Tensor((%[1]d,), "%[2]s"))
            R.output(z)
        return z
`, n, dt, shape, strings.Join(loops, ", "), strings.Join(at, ", "), strings.Repeat("S", rank+1))
}

// implArgs are the options of AlterOpImpl for shift.
func implArgs(maps ...ir.Value) *ir.Attrs {
	return (&ir.Attrs{}).With("op_impl_map", ir.NewAttrs("relax.shift", "other")).With("op_buffer_transforms", ir.NewAttrs("relax.shift", maps))
}

// TestAlterOpImplMeaning runs modules before and after, whose index maps split, fill up, permute and turn around.
func TestAlterOpImplMeaning(t *testing.T) {
	for _, c := range []struct {
		n     int
		shape string
		index string
	}{
		{16, "4, 4", "lambda i: (i // 4, i % 4)"},
		{14, "4, 4", "lambda i: (i // 4, i % 4)"},
		{1, "1, 4", "lambda i: (i // 4, i % 4)"},
		{7, "7,", "lambda i: (i,)"},
		{14, "16,", "lambda i: (i % 16,)"},
		{24, "2, 3, 4", "lambda i: (i // 12, i // 4 % 3, i % 4)"},
		{24, "4, 6", "lambda i: (i % 4, i // 4)"},
		{21, "4, 6", "lambda i: (i % 4, i // 4)"},
	} {
		for _, dt := range []string{"float32", "int32"} {
			for _, maps := range [][]ir.Value{{c.index, c.index}, {}} {
				if len(maps) == 0 && c.shape != fmt.Sprintf("%d,", c.n) {
					continue
				}
				t.Run(fmt.Sprint(c, dt, len(maps)), func(t *testing.T) {
					m := read(t, shift(c.n, dt, c.shape))
					p := must(transform.AlterOpImpl.With(implArgs(maps...)))
					out, _ := check(t, passtest.NewContext(), p, m)
					if text := passtest.Text(out); !strings.Contains(text, "cls.relax_shift_replacement") || strings.Contains(text, "call_tir(cls.flat") {
						t.Fatalf("the kernel was not replaced:\n%s", text)
					}
					sameOutputs(t, outputs(t, m, 2, false), outputs(t, out, 2, false))
				})
			}
		}
	}
}

// TestAlterOpImplText: the layouts of a filled-up tensor, and the kernel that cuts it.
func TestAlterOpImplText(t *testing.T) {
	m := read(t, shift(14, "float32", "4, 4"))
	args := implArgs("lambda i: (i // 4, i % 4)", "lambda i: (i // 4, i % 4)").With("op_buffer_axis_separators", ir.NewAttrs("relax.shift", []ir.Value{[]ir.Value{int64(1)}, nil}))
	out, _ := check(t, passtest.NewContext(), must(transform.AlterOpImpl.With(args)), m)
	text := passtest.Text(out)
	for _, want := range []string{
		`R.layout_transform(x, axis_separators=[1], index_map=T.index_map(lambda i: (i // 4, i % 4)), input_axis_separators=[], pad_value=None)`,
		`lambda axis0, axis1: (axis0 * 4 + axis1,)`, `R.call_tir(cls.remove_pad, (`, `"operator_name": "remove_pad"`, `{"operator_name": "relax.shift"}`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "def remove_pad"); n != 1 {
		t.Errorf("%d kernels cut off what is filled up", n)
	}
}

func TestAlterOpImplRefuses(t *testing.T) {
	text := shift(16, "float32", "4, 4")
	split := "lambda i: (i // 4, i % 4)"
	runPairs(t, transform.AlterOpImpl,
		pair{name: "no kernel of this name", before: text, args: (&ir.Attrs{}).With("op_impl_map", ir.NewAttrs("relax.shift", "none")), err: "op_impl_map: relax.shift is mapped to none, expected the name of a PrimFunc of the module"},
		pair{name: "a map for one buffer", before: text, args: implArgs(split), err: "op_buffer_transforms: relax.shift: got 1 index maps, expected one for each of the 2 buffers, or none"},
		pair{name: "no index map", before: text, args: implArgs("i // 4", split), err: `op_buffer_transforms: relax.shift: "i // 4" is no index map, expected a text like "lambda i: (i // 4, i % 4)"`},
		pair{name: "two elements at one place", before: text, args: implArgs(split, "lambda i: (i // 4, i // 8)"), err: "op_buffer_transforms: buffer 1 of relax.shift: " + "the index map is not known to be invertible on a tensor of this shape: expected one that gives each element a place of its own"},
		pair{name: "of an operator without a kernel", before: text, args: implArgs(split, split).With("op_buffer_transforms", ir.NewAttrs("relax.other", []ir.Value{split})), err: "op_buffer_transforms: relax.other has no entry in op_impl_map"},
		pair{name: "of no kernel", before: text, args: (&ir.Attrs{}).With("op_impl_map", ir.NewAttrs("relax.other", "other"))},
	)
}

// TestAlterOpImplWith gives a kernel that the module does not have.
func TestAlterOpImplWith(t *testing.T) {
	m := read(t, shift(8, "float32", "8,"))
	other := ir.MustLookup[*tir.PrimFunc](read(t, shift(8, "float32", "8,")), "other")
	out, _ := check(t, passtest.NewContext(), transform.AlterOpImplWith(map[string]transform.OpImpl{"relax.shift": {Func: other}}), m)
	if !strings.Contains(passtest.Text(out), "call_tir(cls.relax_shift_replacement") {
		t.Errorf("the kernel was not replaced:\n%s", passtest.Text(out))
	}
}
