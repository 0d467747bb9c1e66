package pass_test

import (
	"context"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
)

// TestRegister runs passes that require others which a program made known, where these are not disabled, and refuses a name that is taken.
func TestRegister(t *testing.T) {
	var ran []string
	make := func(name string, required ...string) *pass.Pass {
		return &pass.Pass{Name: name, Kind: pass.Module, Required: required, Run: func(_ *pass.Context, m *ir.Module) (*ir.Module, error) {
			ran = append(ran, name)
			return m, nil
		}}
	}
	a, b := make("First"), make("Second", "First")
	reg, err := pass.Register(nil, a)
	if err != nil {
		t.Fatal(err)
	}
	if reg, err = pass.Register(reg, b); err != nil {
		t.Fatal(err)
	}
	if _, err := pass.Register(reg, make("First")); err == nil || !strings.Contains(err.Error(), "there is a pass First already") {
		t.Errorf("error %v", err)
	}
	if reg.Lookup("Second") != b || reg.Lookup("Third") != nil || reg.Nearest("Secnd") != "Second" || reg.Nearest("Frst") != "First" {
		t.Error("passes are not found")
	}
	c, err := pass.NewContext(context.Background(), pass.WithRegistry(reg))
	if err != nil {
		t.Fatal(err)
	}
	seq := &pass.Pass{Name: "seq", Kind: pass.Sequential, Children: []*pass.Pass{b}}
	if _, err := c.Run(seq, ir.NewModule()); err != nil || strings.Join(ran, " ") != "First Second" {
		t.Errorf("ran %v, %v", ran, err)
	}
}
