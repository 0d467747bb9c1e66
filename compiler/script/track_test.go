package script_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
)

// TestEveryNodeHasAPlace underlines each sample that is printed on its own: all of its text
// is marked but indentation and comments, and the text is the same as without.
func TestEveryNodeHasAPlace(t *testing.T) {
	for _, s := range samples() {
		switch s.node.(type) {
		case ir.Type, *tir.Range, *tir.Buffer, *relax.VDevice, *relax.DeviceMesh, *relax.Sharding, *tir.CommReducer, *tir.IndexMap, *tir.IterVar:
			continue // these stand only inside of other nodes
		}
		plain := script.Node(s.node, script.Options{})
		var text []string
		carets := 0
		for _, line := range strings.Split(script.Node(s.node, script.Options{Underline: []ir.Node{s.node}}), "\n") {
			if strings.Trim(line, " ^") == "" && strings.Contains(line, "^") {
				carets++
				above := text[len(text)-1]
				if i := strings.Index(line, "^"); strings.TrimLeft(above[:i], " ") != "" {
					t.Errorf("%s: only a part is marked:\n%s\n%s", s.name, above, line)
				}
				continue
			}
			text = append(text, line)
		}
		if strings.Join(text, "\n") != plain {
			t.Errorf("%s prints otherwise when underlined:\n%s\nwant\n%s", s.name, strings.Join(text, "\n"), plain)
		}
		if carets == 0 {
			t.Errorf("%s has no place in\n%s", s.name, plain)
		}
	}
}

// TestNodesUnderlinedEverywhere marks a node of which two places are printed, and its
// definition.
func TestNodesUnderlinedEverywhere(t *testing.T) {
	i := tir.NewVar("i", i32)
	loop := &tir.For{LoopVar: i, Min: tir.Int32(0), Extent: tir.Int32(4), Body: tir.Store(bufA, vx, i, tir.Add(i, tir.Int32(2)))}
	got := script.Node(loop, script.Options{
		Underline: []ir.Node{i}, Annotate: map[ir.Node]string{loop: "outer", loop.Body: "the store"}, PrintLineNumbers: true,
	})
	want := strings.TrimPrefix(`
1 # outer
2 for i in range(4):
      ^
3     A[i, i + 2] = x  # the store
        ^  ^`, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestVerboseExpr declares what an expression uses, each before what depends on it.
func TestVerboseExpr(t *testing.T) {
	n := tir.NewVar("n", i32)
	b := tir.NewBuffer("B", f32, []tir.Expr{n}, "")
	got := script.Node(tir.Add(&tir.BufferLoad{Buffer: b, Indices: []tir.Expr{vi}}, vx), script.Options{VerboseExpr: true})
	want := "n = T.int32()\nB = T.Buffer((n,), \"float32\")\ni = T.int32()\nx = T.float32()\nB[i] + x"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got = script.Node(&relax.Tuple{Fields: []relax.Expr{rx}}, script.Options{VerboseExpr: true})
	if want = "n = T.int64()\nx: R.Tensor((n, 4), dtype=\"float32\")\n(x,)"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestSet sets options by name, and refuses what they cannot be.
func TestSet(t *testing.T) {
	var o script.Options
	for name, value := range map[string]any{"syntax_sugar": false, "indent_spaces": 2, "num_context_lines": int64(3), "tir_prefix": "X", "show_meta": "True", "int_dtype": "int64"} {
		if err := o.Set(name, value); err != nil {
			t.Error(err)
		}
	}
	if !o.NoSyntaxSugar || o.IndentSpaces != 2 || o.NumContextLines == nil || *o.NumContextLines != 3 || o.TIRPrefix != "X" || !o.ShowMeta || o.IntDType != i64 {
		t.Errorf("got %+v", o)
	}
	before := o
	for _, tt := range []struct {
		name  string
		value any
		want  string
	}{
		{"syntax_suger", true, "did you mean syntax_sugar?"},
		{"colour", true, "known are name, show_meta"},
		{"show_meta", "perhaps", `show_meta: expected True or False, got "perhaps"`},
		{"indent_spaces", 0, `indent_spaces: expected an integer from 1 to 16, got "0"`},
		{"indent_spaces", "4 spaces", `got "4 spaces"`},
		{"tir_prefix", "for", `tir_prefix: "for" is not a Python identifier`},
		{"name", "", `name: "" is not a Python identifier`},
		{"int_dtype", "float32", `int_dtype: expected a type of integers, got "float32"`},
		{"float_dtype", "int8", `float_dtype: expected a type of floats, got "int8"`},
		{"buffer_dtype", "float33", "buffer_dtype: "},
	} {
		if err := o.Set(tt.name, tt.value); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s=%v: got %v, want %s", tt.name, tt.value, err, tt.want)
		}
	}
	o.NumContextLines, before.NumContextLines = nil, nil
	if o.IntDType != before.IntDType || o.TIRPrefix != before.TIRPrefix || o.ShowMeta != before.ShowMeta {
		t.Error("a refused value was set")
	}
}

// TestPlaces looks up all nodes of the sample functions: each that begins a line stands on it,
// and its text is that of the line.
func TestPlaces(t *testing.T) {
	found := 0
	list := samples()
	for gv, f := range layers(t, 20).Funcs() {
		list = append(list, sample{name: gv.Name, node: f})
	}
	for _, s := range list {
		f, ok := s.node.(ir.Function)
		if !ok {
			continue
		}
		wanted := map[ir.Node]bool{}
		ir.Walk(f, func(n ir.Node) bool { wanted[n] = true; return true })
		text, places := script.Places("f", f, wanted)
		if plain := script.Function("f", f, script.Options{}); plain.Source != text.Source {
			t.Errorf("%s prints otherwise when places are looked up:\n%s\nwant\n%s", s.name, text.Source, plain.Source)
		}
		lines := strings.Split(text.Source, "\n")
		seen := map[ir.Node]bool{}
		for i, n := range text.Lines {
			if _, v := n.(*relax.Var); n == nil || v || seen[n] {
				continue // a variable stands first where it is defined
			}
			seen[n] = true
			p, ok := places[n]
			if !ok {
				t.Errorf("%s: line %d begins a %T that has no place", s.name, i+1, n)
				continue
			}
			if found++; p.Line > i+1 || p.EndLine < i+1 {
				t.Errorf("%s: a %T begins line %d and is said to stand in lines %d to %d", s.name, n, i+1, p.Line, p.EndLine)
			}
		}
		for n, p := range places {
			first, last := lines[p.Line-1], lines[p.EndLine-1]
			piece := text.Source[p.Start:p.End]
			if piece == "" || strings.TrimSpace(piece) != piece {
				t.Errorf("%s: the text of a %T is %q", s.name, n, piece)
			}
			head, _, _ := strings.Cut(piece, "\n")
			if !strings.HasPrefix(first[p.Col-1:], head) || !strings.HasSuffix(last[:p.EndCol], piece[strings.LastIndex(piece, "\n")+1:]) {
				t.Errorf("%s: %q is said to stand at %d:%d to %d:%d", s.name, piece, p.Line, p.Col, p.EndLine, p.EndCol)
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d lines were looked at", found)
	}
}
