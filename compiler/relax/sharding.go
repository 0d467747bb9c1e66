package relax

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
)

// DeviceMesh is an arrangement of devices in a grid of the given shape, a global info of the module. IDs
// are their numbers in row-major order; Ranged says that they follow one another and are written as a range.
type DeviceMesh struct {
	ir.Base
	Shape  []int64
	IDs    []int64
	Ranged bool
}

// EachChild has nothing to visit.
func (*DeviceMesh) EachChild(func(ir.Node)) {}

// Sharding says where the parts of a distributed tensor are (TVM's DTensorStructInfo): for each
// dimension of the mesh the axis of the tensor that is split over it, or Replica.
type Sharding struct {
	ir.Base
	Mesh      *DeviceMesh
	Placement []int64
}

// Replica in a placement says that all devices along a dimension of the mesh hold the same.
const Replica = -1

// EachChild visits the mesh.
func (s *Sharding) EachChild(f func(ir.Node)) {
	if s.Mesh != nil {
		f(s.Mesh)
	}
}

// PlacementText writes a placement as TVM does: "S[0], R".
func PlacementText(placement []int64) string {
	var out strings.Builder
	for i, axis := range placement {
		if i > 0 {
			out.WriteString(", ")
		}
		if axis == Replica {
			out.WriteString("R")
		} else {
			out.WriteString("S[" + strconv.FormatInt(axis, 10) + "]")
		}
	}
	return out.String()
}

// ParsePlacement reads what PlacementText writes; blanks do not matter.
func ParsePlacement(text string) ([]int64, error) {
	out := []int64{}
	if strings.TrimSpace(text) == "" {
		return out, nil
	}
	for _, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		if part == "R" {
			out = append(out, Replica)
			continue
		}
		number, ok := strings.CutPrefix(part, "S[")
		number, closed := strings.CutSuffix(number, "]")
		axis, err := strconv.ParseInt(strings.TrimSpace(number), 10, 32)
		if !ok || !closed || err != nil || axis < 0 {
			return nil, fmt.Errorf(`%q is no placement: expected "R" or "S[axis]" for each dimension of the mesh, such as "S[0], R"`, text)
		}
		out = append(out, axis)
	}
	return out, nil
}

// Check reports what is wrong with a mesh: each place of the grid needs one device.
func (m *DeviceMesh) Check() error {
	places := int64(1)
	for _, n := range m.Shape {
		if n < 1 || places > int64(len(m.IDs)) {
			places = -1
			break
		}
		places *= n
	}
	if places != int64(len(m.IDs)) {
		return fmt.Errorf("a device mesh of shape %s holds %d devices: expected one for each place of the grid", FormatDims(Ints(m.Shape)), len(m.IDs))
	}
	return nil
}

// Check reports what is wrong with s as the sharding of a tensor of ndim dimensions, -1 for unknown. A
// mesh without dimensions is that of a tensor which is not placed yet.
func (s *Sharding) Check(ndim int) error {
	if s.Mesh == nil {
		return fmt.Errorf("a distributed tensor needs a device mesh")
	}
	if err := s.Mesh.Check(); err != nil {
		return err
	}
	if len(s.Placement) != len(s.Mesh.Shape) {
		return fmt.Errorf("placement %q has %d entries: expected %d, one for each dimension of the mesh", PlacementText(s.Placement), len(s.Placement), len(s.Mesh.Shape))
	}
	for _, axis := range s.Placement {
		if ndim >= 0 && axis >= int64(ndim) {
			return fmt.Errorf("placement %q splits axis %d of a tensor of %d dimensions", PlacementText(s.Placement), axis, ndim)
		}
	}
	return nil
}

// sameSharding says whether a tensor of sharding d is one of sharding base; nil is that of which nothing
// is known.
func sameSharding(base, d *Sharding) Truth {
	switch {
	case base == nil || base == d:
		return True
	case d == nil:
		return Unknown
	}
	return truthOf(ir.StructuralEqual(base, d, ir.EqualOpts{}))
}

// BroadcastSharding returns the sharding of a result of ndim dimensions that is computed element by
// element from tensors, aligned at their last axes: an axis is split as it is in each operand that
// extends along it. It is nil where an operand is not distributed or where they disagree.
func BroadcastSharding(ndim int, from []*TensorStructInfo) *Sharding {
	var out *Sharding
	for _, t := range from {
		s := t.Sharding
		if s == nil || s.Mesh == nil || t.NDim < 0 || len(s.Placement) != len(s.Mesh.Shape) {
			return nil
		}
		if out == nil {
			out = &Sharding{Mesh: s.Mesh, Placement: make([]int64, len(s.Placement))}
			for i := range out.Placement {
				out.Placement[i] = Replica
			}
		}
		if out.Mesh != s.Mesh && !ir.StructuralEqual(out.Mesh, s.Mesh, ir.EqualOpts{}) {
			return nil
		}
		for i, axis := range s.Placement {
			if axis == Replica {
				continue
			}
			axis += int64(ndim - t.NDim)
			if out.Placement[i] != Replica && out.Placement[i] != axis {
				return nil
			}
			out.Placement[i] = axis
		}
	}
	return out
}
