package highlight_test

import (
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/highlight"
)

var irSamples = map[string]struct {
	text string
	want map[string]chroma.TokenType
}{
	event.LangLLVM: {
		"define i32 @\"a b\"(i32* %a) #0 {\nentry:\n  %x.1 = add nsw i32 %a, -1, !tbaa !7 ; note %x\n  ret i32 %x.1\n}\n",
		map[string]chroma.TokenType{"define": chroma.Keyword, "i32": chroma.KeywordType, `@"a b"`: chroma.NameFunction, "%x.1": chroma.NameVariable, "#0": chroma.NameAttribute, "!tbaa": chroma.NameAttribute, "entry": chroma.NameFunction, "; note %x": chroma.Comment, "-1": chroma.LiteralNumberInteger},
	},
	event.LangMLIR: {
		"func.func @f(%a: memref<8xf32>) {\n  %0 = arith.addf %a, %a : f32 // c\n  return\n^bb1:\n}\n",
		map[string]chroma.TokenType{"func.func": chroma.NameBuiltin, "arith.addf": chroma.NameBuiltin, "memref": chroma.KeywordType, "f32": chroma.KeywordType, "return": chroma.Keyword, "^bb1": chroma.NameFunction, "// c": chroma.Comment},
	},
	event.LangHLO: {
		"ENTRY %main (p: f32[]) -> f32[] {\n  ROOT %b = f32[2]{0} multiply(%p, %p), kind=kLoop\n}\n",
		map[string]chroma.TokenType{"ENTRY": chroma.Keyword, "ROOT": chroma.Keyword, "multiply": chroma.NameBuiltin, "%main": chroma.NameVariable},
	},
	event.LangGIMPLE: {"int f (int x)\n{\n  _1 = x_2(D) * 2;\n  goto <bb 3>;\n}\n", map[string]chroma.TokenType{"int": chroma.KeywordType, "goto": chroma.Keyword, "2": chroma.LiteralNumberInteger}},
	event.LangRTL:    {"(insn 2 1 0 2 (set (reg:SI 0 ax)\n;; c\n", map[string]chroma.TokenType{"insn": chroma.Keyword, "set": chroma.Keyword, ";; c": chroma.Comment}},
	event.LangMIR:    {"bb.0.entry:\n  liveins: $edi\n  %0:gr32 = COPY $edi ; c\n", map[string]chroma.TokenType{"$edi": chroma.NameVariable, "liveins": chroma.Keyword, "; c": chroma.Comment}},
	event.LangGoSSA:  {"  b1:\n    (5) v9 = Phi <int> v7 v25\n    If v11 -> b3 b5\n v19   \t00006 (+5) \tXORL\tCX, CX\n", map[string]chroma.TokenType{"XORL": chroma.Keyword, "CX": chroma.Text, "v9": chroma.NameVariable, "b3": chroma.NameVariable, "int": chroma.KeywordType, "If": chroma.Keyword}},
	event.LangAsm: {
		"sum:\t# -- sum\n.LFB0:\n\t.p2align 4,,10\n\tleaq\t-8(%rdi,%rsi,4), %rcx\n\tjne\t.L3\n#APP\n\tldr\tw9, [sp, #16] // 4-byte\n\tldr x10, [x8, #:lo12:g]\n\tmov edx, DWORD PTR [r8d+rax*4]\n\tcall\tfoo@PLT\n\taddq\t$-4, %rax\n",
		map[string]chroma.TokenType{
			"sum": chroma.NameFunction, "# -- sum": chroma.Comment, ".LFB0": chroma.NameFunction, ".p2align": chroma.NameBuiltin, "leaq": chroma.Keyword, "%rdi": chroma.NameVariable,
			".L3": chroma.NameFunction, "#APP": chroma.Comment, "w9": chroma.NameVariable, "sp": chroma.NameVariable, "#16": chroma.LiteralNumberInteger, "// 4-byte": chroma.Comment,
			"DWORD": chroma.KeywordType, "r8d": chroma.NameVariable, "rax": chroma.NameVariable, "@PLT": chroma.NameAttribute, "foo": chroma.Text, "$-4": chroma.LiteralNumberInteger, "ldr": chroma.Keyword, "g": chroma.Text,
		},
	},
}

func TestIRTokens(t *testing.T) {
	for language, s := range irSamples {
		got := map[string]chroma.TokenType{}
		for _, tok := range tokens(t, language, s.text) {
			got[tok.Value] = tok.Type
		}
		for value, want := range s.want {
			if got[value] != want {
				t.Errorf("%s: %q is %v, want %v", language, value, got[value], want)
			}
		}
	}
	if highlight.Tokens(event.LangPlain, "a") != nil {
		t.Error("plain text has a lexer")
	}
}

// FuzzIR scans anything: the tokens are the text, and none reaches over the end of a line.
func FuzzIR(f *testing.F) {
	for _, s := range irSamples {
		f.Add(s.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for language := range irSamples {
			for _, tok := range tokens(t, language, text) {
				if i := strings.IndexByte(tok.Value, '\n'); i >= 0 && tok.Value != "\n" {
					t.Fatalf("%s: the token %q goes over the end of a line", language, tok.Value)
				}
			}
		}
	})
}

// BenchmarkIR scans LLVM IR.
func BenchmarkIR(b *testing.B) {
	text := strings.Repeat(irSamples[event.LangLLVM].text, 2000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		highlight.Tokens(event.LangLLVM, text)
	}
}
