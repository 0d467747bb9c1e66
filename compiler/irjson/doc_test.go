package irjson_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/irjson"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// documented is the module of docs/nodes.md, which adds value.
func documented(value float32) *ir.Module {
	info := relax.TensorOf(dtype.Float32T, tir.NewVar("n", dtype.Int64T), tir.Int(4))
	x, gv := &relax.Var{Name: "x", SInfo: info}, &relax.Var{Name: "gv", SInfo: info}
	call := &relax.Call{Op: ir.NewOp("relax.add"), Args: []relax.Expr{x, &relax.Constant{Data: ir.Float32Blob(nil, value)}}, SInfo: info}
	blk := &relax.BindingBlock{Dataflow: true, Bindings: []relax.Binding{&relax.VarBinding{Var: gv, Value: call}}}
	return ir.NewModule().With("main", &relax.Function{
		Params: []*relax.Var{x}, Body: &relax.SeqExpr{Blocks: []*relax.BindingBlock{blk}, Body: gv}, Ret: info, Pure: true,
		Attrs: ir.NewAttrs(ir.AttrGlobalSymbol, "main"),
	})
}

// docBlocks returns the code blocks of the page by what stands after the fence.
func docBlocks(t *testing.T) map[string]string {
	text, err := os.ReadFile("../../docs/nodes.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, m := range regexp.MustCompile("(?s)```([a-z ]+)\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		out[m[1]] = m[2]
	}
	return out
}

func lines(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") }

func TestDocs(t *testing.T) {
	blocks, m := docBlocks(t), documented(1)
	if got := script.Module(m, script.Options{}).Source; !strings.HasSuffix(got, blocks["python module"]) {
		t.Errorf("the module is printed as\n%s", got)
	}
	at := func(path string) (any, error) {
		p, err := ir.ParsePath(path)
		if err != nil {
			return nil, err
		}
		return ir.At(m, p)
	}
	for _, l := range lines(blocks["paths"]) {
		f := strings.Fields(l)
		v, err := at(f[0])
		got := fmt.Sprint(v)
		if n, ok := v.(ir.Node); ok {
			got = ir.TypeName(n)
		}
		if err != nil || got != f[1] {
			t.Errorf("%s is %s, %v, the page says %s", f[0], got, err, f[1])
		}
	}
	for l := lines(blocks["errors"]); len(l) > 1; l = l[2:] {
		if _, err := at(l[0]); err == nil || err.Error() != l[1] {
			t.Errorf("%s: %v", l[0], err)
		}
	}
	if d := ir.FirstModuleMismatch(m, documented(2), ir.EqualOpts{}); d == nil || d.String()+"\n" != blocks["mismatch"] {
		t.Errorf("the difference is %v", d)
	}
	c, err := at(`functions["main"].body.blocks[0].bindings[0].value.args[1]`)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(save(t, c, irjson.Base64)); got != blocks["json"] {
		t.Errorf("the constant is saved as\n%s", got)
	}
	if _, ok := load(t, []byte(blocks["json"])).(*relax.Constant); !ok {
		t.Error("the JSON of the page is not read as a constant")
	}
}
