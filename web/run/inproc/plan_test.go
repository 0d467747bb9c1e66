package inproc_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/web/catalog"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
)

// plan plans settings and fails the test where that fails.
func plan(t *testing.T, s run.Settings) run.Planned {
	t.Helper()
	got, err := inproc.New(inproc.Config{}).Plan(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestPlan(t *testing.T) {
	whole := plan(t, run.Settings{OptLevel: 2})
	if len(whole.Warnings)+len(whole.Problems) > 0 || whole.Steps[0].Step != "1/default" || len(whole.Steps) < 40 {
		t.Errorf("the default pipeline is planned as %+v", whole)
	}
	named := plan(t, run.Settings{OptLevel: 2, Steps: []run.Step{{Name: "LegalizeOps"}, {Name: "user.Twice"}, {Name: "tir"}}, Scripts: []run.Script{{Name: "s.star", Source: twice}}})
	if len(named.Problems) > 0 || named.Steps[2].Step != "1.2/user.Twice" || named.Steps[3].Step != "1.3/tir" || named.Steps[4].Step != "1.3.1/tir.BindTarget" {
		t.Errorf("steps by name are planned as %+v", named)
	}
	order := plan(t, run.Settings{OptLevel: 2, Steps: []run.Step{{Name: "LegalizeOps"}, {Name: "AnnotateTIROpPattern"}, {Name: "mine", Steps: []run.Step{{Name: "FuseTIR"}}}, {Name: "FuseOps"}}})
	if len(order.Warnings) != 1 || order.Warnings[0].Step != "1.3.1/FuseTIR" || order.Warnings[0].Other != "1.4/FuseOps" || !strings.Contains(order.Warnings[0].Message, "move FuseOps before FuseTIR") {
		t.Errorf("FuseTIR before FuseOps gives %+v", order.Warnings)
	}
	off := plan(t, run.Settings{OptLevel: 2, Disabled: []string{"ToNonDataflow"}})
	if len(off.Warnings) != 1 || !strings.HasSuffix(off.Warnings[0].Step, "/CallTIRRewrite") || off.Warnings[0].Other != "" {
		t.Errorf("without ToNonDataflow the warnings are %+v", off.Warnings)
	}
}

// TestPlanNamesErrors checks that each error says where it is, in the words of the compiler.
func TestPlanNamesErrors(t *testing.T) {
	got := plan(t, run.Settings{
		Steps: []run.Step{
			{Name: "mine", Steps: []run.Step{{Name: "FuseOps", Options: map[string]any{"fuse_opt_level": "two", "speed": 1.0}}}},
			{Name: "tir.NarrowDataType", Options: map[string]any{"target_bits": 8.0}},
			{Name: "FuseOp"},
		},
		Config:   map[string]any{"relax.transform.apply_legalize_ops": 7.0, "tir.UnrollLoop": map[string]any{"depth": 1.0}},
		Required: []string{"Nothing", "mine"}, Target: "avr",
	})
	if len(got.Steps) > 0 {
		t.Errorf("a pipeline with errors has the steps %+v", got.Steps)
	}
	for _, want := range []run.Problem{
		{Message: `target: unknown target kind "avr"`},
		{Pass: "Nothing", Message: `unknown pass "Nothing"`},
		{Step: "1.1.1", Option: "fuse_opt_level", Message: `option fuse_opt_level of pass FuseOps needs a value of type int, got "two"`},
		{Step: "1.1.1", Option: "speed", Message: `pass FuseOps has no option "speed"; it has fuse_opt_level`},
		{Step: "1.2", Option: "target_bits", Message: "option target_bits of pass tir.NarrowDataType is 8, expected 16 or 32"},
		{Step: "1.3", Message: `unknown pass "FuseOp"; did you mean "FuseOps"?`},
		{Config: "relax.transform.apply_legalize_ops", Message: "needs a value of type bool, got 7"},
		{Config: "tir.UnrollLoop", Message: "depth"},
	} {
		if !slices.ContainsFunc(got.Problems, func(m run.Problem) bool {
			where := m
			where.Message = want.Message
			return where == want && strings.Contains(m.Message, want.Message)
		}) {
			t.Errorf("%+v is missing", want)
		}
	}
	if len(got.Problems) != 8 {
		t.Errorf("there are %d errors, want 8: %+v", len(got.Problems), got.Problems)
	}
	broken := plan(t, run.Settings{Scripts: []run.Script{{Name: "s.star", Source: "x = nothing"}}})
	if len(broken.Problems) != 1 || !strings.Contains(broken.Problems[0].Message, "nothing") {
		t.Errorf("a broken script gives %+v", broken)
	}
}

// TestCatalogTellsOptionsAndOrder checks what the page makes forms and warnings of.
func TestCatalogTellsOptionsAndOrder(t *testing.T) {
	c, err := inproc.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) catalog.Pass {
		i := slices.IndexFunc(c.Passes, func(p catalog.Pass) bool { return p.Name == name })
		if i < 0 {
			t.Fatalf("the catalog has no pass %s", name)
		}
		return c.Passes[i]
	}
	if p := at("FuseOps"); len(p.Options) != 1 || p.Options[0].Type != "int" || p.Options[0].Default != int64(-1) || p.IR != "relax" {
		t.Errorf("FuseOps is %+v", p)
	}
	if p := at("tir.NarrowDataType"); !slices.Equal(p.Options[0].Choices, []any{int64(16), int64(32)}) || p.IR != "tir" {
		t.Errorf("tir.NarrowDataType is %+v", p)
	}
	before := at("FuseTIR").Before
	if !slices.ContainsFunc(before, func(o catalog.Order) bool { return o.Pass == "FuseOps" && o.Needs && o.Why != "" }) {
		t.Errorf("before FuseTIR must stand %+v", before)
	}
	if after := at("FuseOps").After; !slices.ContainsFunc(after, func(o catalog.Order) bool { return o.Pass == "FuseTIR" }) {
		t.Errorf("after FuseOps must stand %+v", after)
	}
	if !slices.ContainsFunc(c.Config, func(o catalog.Option) bool {
		return o.Key == "tir.disable_vectorize" && o.Type == "bool" && o.Doc != ""
	}) {
		t.Errorf("the config is %+v", c.Config)
	}
}
