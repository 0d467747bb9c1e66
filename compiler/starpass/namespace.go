package starpass

import (
	"errors"

	"go.starlark.net/starlark"
)

// nameModule is a module of names, such as tvm.relax. Some hold each other, and none ever changes.
type nameModule struct {
	name    string
	members starlark.StringDict
}

var _ starlark.HasAttrs = (*nameModule)(nil)

func namespace(name string, members starlark.StringDict) starlark.Value {
	return &nameModule{name: name, members: members}
}

func (m *nameModule) String() string      { return "<module " + m.name + ">" }
func (*nameModule) Type() string          { return "module" }
func (*nameModule) Freeze()               {}
func (*nameModule) Truth() starlark.Bool  { return true }
func (*nameModule) Hash() (uint32, error) { return 0, errors.New("a module cannot be a key") }

// AttrNames returns the names of the members.
func (m *nameModule) AttrNames() []string { return sortedKeys(m.members) }

// Attr returns a member.
func (m *nameModule) Attr(name string) (starlark.Value, error) { return m.members[name], nil }
