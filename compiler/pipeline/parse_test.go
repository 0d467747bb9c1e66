package pipeline_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/target"
)

func TestParse(t *testing.T) {
	list, err := pipeline.Parse(" FoldConstant, FuseOps {\"fuse_opt_level\": 2},\n\tStorageRewrite,zero,LegalizeOps{\"skip_ops\":[\"relax.nn.relu\"],\"enable_warning\":null}", pipeline.NewRegistry(), target.Default())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range list {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, " "); got != "FoldConstant FuseOps tir.StorageRewrite zero LegalizeOps" {
		t.Errorf("got %s", got)
	}
	if v := list[1].Arg("fuse_opt_level"); v != int64(2) {
		t.Errorf("fuse_opt_level is %v", v)
	}
	if v := list[4].Arg("enable_warning"); v != true {
		t.Errorf("an option that is null is %v, want the default", v)
	}
}

// TestParseSequences checks that sequences hold what stands between their brackets.
func TestParseSequences(t *testing.T) {
	list, err := pipeline.Parse(`FuseOps, mine[ FuseTIR , tir[StorageRewrite{}, finalize] ],FuseTIR[DeadCodeElimination]`, pipeline.NewRegistry(), target.Default())
	if err != nil {
		t.Fatal(err)
	}
	var print func(list []*pass.Pass) string
	print = func(list []*pass.Pass) string {
		var out []string
		for _, p := range list {
			s := p.Name
			if p.Kind == pass.Sequential && p.Name != "finalize" {
				s += "[" + print(p.Children) + "]"
			}
			out = append(out, s)
		}
		return strings.Join(out, " ")
	}
	const want = "FuseOps mine[FuseTIR[FuseTIRInner DeadCodeElimination] tir[tir.StorageRewrite finalize]] FuseTIR[DeadCodeElimination]"
	if got := print(list); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct {
		text   string
		column int
		mark   string
		want   string
	}{
		{"", 1, "", "expected the name of a pass"},
		{"FuseOps,", 9, "", "expected the name of a pass"},
		{",FuseOps", 1, ",", "expected the name of a pass"},
		{"FuseOps FuseTIR", 9, "F", `expected a comma or the end, got "F"`},
		{"FuseOps,FoldConst", 9, "FoldConst", `unknown pass "FoldConst"`},
		{"FuseOps,FoldConstants", 9, "FoldConstants", `unknown pass "FoldConstants"; did you mean "FoldConstant"?`},
		{"é", 1, "é", "expected the name of a pass"},
		{"FuseOpsé", 8, "é", `expected a comma or the end, got "é"`},
		{"FuseOps(fuse_opt_level=2)", 8, "(", `options are written as a JSON object, e.g. FuseOps{"fuse_opt_level": 2}`},
		{`FuseOps{"fuse_opt_level": 2`, 8, "{", "the options are never closed: a } is missing"},
		{`FuseOps{fuse_opt_level: 2}`, 9, "f", "the options are no JSON object"},
		{`FuseOps{"level": 2}`, 8, `{"level": 2}`, `pass FuseOps has no option "level"; it has fuse_opt_level`},
		{`FoldConstant{"level": 2}`, 13, `{"level": 2}`, `pass FoldConstant has no option "level": it has no options at all`},
		{`FuseOps{"fuse_opt_level": "two"}`, 8, `{"fuse_opt_level": "two"}`, `option fuse_opt_level of pass FuseOps needs a value of type int, got "two"`},
		{`FuseOps{"fuse_opt_level": 1e999}`, 8, `{"fuse_opt_level": 1e999}`, "option fuse_opt_level: 1e999 does not fit in 64 bits"},
		{`LegalizeOps{"skip_ops": [1]}`, 12, `{"skip_ops": [1]}`, "option skip_ops of pass LegalizeOps needs a value of type list of str, got [1]"},
		{"tir[FuseOps", 12, "", "a sequence is never closed: a ] is missing"},
		{"tir[FuseOps,", 13, "", "expected the name of a pass"},
		{"tir[]", 5, "]", "expected the name of a pass"},
		{"FuseOps]", 8, "]", `expected a comma or the end, got "]"`},
		{"[FuseOps]", 1, "[", "expected the name of a pass"},
		{`tir{}[FuseOps]`, 6, "[", `expected a comma or the end, got "["`},
		{strings.Repeat("a[", 9) + "FuseOps", 18, "[", "sequences are nested more than 8 deep"},
		{strings.Repeat("FuseOps,", 1001), 8008, "", "more than 1000 passes"},
	} {
		_, err := pipeline.Parse(tt.text, pipeline.NewRegistry(), target.Default())
		var bad *pipeline.SyntaxError
		if !errors.As(err, &bad) {
			t.Errorf("%.40s: error %v", tt.text, err)
			continue
		}
		if bad.Column() != tt.column || tt.text[bad.Pos:bad.End] != tt.mark || !strings.Contains(bad.Err.Error(), tt.want) {
			t.Errorf("%.40s: %q at column %d of %q, want %q at column %d of %q", tt.text, bad.Err, bad.Column(), tt.text[bad.Pos:bad.End], tt.want, tt.column, tt.mark)
		}
	}
	_, err := pipeline.Parse("FuseOps,\tFuseTR", pipeline.NewRegistry(), target.Default())
	want := "column 10: unknown pass \"FuseTR\"; did you mean \"FuseTIR\"?\n    FuseOps, FuseTR\n             ^^^^^^"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`FoldConstant,FuseOps{"fuse_opt_level":2}`)
	f.Add("é{")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := pipeline.Parse(text, pipeline.NewRegistry(), target.Default())
		var bad *pipeline.SyntaxError
		if err == nil && len(list) == 0 || err != nil && (!errors.As(err, &bad) || err.Error() == "") {
			t.Errorf("%q: %d passes, error %v", text, len(list), err)
		}
	})
}

// TestOptionsAreSet sets every option of every pass to its default, which must change nothing.
func TestOptionsAreSet(t *testing.T) {
	for _, p := range pipeline.All() {
		for _, o := range p.Options {
			if o.Doc == "" || o.Type() == "object" {
				t.Errorf("%s: option %s has type %s and doc %q", p.Name, o.Name, o.Type(), o.Doc)
			}
			if strings.HasPrefix(o.Type(), "list") && o.Elem == nil {
				t.Errorf("%s: option %s does not say what its list holds", p.Name, o.Name)
			}
			if got := p.Arg(o.Name); got == nil {
				t.Errorf("%s: option %s has no default", p.Name, o.Name)
			}
		}
	}
	var _ pass.Registry = pipeline.NewRegistry()
}
