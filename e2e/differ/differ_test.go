package differ

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
	"github.com/irscope/irscope/target"
)

// TestDiffer draws models of one node, and small graphs.
func TestDiffer(t *testing.T) {
	o := newORT(t)
	e := &engines{}
	t.Cleanup(func() { e.close(t) })
	counts := map[string]int{}
	names := operators()
	r := &recorder{}
	if os.Getenv("DIFFER_RECORD") != "" {
		t.Cleanup(func() { r.write(t, names) })
	}
	seed.Each(t, 1000, func(t *testing.T, rnd *rand.Rand) {
		d := newDraw(rnd)
		what := pick(d, names...)
		drawers[what](d)
		said, want := compare(t, d, o, e)
		if said == agrees {
			r.keep(d, what, d.begin().Bytes(), want)
		}
		counts[what+": "+said]++
		said, _, _ = strings.Cut(said, ":")
		counts["all: "+said]++
	})
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%6d  %s", counts[k], k)
	}
}

// operators are those that are drawn.
func operators() []string {
	if list := os.Getenv("DIFFER_OPS"); list != "" {
		return strings.Split(list, ",")
	}
	var out []string
	for name := range drawers {
		out = append(out, name)
	}
	slices.Sort(out)
	for range 9 { // graphs are more than one operator
		out = append(out, "images", "rows")
	}
	for range 3 {
		out = append(out, "mixed", "sizes", "control", "quantized")
	}
	return out
}

// engines have one and three threads. They keep code, so they are replaced at times.
type engines struct {
	of   [2]*runtime.Engine
	used int
}

func (e *engines) close(t *testing.T) {
	for i, x := range e.of {
		if x != nil {
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		}
		e.of[i] = nil
	}
}

func (e *engines) get(t *testing.T, d *draw) *runtime.Engine {
	if e.used++; e.used%200 == 0 {
		e.close(t)
	}
	i := d.IntN(2)
	if e.of[i] == nil {
		e.of[i] = compiler.NewEngineWith(compiler.EngineOptions{Threads: 1 + 2*i})
	}
	return e.of[i]
}

// agrees is what compare says where both compute the same.
const agrees = "agrees"

// compare runs a model in both. It says what became of it, with what ONNX Runtime computes of the first set of inputs.
func compare(t *testing.T, d *draw, o *ort, e *engines) (said string, first map[string]*tensor.Tensor) {
	t.Helper()
	model := d.begin().Bytes()
	if file := os.Getenv("DIFFER_KEEP"); file != "" {
		if err := os.WriteFile(file, model, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var want []map[string]*tensor.Tensor
	for _, args := range d.sets() {
		w, err := o.run(model, d.names, args)
		if err != nil {
			return "ONNX Runtime refuses: " + clip(err), nil
		}
		for _, w := range w {
			if w.Len() > 1<<22 {
				return "too large", nil
			}
		}
		want = append(want, w)
	}
	for range 2 * truth(d.more == nil) {
		args := d.resized()
		if args == nil {
			break
		}
		if w, err := o.run(model, d.names, args); err == nil {
			d.tried, want = append(d.tried, args), append(want, w)
		}
	}
	got, how, err := ours(t, d, model, e)
	if err != nil {
		var refused *refusal
		if errors.As(err, &refused) {
			if os.Getenv("DIFFER_SHOW") != "" {
				t.Logf("%s\nrefused: %v", d.text(), err)
			}
			return "refused: " + clip(err), nil
		}
		t.Errorf("fails, %s: %v\n%s", how, err, d.text())
		return "failed: " + clip(err), nil
	}
	for k, args := range append(d.sets(), d.tried...) {
		for i, out := range d.b.Model().Graph.Outputs {
			if got[k] == nil {
				continue
			}
			if wrong := d.differ(got[k][i], want[k][out.Name]); wrong != "" {
				d.args = args
				t.Errorf("differs, %s: set %d of inputs: output %d: %s\n%s", how, k, i, wrong, d.text())
				return "differs", nil
			}
		}
	}
	return agrees, want[0]
}

func clip(err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	if i := strings.Index(text, "Status Message: "); i >= 0 {
		text = text[i+len("Status Message: "):]
	}
	return text[:min(len(text), 150)]
}

// refusal is an error of the importer.
type refusal struct{ error }

// targets are those that models are compiled for, with the instructions of this machine, without some of them, and WebAssembly.
var targets = []string{"x86", "x86", "x86 -mattr=+avx2", "x86 -mattr=-avx512vnni", "wasm", "wasm"}

// ours compiles a model and runs it with each set of inputs, with settings that are drawn.
func ours(t *testing.T, d *draw, model []byte, e *engines) (out [][]*tensor.Tensor, how string, err error) {
	level := d.IntN(5)
	name := pick(d, targets...)
	how = fmt.Sprintf("opt_level %d, target %s", level, name)
	eng := e.get(t, d)
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("panic: %v", x)
		}
	}()
	pb, err := onnxpb.Read(model, onnxpb.Options{})
	if err != nil {
		return nil, how, &refusal{err}
	}
	mod, err := onnx.Import(t.Context(), pb, onnx.Options{})
	if err != nil {
		return nil, how, &refusal{err}
	}
	to, err := target.Parse(name)
	if err != nil {
		return nil, how, err
	}
	if strings.HasPrefix(name, "x86") {
		if to, err = compiler.ForMachine(to); err != nil {
			return nil, how, err
		}
	}
	res, err := compiler.Compile(t.Context(), compiler.Request{Module: mod, Target: to, OptLevel: &level})
	if err != nil {
		return nil, how, fmt.Errorf("compile: %w", err)
	}
	prog, err := res.Artifact.Open(t.Context(), eng, runtime.DeviceOptions{}, vm.Options{})
	if err != nil {
		return nil, how, fmt.Errorf("open: %w", err)
	}
	defer func() { err = errors.Join(err, prog.Close()) }()
	for k, args := range d.sets() {
		outs, err := prog.Run(t.Context(), "main", args...)
		if err != nil {
			d.args = args
			return nil, how, fmt.Errorf("run: set %d of inputs: %w", k, err)
		}
		out = append(out, outs)
	}
	for _, args := range d.tried {
		outs, err := prog.Run(t.Context(), "main", args...)
		if err != nil { // ONNX Runtime lets some things pass that operators' text does not
			outs = nil
		}
		out = append(out, outs)
	}
	return out, how, nil
}

// differ says how two results differ, if they do beyond the tolerance.
func (d *draw) differ(got, want *tensor.Tensor) string {
	if want == nil || got.DType != want.DType || !slices.Equal(got.Shape, want.Shape) {
		return fmt.Sprintf("%v, ONNX Runtime has %v", got, want)
	}
	tol := d.tol
	switch {
	case !want.DType.IsFloat():
		tol = tolerance{}
	case want.DType == dtype.Float16T:
		tol = tolerance{rel: max(tol.rel, 2e-3), ofMax: max(tol.ofMax, 2e-3), abs: 2e-3}
	}
	top := 0.0
	for i := range want.Len() {
		if a := math.Abs(want.Float(i)); a > top && !math.IsInf(a, 0) {
			top = a
		}
	}
	bad, near, text := 0, 0, "" // near are elements that differ by what a rounding on the way may change
	for i := range want.Len() {
		g, w := got.Float(i), want.Float(i)
		if math.IsNaN(g) && math.IsNaN(w) || g == w && (want.DType.IsFloat() || got.Int(i) == want.Int(i)) {
			continue
		}
		off := math.Abs(g - w)
		if want.DType.IsFloat() && off <= tol.rel*math.Abs(w)+tol.ofMax*top+tol.abs {
			continue
		}
		if d.loose && off <= 0.05*top {
			near++
			continue
		}
		if bad++; bad <= 3 {
			text += fmt.Sprintf("; element %d is %v, of ONNX Runtime %v", i, show(got, i), show(want, i))
		}
	}
	if bad == 0 && near == 0 || d.loose && bad*50 <= want.Len() && near*8 <= want.Len()+8 {
		return ""
	}
	return fmt.Sprintf("%v: %d elements differ%s; %d differ a little", want, bad, text, near)
}

func show(t *tensor.Tensor, i int) any {
	if t.DType.IsFloat() {
		return t.Float(i)
	}
	return t.Int(i)
}

// text shows a model and its inputs.
func (d *draw) text() string {
	var b strings.Builder
	g := d.b.Model().Graph
	fmt.Fprintf(&b, "operator set %d\n", d.opset)
	for i, in := range g.Inputs {
		fmt.Fprintf(&b, "  input %s %v = %s\n", in.Name, in.Type, elements(d.args[i]))
	}
	for _, c := range g.Initializers {
		fmt.Fprintf(&b, "  constant %s = %s\n", c.Name, constantText(&c))
	}
	for _, n := range g.Nodes {
		fmt.Fprintf(&b, "  %s = %s(%s)", strings.Join(n.Outputs, ", "), n.OpType, strings.Join(n.Inputs, ", "))
		for _, a := range n.Attributes {
			switch a.Type {
			case onnxpb.AttrInt:
				fmt.Fprintf(&b, " %s=%d", a.Name, a.I)
			case onnxpb.AttrInts:
				fmt.Fprintf(&b, " %s=%d", a.Name, a.Ints)
			case onnxpb.AttrFloat:
				fmt.Fprintf(&b, " %s=%g", a.Name, a.F)
			case onnxpb.AttrFloats:
				fmt.Fprintf(&b, " %s=%g", a.Name, a.Floats)
			case onnxpb.AttrString:
				fmt.Fprintf(&b, " %s=%s", a.Name, a.S)
			case onnxpb.AttrStrings:
				fmt.Fprintf(&b, " %s=%s", a.Name, a.Strings)
			case onnxpb.AttrTensor:
				fmt.Fprintf(&b, " %s=%s", a.Name, constantText(a.T))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func constantText(pb *onnxpb.Tensor) string {
	dt, err := pb.Type.DType()
	if err != nil {
		return err.Error()
	}
	t, err := tensor.FromBytes(dt, pb.Dims, pb.Unpacked())
	if err != nil {
		return err.Error()
	}
	return elements(t)
}

// elements are the first elements of a tensor.
func elements(t *tensor.Tensor) string {
	var list []string
	for i := range min(t.Len(), shown()) {
		list = append(list, fmt.Sprint(show(t, i)))
	}
	if t.Len() > shown() {
		list = append(list, "…")
	}
	return fmt.Sprintf("%v [%s]", t, strings.Join(list, " "))
}

// shown is how many elements of a tensor are printed: more where a single case is repeated.
func shown() int {
	if os.Getenv("IRSCOPE_CASE") != "" {
		return 100
	}
	return 10
}
