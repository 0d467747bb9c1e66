package execute

import (
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/relax/opeval"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/runtime/tensor"
)

// evaluation is an operator with its attributes and the type of its result, and the hash of its arguments.
type evaluation struct {
	call string
	args uint64
}

// evaluate computes an operator by its definition: it is a graphrun.Options.Operator. Results are kept as those of kernels are.
func (r *Runner) evaluate(c *relax.Call, args []graphrun.Value, out *tensor.Tensor) (bool, error) {
	if !opeval.Known(c) {
		return false, nil
	}
	name := c.Op.(*ir.Op).Name
	if !slices.Contains(r.kernels.how.Evaluated, name) {
		r.kernels.how.Evaluated = append(r.kernels.how.Evaluated, name)
		slices.Sort(r.kernels.how.Evaluated)
	}
	key := r.evaluation(c, args, out)
	if data, ok := r.evaluated.get(key); ok {
		copy(out.Data, data)
		return true, nil
	}
	err := opeval.Eval(c, args, out)
	if err == nil {
		r.evaluated.put(key, slices.Clone(out.Data), int64(len(out.Data)))
	}
	return true, err
}

func (r *Runner) evaluation(c *relax.Call, args []graphrun.Value, out *tensor.Tensor) evaluation {
	var h maphash.Hash
	h.SetSeed(r.kernels.seed)
	for _, a := range args {
		for _, t := range graphrun.Tensors(a) {
			fmt.Fprintf(&h, "%v", t) // its type and shape
			_, _ = h.Write(t.Data)   // does not fail
		}
		if s, ok := a.(graphrun.Shape); ok {
			fmt.Fprintf(&h, "%v", s)
		}
	}
	call := fmt.Sprintf("%s %v", c.Op.(*ir.Op).Name, out)
	for i := range c.Attrs.Len() {
		name, v := c.Attrs.At(i)
		call += fmt.Sprintf(" %s=%v", name, v)
	}
	return evaluation{call, h.Sum64()}
}

// legalize returns m with kernels in place of the operators that evaluate does not compute: an operator that it does not know in one of its calls is lowered in all of them.
// What became of a module is kept.
func (r *Runner) legalize(ctx context.Context, m *ir.Module) (*ir.Module, error) {
	if out, ok := r.legalized.get(m); ok {
		return out, nil
	}
	known := map[string]bool{}
	for _, fn := range m.Funcs() {
		f, ok := fn.(*relax.Function)
		if !ok {
			continue
		}
		ir.Walk(f, func(n ir.Node) bool {
			if c, ok := n.(*relax.Call); ok {
				if o, ok := c.Op.(*ir.Op); ok {
					before, seen := known[o.Name]
					known[o.Name] = opeval.Known(c) && (before || !seen)
				}
			}
			return true
		})
	}
	skip := []ir.Value{}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if known[name] {
			skip = append(skip, name)
		}
	}
	lower, err := transform.LegalizeOps.With(ir.NewAttrs("skip_ops", skip, "kernels", "tuned")) // exact ones
	if err != nil {
		return nil, err
	}
	c, err := compiler.Request{Module: m, Target: r.Target}.Context(ctx)
	if err != nil {
		return nil, err
	}
	out, err := c.Run(pass.NewSequential("kernels", transform.DecomposeOps, lower), m)
	if err != nil {
		return nil, err
	}
	r.legalized.put(m, out, 1)
	return out, nil
}
