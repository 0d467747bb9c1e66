package transform

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// infoVDevice is the key of a module's devices among its global infos.
const infoVDevice = "vdevice"

// vdevicesOf returns the virtual devices of a module.
func vdevicesOf(m *ir.Module) ([]*relax.VDevice, error) {
	var out []*relax.VDevice
	for i, n := range m.GlobalInfos()[infoVDevice] {
		d, ok := n.(*relax.VDevice)
		if !ok {
			return nil, fmt.Errorf("global info %d of %q is a %T, want a virtual device", i, infoVDevice, n)
		}
		out = append(out, d)
	}
	return out, nil
}

// sameDevice reports whether two devices are one, nil being none.
func sameDevice(a, b *relax.VDevice) bool {
	return a == b || a != nil && b != nil && a.Target == b.Target && a.ID == b.ID && a.Scope == b.Scope
}

// dlpackKinds are the kinds of devices by the numbers of DLPack, as hint_on_device has them, with the kinds of targets that run on them.
var dlpackKinds = map[string]int64{
	"llvm": 1, "c": 1, "cpu": 1, "wasm": 1, "x86": 1, "interp": 1, "hybrid": 1, "stackvm": 1, "ext_dev": 12,
	"cuda": 2, "nvptx": 2, "opencl": 4, "vulkan": 7, "metal": 8, "rocm": 10, "webgpu": 15, "hexagon": 16,
}

// deviceKind returns the kind of device that a target runs on, 0 if it is not known.
func deviceKind(target string) int64 {
	name, _, _ := strings.Cut(strings.TrimSpace(target), " ")
	if strings.HasPrefix(name, "{") {
		var fields struct{ Kind string }
		if json.Unmarshal([]byte(target), &fields) != nil {
			return 0
		}
		name = fields.Kind
	}
	return dlpackKinds[name]
}

// hintedDevice returns the device of the module that a hint_on_device names.
func hintedDevice(devices []*relax.VDevice, c *relax.Call) (*relax.VDevice, error) {
	kind, index, scope := c.Attrs.Int("device_type", 0), c.Attrs.Int("index", 0), c.Attrs.Str("memory_scope", "global")
	for _, d := range devices {
		if deviceKind(d.Target) == kind && int64(d.ID) == index && d.Scope == scope {
			return d, nil
		}
	}
	return nil, fmt.Errorf("hint_on_device asks for device %d of DLPack's kind %d with memory scope %q, which the module's %d virtual devices lack: list it in I.module_global_infos", index, kind, scope, len(devices))
}

// mapDevices returns s with the devices of tensors mapped by f, which gets the place of a tensor in tuples: "1/0/" is field 0 of field 1.
func mapDevices(s relax.StructInfo, path string, f func(path string, t *relax.TensorStructInfo) *relax.VDevice) relax.StructInfo {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		if d := f(path, s); !sameDevice(d, s.VDevice) {
			return s.WithVDevice(d)
		}
	case *relax.TupleStructInfo:
		var fields []relax.StructInfo
		for i, x := range s.Fields {
			if to := mapDevices(x, fmt.Sprintf("%s%d/", path, i), f); to != x {
				if fields == nil {
					fields = slices.Clone(s.Fields)
				}
				fields[i] = to
			}
		}
		if fields != nil {
			return &relax.TupleStructInfo{Base: s.Base, Fields: fields}
		}
	}
	return s
}

// deviceMutator returns a mutator that gives the tensors of variables the devices that device says, and those of what calls say of their results.
func deviceMutator(m *ir.Module, device func(v *relax.Var, path string, t *relax.TensorStructInfo) *relax.VDevice) *relax.ExprMutator {
	mu := op.NewExprMutator(m)
	info := func(v *relax.Var, s relax.StructInfo) relax.StructInfo {
		return mapDevices(s, "", func(path string, t *relax.TensorStructInfo) *relax.VDevice { return device(v, path, t) })
	}
	conditional := map[*relax.Var]bool{} // is on a device if both branches are
	mu.VarDef = func(v *relax.Var) *relax.Var {
		if v.SInfo == nil || conditional[v] {
			return v
		}
		return v.WithSInfo(info(v, v.SInfo))
	}
	mu.Binding = func(b relax.Binding) {
		switch x := b.(type) {
		case *relax.MatchCast:
			b = x.WithSInfo(info(x.Var, x.SInfo))
		case *relax.VarBinding:
			_, conditional[x.Var] = x.Value.(*relax.If)
			if c, ok := x.Value.(*relax.Call); ok && len(c.SInfoArgs) == 1 && relax.EqualSInfo(c.SInfoArgs[0], x.Var.SInfo) {
				if to := info(x.Var, c.SInfoArgs[0]); to != c.SInfoArgs[0] {
					call := *c
					call.SInfoArgs, call.SInfo = []relax.StructInfo{to}, nil
					b = x.WithValue(&call)
				}
			}
		}
		mu.VisitBinding(b)
	}
	return mu
}
