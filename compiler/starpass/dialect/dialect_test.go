package dialect_test

import (
	"reflect"
	"strings"
	"testing"

	"go.starlark.net/syntax"

	"github.com/irscope/irscope/compiler/starpass/dialect"
)

// differ returns where two trees differ but for the notes of the resolver, "" where they do not.
func differ(path string, a, b reflect.Value) string {
	if a.Kind() != b.Kind() || a.Type() != b.Type() {
		return path + ": " + a.Type().String() + " and " + b.Type().String()
	}
	switch a.Kind() {
	case reflect.Interface, reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			if a.IsNil() != b.IsNil() {
				return path + ": one is nil"
			}
			return ""
		}
		return differ(path, a.Elem(), b.Elem())
	case reflect.Struct:
		if x, ok := a.Interface().(syntax.Position); ok {
			if y := b.Interface().(syntax.Position); x.String() != y.String() {
				return path + ": " + x.String() + " and " + y.String()
			}
			return ""
		}
		for i := range a.NumField() {
			f := a.Type().Field(i)
			if !f.IsExported() || f.Name == "Options" || f.Name == "Raw" {
				continue
			}
			if d := differ(path+"."+f.Name, a.Field(i), b.Field(i)); d != "" {
				return d
			}
		}
		return ""
	case reflect.Slice:
		if a.Len() != b.Len() {
			return path + ": lengths"
		}
		for i := range a.Len() {
			if d := differ(path, a.Index(i), b.Index(i)); d != "" {
				return d
			}
		}
		return ""
	}
	if !reflect.DeepEqual(a.Interface(), b.Interface()) {
		return path + ": values"
	}
	return ""
}

// same checks that a text that Starlark takes gives the tree that Starlark makes of it.
func same(t *testing.T, text string) {
	t.Helper()
	want, err := dialect.Options().Parse("t.star", text, 0)
	if err != nil {
		return
	}
	got, err := dialect.Parse("t.star", text)
	if err != nil {
		if strings.Contains(err.Error(), "load is not available") || strings.Contains(err.Error(), "outside of") ||
			strings.Contains(err.Error(), "can be assigned") || strings.Contains(err.Error(), "super() stands") {
			return // what Starlark refuses later
		}
		t.Fatalf("%v\n%s", err, text)
	}
	if d := differ("", reflect.ValueOf(want), reflect.ValueOf(got)); d != "" {
		t.Fatalf("%s\n%s", d, text)
	}
}

func TestSameAsStarlark(t *testing.T) {
	for _, text := range []string{
		"", "# comment\n", "x = 1", "x = 1;y = 2\n", "def f(a, b=1, *c, d=2, **e):\n    \"\"\"Doc.\"\"\"\n    return a, b\n", "def f(a, *, b): pass",
		"if a: pass\nelif b: x()\nelse:\n    y()\n", "for a, b in x.items():\n  if a: continue\n  break\n", "while not x: x = x.y[1](2, *a, k=3, **b)",
		"x = [a for a in b if c for d in e if f or g]\ny = {a: b for a, b in c}\nz = (1, 2)\nw = 1,\nv = ()\nu = (1)",
		"x = a if b else c if d else e\nf = lambda a, *b, c=1: a + b * c // 2 - -d % ~e", "x = a or b and not c == d | e ^ f & g << h >> i",
		"x[1:2:3] = x[:] + x[1:] + x[:2] + x[::3]\nx.y, z[1] = 1, 2\n[a, (b, c)] = d", "x += 1\nx |= {1: 2, 3: 4,}\nx //= 3\nx.y = 1",
		"x = 'a\\n' + r'\\n' + \"\"\"long\nstring\"\"\" + b'x' + '\\x41\\u00e9'\ny = 0x1F + 0o17 + 1e3 + 1.5 + 123456789012345678901234567890",
		"x = (1 +\n  2)\ny = f(\n  a,\n  b=1,\n)\n", "x = a not in b\ny = not a in b", "é = 'ü'; f(é, x.y)", "f(x)(y)[z].w\nreturn_ = 1", "x = a \\\n  + b",
	} {
		same(t, text)
	}
}

func FuzzSameAsStarlark(f *testing.F) {
	for _, text := range []string{
		"def f(a, b=1):\n    return [x for x in a if b]\n", "try:\n    x = 1\nexcept E as e:\n    raise\nfinally:\n    pass\n", "f'{a!r:>{b}}{{}}'",
		"@a.b(c=1)\nclass P(Q):\n    def f(self) -> int:\n        return super().f()\n", "with a as b, c: return", "import a.b as c\nfrom a import (b, c as d)\n",
		"def f():\n    x = 1\n    def g():\n        nonlocal x\n        x += 1\n    while a:\n        try:\n            break\n        except: continue\n",
		"@I.ir_module\nclass M:\n    @R.function\n    def f(): pass\nassert a < b < 3, f'{x=}'\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<12 || strings.ContainsFunc(text, func(r rune) bool { return r > 126 || r < ' ' && r != '\n' }) {
			return
		}
		same(t, text)
		_, _ = dialect.Parse("t.star", text)
	})
}
