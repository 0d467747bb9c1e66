package transform

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
)

// ruleAlterImpl is the name of the rule of AlterOpImpl.
const ruleAlterImpl = "call another kernel for the operator"

// AlterOpImpl puts other kernels in the place of those that say which operator they compute, and brings tensors into the layouts that they want.
var AlterOpImpl = &pass.Pass{
	Name: "AlterOpImpl", Kind: pass.Module,
	Doc: "Calls the kernels of op_impl_map in place of those with the attribute operator_name, which is the key. Where op_buffer_transforms has index maps for the buffers of such a kernel, its inputs come through layout_transform and its outputs go back through the inverse; what the maps fill up is cut off again by the kernel remove_pad.",
	Options: []pass.Option{
		{Name: "op_impl_map", Default: &ir.Attrs{}, Doc: `by the operator_name of a kernel the name of the PrimFunc of the module to call in its place, e.g. {"relax.relu": "relu_2d"}`},
		{Name: "op_buffer_transforms", Default: &ir.Attrs{}, Doc: `by operator_name the index maps of all buffers, inputs first, "" for a buffer that stays, e.g. {"relax.relu": ["lambda i: (i // 4, i % 4)", ""]}`},
		{Name: "op_buffer_axis_separators", Default: &ir.Attrs{}, Doc: `by operator_name the axis separators of each buffer, e.g. {"relax.relu": [[1], [1]]}`},
		{Name: "op_buffer_input_axis_separators", Default: &ir.Attrs{}, Doc: "by operator_name the axis separators that each buffer has before the map"},
	},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		impls, err := opImpls(c, m)
		if err != nil {
			return nil, err
		}
		return alterOpImpl(c, m, impls)
	},
}

// OpImpl is a kernel that takes the place of others.
type OpImpl struct {
	Func *tir.PrimFunc
	// Transforms are the index maps of the buffers, inputs first, nil for one that stays; none if all stay.
	Transforms []*tir.IndexMap
	// Separators and InputSeparators are those of the buffers behind and before the maps, or nil.
	Separators, InputSeparators [][]int64
}

// AlterOpImplWith is AlterOpImpl with kernels by the operator_name of those whose place they take. A program may make the kernels itself.
func AlterOpImplWith(impls map[string]OpImpl) *pass.Pass {
	p := *AlterOpImpl
	p.Options, p.Foreign = nil, true
	p.Run = func(c *pass.Context, m *ir.Module) (*ir.Module, error) { return alterOpImpl(c, m, impls) }
	return &p
}

// opImpls reads the options.
func opImpls(c *pass.Context, m *ir.Module) (map[string]OpImpl, error) {
	names := c.Arg("op_impl_map").(*ir.Attrs)
	out := map[string]OpImpl{}
	for i := range names.Len() {
		key, v := names.At(i)
		name, _ := v.(string)
		f, ok := m.Lookup(name).(*tir.PrimFunc)
		if !ok {
			return nil, fmt.Errorf("op_impl_map: %s is mapped to %v, expected the name of a PrimFunc of the module", key, v)
		}
		out[key] = OpImpl{Func: f}
	}
	fill := func(option string, set func(impl *OpImpl, list []ir.Value) error) error {
		attrs := c.Arg(option).(*ir.Attrs)
		for i := range attrs.Len() {
			key, v := attrs.At(i)
			impl, ok := out[key]
			if !ok {
				return fmt.Errorf("%s: %s has no entry in op_impl_map", option, key)
			}
			list, ok := v.([]ir.Value)
			if !ok && v != nil {
				return fmt.Errorf("%s: %s: got %v, expected a list with an entry for each buffer", option, key, v)
			}
			if err := set(&impl, list); err != nil {
				return fmt.Errorf("%s: %s: %w", option, key, err)
			}
			out[key] = impl
		}
		return nil
	}
	err := fill("op_buffer_transforms", func(impl *OpImpl, list []ir.Value) error {
		for _, v := range list {
			im, err := readIndexMap(v)
			if err != nil {
				return err
			}
			impl.Transforms = append(impl.Transforms, im)
		}
		return nil
	})
	if err == nil {
		err = fill("op_buffer_axis_separators", func(impl *OpImpl, list []ir.Value) (err error) {
			impl.Separators, err = readSeparators(list)
			return err
		})
	}
	if err == nil {
		err = fill("op_buffer_input_axis_separators", func(impl *OpImpl, list []ir.Value) (err error) {
			impl.InputSeparators, err = readSeparators(list)
			return err
		})
	}
	return out, err
}

// readIndexMap reads a lambda as T.index_map takes it, nil for "" and None.
func readIndexMap(v ir.Value) (*tir.IndexMap, error) {
	text, ok := v.(string)
	if v == nil || ok && text == "" {
		return nil, nil
	}
	if !ok || strings.ContainsAny(text, "\n#") {
		return nil, fmt.Errorf(`%v is no index map, expected a text like "lambda i: (i // 4, i %% 4)"`, v)
	}
	m, problems := parse.Module("index map", "@R.function\ndef main(x: R.Tensor()):\n    y = R.layout_transform(x, index_map=T.index_map("+text+"))\n    return y\n", parse.Options{})
	if m == nil || len(problems) > 0 {
		return nil, fmt.Errorf(`%q is no index map, expected a text like "lambda i: (i // 4, i %% 4)"`, text)
	}
	var found *tir.IndexMap
	ir.Walk(m.Lookup("main").(*relax.Function), func(n ir.Node) bool {
		if call, ok := n.(*relax.Call); ok {
			found, _ = mapOf(call)
		}
		return found == nil
	})
	return found, nil
}

// readSeparators reads a list of lists of numbers.
func readSeparators(list []ir.Value) ([][]int64, error) {
	var out [][]int64
	for _, v := range list {
		one := []int64{}
		values, ok := v.([]ir.Value)
		for _, x := range values {
			n, number := x.(int64)
			one, ok = append(one, n), ok && number
		}
		if v != nil && !ok {
			return nil, fmt.Errorf("got %v, expected a list of numbers for each buffer", v)
		}
		out = append(out, one)
	}
	return out, nil
}
