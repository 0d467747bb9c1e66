package op

import (
	"slices"
	"sort"
	"sync"

	"github.com/irscope/irscope/compiler/ir"
)

// all returns the operator table: the families in the order of TVM's documentation.
var all = sync.OnceValue(func() []*Op {
	return number(slices.Concat(
		unaryOps(),
		binaryOps(),
		linearAlgebraOps(),
		convOps(),
		poolOps(),
		statisticalOps(),
		manipulateOps(),
		gatherOps(),
		indexOps(),
		createOps(),
		sortOps(),
		nnOps(),
		normOps(),
		attentionOps(),
		recurrentOps(),
		imageOps(),
		visionOps(),
		advancedOps(),
		quantizeOps(),
		trainingOps(),
		coreOps(),
		otherCalls(),
		memoryOps(),
		inspectOps(),
		collectiveOps(),
		distributedOps(),
	))
})

// relays returns the operators that only Relay has.
var relays = sync.OnceValue(func() []*Op { return number(relayOps()) })

// byName returns the operators by name, those of Relay too.
var byName = sync.OnceValue(func() map[string]*Op { return index(slices.Concat(all(), relays())) })

// number gives each operator what its calls share, the node that they call and the defaults, and what tables by name say of it.
func number(ops []*Op) []*Op {
	addLayoutRules(ops)
	addPrecision(ops)
	for _, o := range ops {
		o.ref = ir.NewOp(o.Name)
		for i := range o.Attrs {
			if a := &o.Attrs[i]; !a.Required {
				o.defaults = o.defaults.With(a.Name, a.Default)
			}
		}
	}
	return ops
}

func index(ops []*Op) map[string]*Op {
	out := make(map[string]*Op, len(ops))
	for _, o := range ops {
		if out[o.Name] != nil {
			panic("op: " + o.Name + " is in the table twice")
		}
		out[o.Name] = o
	}
	return out
}

// All returns the operators in the order of the table. The caller must not change them.
func All() []*Op { return slices.Clone(all()) }

// Relay returns the operators of Relay that Relax says otherwise. They are read, inferred, verified and printed; code is made of what
// relay.ToRelax writes them with. The caller must not change them.
func Relay() []*Op { return slices.Clone(relays()) }

// Lookup returns the operator of that full name ("relax.nn.conv2d"), one of Relay too, nil
// if there is none.
func Lookup(name string) *Op { return byName()[name] }

// Names returns the full names of all operators in alphabetical order.
func Names() []string {
	out := make([]string, len(all()))
	for i, o := range all() {
		out[i] = o.Name
	}
	sort.Strings(out)
	return out
}
