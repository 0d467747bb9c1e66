package syntax_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/script/syntax"
)

// show writes an expression with all of its parentheses, kinds that look alike marked.
func show(n *syntax.Node) string {
	if n == nil {
		return "_"
	}
	kids := make([]string, len(n.Kids))
	for i, k := range n.Kids {
		kids[i] = show(k)
	}
	all := strings.Join(kids, " ")
	switch n.Kind {
	case syntax.Name, syntax.Const:
		return n.Text
	case syntax.Int, syntax.Float:
		return map[syntax.Kind]string{syntax.Int: "i", syntax.Float: "f"}[n.Kind] + n.Text
	case syntax.String:
		return fmt.Sprintf("%q", n.Text)
	case syntax.Attr:
		return kids[0] + "." + n.Text
	case syntax.Call:
		for _, kw := range n.Keywords() {
			all += " " + kw.Name + "=" + show(kw.Value)
		}
		return "call(" + all + ")"
	case syntax.Lambda:
		return "lambda(" + strings.Join(n.LambdaParams(), ",") + ": " + all + ")"
	case syntax.Unary, syntax.Binary, syntax.Compare, syntax.Bool:
		return "(" + n.Text + " " + all + ")"
	}
	return map[syntax.Kind]string{
		syntax.Index: "index", syntax.Slice: "slice", syntax.Tuple: "tuple", syntax.List: "list", syntax.Dict: "dict",
		syntax.IfExp: "if", syntax.Star: "star",
	}[n.Kind] + "(" + all + ")"
}

// TestExpressions gives the tree of each expression: precedence, chains, literals, brackets.
func TestExpressions(t *testing.T) {
	for text, want := range map[string]string{
		"a + b * c ** -d":           "(+ a (* b (** c (- d))))",
		"-a ** 2":                   "(- (** a i2))",
		"a - b - c":                 "(- (- a b) c)",
		"(a, b)[i, j:k, ::2, :]":    "index(tuple(a b) i slice(j k _) slice(_ _ i2) slice(_ _ _))",
		"a << 1 | b & c ^ ~d":       "(| (<< a i1) (^ (& b c) (~ d)))",
		"a < b <= c != d":           "(and (and (< a b) (<= b c)) (!= c d))",
		"not a and b or c is None":  "(or (and (not a) b) (is c None))",
		"x if c else y if d else z": "if(c x if(d y z))",
		"f(a, *b, k=1, **c)":        "call(f a star(b) k=i1 **=c)",
		"T.axis.remap(\"SS\", [i])": `call(T.axis.remap "SS" list(i))`,
		"lambda i, *r: (i, r)":      "lambda(i,*r: tuple(i r))",
		"{1: 'a', \"b\": [1.5,],}":  `dict(i1 "a" "b" list(f1.5))`,
		"0x1F + 1_000 + 1e-3 + .5":  "(+ (+ (+ i0x1F i1000) f1e-3) f.5)",
		`"a\n\x41\u00e9\q\101" 'b'`: `"a\nAé\\qAb"`,
		`r"\n" b"x"`:                `"\\nx"`,
		"'''a\n\"b\"'''":            `"a\n\"b\""`,
		"()":                        "tuple()",
		"[...]":                     "list(...)",
		"a @ b // c % d":            "(% (// (@ a b) c) d)",
		"a.b[0](c)(d).e":            "call(call(index(a.b i0) c) d).e",
		"not not a":                 "(not (not a))",
	} {
		tree, errs := syntax.ParseExpr("e.py", text)
		if got := show(tree); errs.Failed() || got != want {
			t.Errorf("%s is read as %s, want %s\n%s", text, got, want, errs)
		}
	}
}

// outline writes statements, one a line, blocks indented.
func outline(list []*syntax.Stmt, indent string) string {
	names := strings.Fields("expr assign augassign annassign return if for while with def class assert pass import break continue")
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "%s%s", indent, names[s.Kind])
		if s.Role != "" {
			fmt.Fprintf(&b, " @%s", s.Role)
		}
		if s.Name != "" {
			fmt.Fprintf(&b, " %s", s.Name)
		}
		for _, p := range append(append([]syntax.Param{}, s.Sizes...), s.Params...) {
			fmt.Fprintf(&b, " %s:%s", p.Name, show(p.Ann))
			if p.Orig != "" {
				fmt.Fprintf(&b, "<-%s", p.Orig)
			}
		}
		for _, x := range s.Targets {
			fmt.Fprintf(&b, " %s", show(x))
		}
		if s.Op != "" {
			fmt.Fprintf(&b, " %s", s.Op)
		}
		for _, it := range s.Items {
			fmt.Fprintf(&b, " %s as %s", show(it.Value), show(it.As))
		}
		if s.Value != nil {
			fmt.Fprintf(&b, " = %s", show(s.Value))
		}
		if s.Ann != nil {
			fmt.Fprintf(&b, " : %s", show(s.Ann))
		}
		b.WriteByte('\n')
		b.WriteString(outline(s.Body, indent+"  "))
		if len(s.Orelse) > 0 {
			b.WriteString(indent + "else\n" + outline(s.Orelse, indent+"  "))
		}
	}
	return b.String()
}

// TestStatements gives the outline of each statement.
func TestStatements(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a = b = c, d\n", "assign a b = tuple(c d)\n"},
		{"a, b = f()\n", "assign tuple(a b) = call(f)\n"},
		{"A[i] += 1; x //= 2\n", "augassign index(A i) + = i1\naugassign x // = i2\n"},
		{"x: T.int32\ny: T.int32 = 1\n", "annassign x : T.int32\nannassign y = i1 : T.int32\n"},
		{"return\nreturn a, b\n", "return\nreturn = tuple(a b)\n"},
		{"pass\nbreak\ncontinue\n", "pass\nbreak\ncontinue\n"},
		{"assert a < b, 'x'\n", "assert = (< a b) : \"x\"\n"},
		{"if a:\n  b\nelif c:\n  d\nelse:\n  e\n", "if = a\n  expr = b\nelse\n  if = c\n    expr = d\n  else\n    expr = e\n"},
		{"for i, (j) in T.grid(2, 3): f(i)\n", "for tuple(i j) = call(T.grid i2 i3)\n  expr = call(f i)\n"},
		{"for *i, in x:\n    pass\n", "for tuple(star(i)) = x\n  pass\n"},
		{"while x:\n\tx = y\n", "while = x\n  assign x = y\n"},
		{"with T.block(\"b\"), f() as g:\n  a\n", "with call(T.block \"b\") as _ call(f) as g\n  expr = a\n"},
		{"from tvm.script import tir as T, relax\nimport tvm.x as y\n", "import tvm.script T:_<-tir relax:_<-relax\nimport tvm.x y:_<-tvm.x\n"},
		{"from .a import (b as c, d,)\nfrom e import *\n", "import .a c:_<-b d:_<-d\nimport e\n"},
		{"@T.prim_func(private=True)\ndef f[n: T.int64](a: T.handle, b=3) -> None:\n  return\n", "def @prim_func f n:T.int64 a:T.handle b:_ : None\n  return\n"},
		{"@I.ir_module\nclass M(B):\n  @R.function\n  def g(): pass\n", "class @ir_module M B as _\n  def @function g\n    pass\n"},
		{"@other\n@x.macro\ndef f(): pass\n", "def @macro f\n  pass\n"},
		{"match = match(a)\n", "assign match = call(match a)\n"},
		{"x = (1,\n  2) # c\n\n\ny = \\\n  3\n", "assign x = tuple(i1 i2)\nassign y = i3\n"},
		{">>> x = 1\n... y = 2\n", "assign x = i1\nassign y = i2\n"},
		{"    x = 1\n    if x:\n        y\nz\n", "assign x = i1\nif = x\n  expr = y\nexpr = z\n"},
		{"    @T.prim_func\ndef f():\n    pass\n", "def @prim_func f\n  pass\n"},
	} {
		f := syntax.Parse("s.py", c.text)
		if got := outline(f.Stmts, ""); f.Failed() || got != c.want {
			t.Errorf("%s\nis read as\n%swant\n%s%s", c.text, got, c.want, f.Errors)
		}
	}
}

// TestRanges checks what parts of the text statements and expressions say they are.
func TestRanges(t *testing.T) {
	text := "@T.prim_func\ndef f(a: T.handle):\n    A[i] = (a + 1)\n    # c\n    x = y\n"
	f := syntax.Parse("r.py", text)
	def := f.Stmts[0]
	if got := text[def.Top:def.At]; got != "@T.prim_func\n" {
		t.Errorf("the decorators are %q", got)
	}
	if got := text[def.At:def.End]; got != "def f(a: T.handle):" {
		t.Errorf("the head is %q", got)
	}
	if got := text[def.End:def.Last]; !strings.HasSuffix(got, "x = y\n") {
		t.Errorf("the body is %q", got)
	}
	store := def.Body[0]
	if got := text[store.Value.At:store.Value.End]; got != "(a + 1)" {
		t.Errorf("the value is %q", got)
	}
	if got := text[def.Params[0].At:def.Params[0].End]; got != "a" {
		t.Errorf("the parameter is %q", got)
	}
	for at, want := range map[int32][2]int{0: {1, 1}, def.At: {2, 1}, store.At: {3, 5}, int32(len(text)): {6, 1}, store.Value.At: {3, 12}} {
		if line, col := f.Position(at); [2]int{line, col} != want {
			t.Errorf("offset %d is at %d:%d, want %v", at, line, col, want)
		}
	}
	if l, c, el, ec := f.Range(def.At, def.Last-1); l != 2 || c != 1 || el != 5 || ec != 10 {
		t.Errorf("the function is at %d:%d-%d:%d", l, c, el, ec)
	}
	if f.Lines() != 6 {
		t.Errorf("%d lines", f.Lines())
	}
}

// TestComments lists the comments that are kept: those that the printer writes.
func TestComments(t *testing.T) {
	f := syntax.Parse("c.py", "# int_dtype: int64\n# other: x\nx = 1 # with T.block(\"root\"):\n# with Tx.sblock(\"a\"):\n# with T.grid(2)\n")
	var got []string
	for _, c := range f.Comments {
		got = append(got, c.Text)
	}
	if s := strings.Join(got, ";"); s != `int_dtype: int64;with T.block("root"):;with Tx.sblock("a"):` {
		t.Errorf("kept %s", s)
	}
}

// TestValue checks the node that a reader of the tree makes for a value of its own.
func TestValue(t *testing.T) {
	n := syntax.NewValue(3, 4, 17)
	if n.Kind != syntax.Value || n.At != 3 || n.End != 4 || n.Value() != 17 || n.Keywords() != nil {
		t.Errorf("the node is %+v", n)
	}
	if !syntax.IsIdentifier("a_1é") || syntax.IsIdentifier("1a") || syntax.IsIdentifier("") || syntax.IsIdentifier("a b") {
		t.Error("a name is not an identifier, or something else is")
	}
}
