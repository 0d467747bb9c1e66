package highlight_test

import (
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/highlight"
)

// sample is a module with both levels.
const sample = `# from tvm.script import ir as I
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def fused_add(lv15: T.Buffer((T.int64(1), T.int64(64)), "float32"), Ünï: T.handle):
        T.func_attr({"op_pattern": 2, "tir.noalias": True})
        for ax0, ax1 in T.grid(1, 64):
            with T.sblock("T_add"):
                v0 = T.axis.spatial(64, ax1)
                A[v0] = T.exp(B[v0] * T.float32(-1.5e-05)) + 0x1F

    @R.function
    def main(x: R.Tensor((1, 64), dtype="float32")) -> R.Tensor:
        cls = Module
        lv: R.Tensor((1, 64), dtype="float32") = R.call_tir(cls.fused_add, (x, metadata["relax.expr.Constant"][0]), out_sinfo=R.Tensor((1, 64)))
        return lv
`

// tokens scans a text and fails where the tokens are not the text.
func tokens(t testing.TB, language, text string) []chroma.Token {
	t.Helper()
	toks := highlight.Tokens(language, text)
	var b strings.Builder
	for _, tok := range toks {
		if tok.Value == "" {
			t.Fatalf("empty token %v", tok.Type)
		}
		b.WriteString(tok.Value)
	}
	if b.String() != text {
		t.Fatalf("tokens give %q, want %q", b.String(), text)
	}
	return toks
}

func TestTVMScriptTokens(t *testing.T) {
	got := map[string]chroma.TokenType{}
	for _, tok := range tokens(t, event.LangTVMScript, sample) {
		got[tok.Value] = tok.Type
	}
	for value, want := range map[string]chroma.TokenType{
		"# from tvm.script import ir as I": chroma.Comment,
		"@I.ir_module":                     chroma.NameDecorator,
		"class":                            chroma.Keyword,
		"def":                              chroma.Keyword,
		"main":                             chroma.NameFunction,
		"fused_add":                        chroma.NameFunction,
		"T.Buffer":                         chroma.KeywordType,
		"R.Tensor":                         chroma.KeywordType,
		"R.call_tir":                       chroma.NameBuiltin,
		"T.axis.spatial":                   chroma.NameBuiltin,
		"in":                               chroma.OperatorWord,
		"True":                             chroma.KeywordConstant,
		"dtype":                            chroma.NameAttribute,
		`"float32"`:                        chroma.LiteralString,
		"64":                               chroma.LiteralNumberInteger,
		"0x1F":                             chroma.LiteralNumberInteger,
		"1.5e-05":                          chroma.LiteralNumberFloat,
		"Ünï":                              chroma.Name,
		"cls":                              chroma.NameBuiltinPseudo,
		"lv":                               chroma.Name,
	} {
		if got[value] != want {
			t.Errorf("%q is %v, want %v", value, got[value], want)
		}
	}
	for _, tok := range tokens(t, event.LangTVMScript, "class Module:") {
		if tok.Value == "Module" && tok.Type != chroma.NameClass {
			t.Errorf("Module after class is %v, want %v", tok.Type, chroma.NameClass)
		}
	}
}

func TestWATTokens(t *testing.T) {
	const text = "(module ;; all\n  (func $add (param $x i32) (result i32)\n    local.get $x (; one ;) i32.const -7\n    v128.load offset=16\n  (export \"a\\\"b\"))"
	got := map[string]chroma.TokenType{}
	for _, tok := range tokens(t, event.LangWAT, text) {
		got[tok.Value] = tok.Type
	}
	for value, want := range map[string]chroma.TokenType{
		";; all": chroma.Comment, "$x": chroma.NameVariable, "local.get": chroma.NameBuiltin, "func": chroma.Keyword,
		"(; one ;)": chroma.Comment, "-7": chroma.LiteralNumberInteger, `"a\"b"`: chroma.LiteralString, "offset": chroma.NameAttribute,
	} {
		if got[value] != want {
			t.Errorf("%q is %v, want %v", value, got[value], want)
		}
	}
}

func FuzzLexers(f *testing.F) {
	for _, s := range []string{"", sample, "\"unclosed\nnext", "'\\", "a.b.", "T.", "1.2.3e+", "@", "\xff\x00", "(;", "f\"x\"", "cls.x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, l := range []string{event.LangTVMScript, event.LangWAT} {
			for _, tok := range tokens(t, l, text) {
				if i := strings.IndexByte(tok.Value, '\n'); i >= 0 && len(tok.Value) > 1 {
					t.Fatalf("token %q reaches across a newline", tok.Value)
				}
			}
		}
	})
}

func BenchmarkTVMScript(b *testing.B) {
	text := strings.Repeat(sample, 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		highlight.Tokens(event.LangTVMScript, text)
	}
}
