package templates

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"
)

var assets = Assets{CSS: "/static/app.1.css", JS: "/static/app.1.js", ThemeJS: "/static/theme.1.js", Favicon: "/static/favicon.1.svg"}

// hostile is markup that must arrive as text wherever it stands.
const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>`

func render(t *testing.T, c templ.Component) string {
	t.Helper()
	var b strings.Builder
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func session() SessionView {
	return SessionView{
		Assets: assets, Session: "s1", Run: "r1", Title: "mlp", MayEdit: true, Targets: []TargetOption{{Name: "wasm", Label: "wasm", Doc: "code"}, {Name: "interp", Label: "interp", Doc: "slow"}, {Name: "cuda", Label: "cuda", Doc: "GPU", StandIn: true}}, Target: "interp", OptLevel: 3, Pipeline: "default",
		Command: "irscope run mlp", Status: "failed", Message: "LowerAllocTensor: no shape",
		Passes: []PassRow{
			{Step: "1/Graph", Name: "Graph", Status: "changed", Lowering: true},
			{Step: "1.1/FuseOps", Name: "FuseOps", Depth: 1, Status: "changed", Added: 12, Removed: 7, Time: "3.1 ms"},
			{Step: "1.2/FoldConstant", Name: "FoldConstant", Depth: 1, Status: "skipped", Text: "level 2 > opt_level 1"},
		},
		Code: CodeBlock{Title: "main", Lines: 9, Diff: true, Digits: 2, Rows: []CodeRow{{Kind: "add", After: 4, Spans: []Span{{Class: "c-k", Text: "def"}, {Text: "  main", Differs: true}}, Type: []Span{{Text: "f32"}}}}},
	}
}

// TestSessionWithoutScript checks that the page says what matters before any script runs.
func TestSessionWithoutScript(t *testing.T) {
	html := render(t, Session(session()))
	for _, want := range []string{
		`<title>mlp · irscope</title>`, `FuseOps`, `+12`, `−7`, `3.1 ms`, `level 2 &gt; opt_level 1`, `LowerAllocTensor: no shape`,
		`<div class="plain-row is-add"><span class="ln">    </span><span class="ln"> 4 +</span><span class="tx typed"><span class="c-k">def</span><mark>  main</mark></span><span class="ty">f32</span></div>`, `irscope run mlp`, `data-session="s1"`, `data-run="r1"`,
		`action="/s/s1/runs"`, `<option value="wasm" title="code">wasm</option>`, `<option value="interp" title="slow" selected>interp</option>`, `<optgroup label="GPUs, run by the interpreter"><option value="cuda" title="GPU">cuda</option></optgroup>`, `The first 1 of 9 lines`,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if !regexp.MustCompile(`value="3"[^>]* checked`).MatchString(html) {
		t.Error("opt_level 3 is not ticked")
	}
}

func TestReadOnlySession(t *testing.T) {
	v := session()
	v.MayEdit = false
	html := render(t, Session(v))
	if n := len(regexp.MustCompile(`<input type="radio"[^>]* disabled`).FindAllString(html, -1)); n != 5 {
		t.Errorf("%d levels are disabled for a reader, want 5", n)
	}
	if !strings.Contains(html, `data-may-edit="false"`) {
		t.Error("the page does not say that it is read only")
	}
}

func TestGallery(t *testing.T) {
	html := render(t, Gallery(GalleryView{Assets: assets, MaxUpload: 64 << 20, Models: []ModelCard{{
		Name: "cnn", Title: "Small CNN", Doc: "Two convolutions.", Parameters: 1_234_567, Bindings: "batch = 1, 3, 8",
		Inputs: []InputDoc{{"image", "float32", "1×3×32×32"}}, Ops: []OpCount{{"relax.nn.conv2d", 2}},
	}}}))
	for _, want := range []string{`name="gallery" value="cnn"`, "Small CNN", "1.2 million", "batch = 1, 3, 8", "nn.conv2d", "×2", "up to 64 MiB", `data-max="67108864"`} {
		if !strings.Contains(html, want) {
			t.Errorf("the gallery lacks %q", want)
		}
	}
}

// TestMarkupIsEscaped puts markup into every text of every view.
func TestMarkupIsEscaped(t *testing.T) {
	v := session()
	v.Title, v.Session, v.Run, v.Target, v.Pipeline, v.Command, v.Status, v.Message = hostile, hostile, hostile, hostile, hostile, hostile, hostile, hostile
	v.Passes = []PassRow{{Step: hostile, Name: hostile, Status: hostile, Text: hostile, Time: hostile}}
	v.Code = CodeBlock{Title: hostile, Rows: []CodeRow{{Kind: hostile, Mark: hostile, Spans: []Span{{Class: hostile, Text: hostile}, {Text: hostile}}, Type: []Span{{Text: hostile}}}}}
	pages := map[string]string{
		"session": render(t, Session(v)),
		"error":   render(t, ErrorPage(ErrorView{Assets: assets, Status: 404, Title: hostile, Message: hostile})),
		"gallery": render(t, Gallery(GalleryView{Assets: assets, Error: hostile, Models: []ModelCard{{
			Name: hostile, Title: hostile, Doc: hostile, Bindings: hostile, Inputs: []InputDoc{{hostile, hostile, hostile}}, Ops: []OpCount{{hostile, 1}},
		}}})),
	}
	for name, html := range pages {
		if strings.Contains(html, "<script>") || strings.Contains(html, "<img") {
			t.Errorf("%s: markup came through", name)
		}
	}
}

// TestStrictPolicy checks that no page needs more than the Content-Security-Policy allows.
func TestStrictPolicy(t *testing.T) {
	bad := regexp.MustCompile(`(?i)<style|\sstyle=|\son[a-z]+=|javascript:|<script>|<script [^>]*>[^<]`)
	for name, html := range map[string]string{
		"session": render(t, Session(session())),
		"gallery": render(t, Gallery(GalleryView{Assets: assets, Models: []ModelCard{{Name: "m", Title: "M"}}})),
		"error":   render(t, ErrorPage(ErrorView{Assets: assets, Status: 404, Title: "Not found", Message: "gone"})),
	} {
		if m := bad.FindString(html); m != "" {
			t.Errorf("%s contains %q", name, m)
		}
	}
}

func TestFormat(t *testing.T) {
	tests := []struct{ got, want string }{
		{size(64 << 20), "64 MiB"},
		{size(1536), "1.5 KiB"},
		{size(7), "7 B"},
		{count(999), "999"},
		{count(101_770), "101,770"},
		{count(25_600_000), "25.6 million"},
		{shortOp("relax.nn.relu"), "nn.relu"},
		{shortOp("custom"), "custom"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestSentence(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "this page does not exist": "This page does not exist.", "äpfel fehlen": "Äpfel fehlen.", "It is done.": "It is done.",
		"is it so?": "Is it so?", "/operators lists all": "/operators lists all.", "O2 goes on …": "O2 goes on …",
	} {
		if got := sentence(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
