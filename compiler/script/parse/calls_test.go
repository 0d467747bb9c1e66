package parse_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
)

// TestCallsWithAnyArguments calls every name of the dialects with arguments that it may not
// expect, where it may not stand: each is read, or refused with an error of the reader's own.
func TestCallsWithAnyArguments(t *testing.T) {
	if testing.Short() {
		t.Skip("some 40,000 texts")
	}
	names := strings.Fields(`I.vdevice I.Range I.GlobalVar I.module_attrs I.module_global_infos len int float bool range
		x.astype x.shape A.vload A.vstore A.access_ptr A.scope A.data n.astype T.axis.spatial T.axis.remap T.axis.reduce T.axis.scan
		T.block T.sblock T.init T.grid T.serial T.parallel T.thread_binding T.Buffer T.alloc_buffer T.decl_buffer T.match_buffer
		T.func_attr T.reads T.writes T.where T.block_attr T.evaluate T.buffer_store T.attr T.launch_thread T.env_thread T.allocate
		T.allocate_const T.realize T.Assert T.LetStmt T.Cast T.cast T.Select T.Ramp T.Broadcast T.Shuffle T.Let T.abs T.ceildiv
		T.min_value T.IntImm T.FloatImm T.StringImm T.Var T.meta_var T.type_annotation T.iter_var T.comm_reducer T.reduce T.index_map
		T.target T.call_intrin T.BufferLoad T.BufferRegion T.int32 T.handle T.isfinite T.void R.Tensor R.Shape R.Tuple R.Prim R.Callable
		R.const R.shape R.prim_value R.str R.dtype R.tuple R.TupleGetItem R.ExternFunc R.match_cast R.emit R.emit_with_sinfo R.linear
		R.device R.call_packed R.dataflow R.output R.func_attr R.nn.relu6`)
	for _, o := range append(op.All(), op.Relay()...) {
		names = append(names, "R."+strings.TrimPrefix(o.Name, "relax."))
	}
	for _, o := range tir.Builtins() {
		names = append(names, "T."+strings.TrimPrefix(o, "tir."))
	}
	args := []string{
		"", "None", "1", `"x"`, "A", "x, 1", "()", "[1], [2]", "lambda i: i", "A[0:4], 1", "T.handle", "{}", "1, 2, 3", "*[1, 2]", "dtype=1",
		`"float32", n`, `"float32", "tir.exp", n`, "x, x, x, x, x",
	}
	places := []string{
		"@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\"), n: T.int32):\n    with T.block():\n        y = #\n",
		"@R.function\ndef f(x: R.Tensor((4,), \"int32\"), A: R.Object, n: R.Prim(\"int64\")):\n    y = #\n    return x\n",
		"@R.function\ndef f(x: #):\n    return x\n",
		"@T.prim_func\ndef f(x: #):\n    for i in #:\n        T.evaluate(i)\n",
		"@I.ir_module\nclass M:\n    #\n    z = #\n    @T.prim_func\n    def f():\n        T.evaluate(0)\n",
	}
	for _, name := range names {
		for _, a := range args {
			for _, place := range places {
				text := strings.ReplaceAll(place, "#", name+"("+a+")")
				_, diags := parse.File("call.py", text, parse.Options{})
				for _, d := range diags {
					if strings.Contains(d.Message, "runtime error") {
						t.Errorf("%s\nin\n%s", d.Format(), text)
					}
				}
			}
		}
	}
}
