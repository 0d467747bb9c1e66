package tensorintrin

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
)

// row is an intrinsic: the texts of the two functions.
type row struct{ desc, impl string }

// table returns what reads each intrinsic when it is first needed, by name.
var table = sync.OnceValue(func() map[string]func() *sch.TensorIntrin {
	out := map[string]func() *sch.TensorIntrin{}
	for _, group := range []map[string]row{dotProducts(), dp4as(), hexagons(), ldmatrices(), mmas(), mmaStores(), mma8s(), wmmas(), simdgroups()} {
		for name, r := range group {
			out[name] = sync.OnceValue(func() *sch.TensorIntrin {
				t, err := r.read()
				if err != nil {
					panic(fmt.Sprintf("tensorintrin: %s: %v\n%s\n%s", name, err, r.desc, r.impl)) // the texts are ours
				}
				return t
			})
		}
	}
	return out
})

// Names returns the names of all intrinsics in order.
func Names() []string {
	var out []string
	for name := range table() {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Lookup returns the intrinsic of a name, and an error in TVM's words if there is none.
func Lookup(name string) (*sch.TensorIntrin, error) {
	f := table()[name]
	if f == nil {
		return nil, fmt.Errorf("ValueError: TensorIntrin '%s' is not registered", name)
	}
	return f(), nil
}

func (r row) read() (*sch.TensorIntrin, error) {
	desc, err := function(r.desc)
	if err != nil {
		return nil, fmt.Errorf("the description: %w", err)
	}
	impl, err := function(r.impl)
	if err != nil {
		return nil, fmt.Errorf("the implementation: %w", err)
	}
	return sch.NewTensorIntrin(desc, impl)
}

func function(text string) (*tir.PrimFunc, error) {
	m, found := parse.Module("intrinsic", "from tvm.script import tir as T\n\n"+text, parse.Options{})
	if len(found) > 0 {
		return nil, fmt.Errorf("%s", found[0].Message)
	}
	for _, f := range m.Funcs() {
		if p, ok := f.(*tir.PrimFunc); ok {
			return p, nil
		}
	}
	return nil, fmt.Errorf("no PrimFunc")
}

// fill puts values in the place of names in braces.
func fill(text string, pairs ...any) string {
	list := make([]string, 0, len(pairs))
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, "{"+pairs[i].(string)+"}", fmt.Sprint(pairs[i+1]))
	}
	return strings.NewReplacer(list...).Replace(text)
}
