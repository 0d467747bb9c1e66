package browser

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/docs"
	"github.com/irscope/irscope/e2e/fixture"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/catalog"
	"github.com/irscope/irscope/web/lesson"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store"
)

// offered describes the models of the fixture as the gallery shows them.
var offered = catalog.Catalog{
	Models: []catalog.Model{
		{
			Name: fixture.MLP, Title: "MLP", Doc: "Three dense layers for digits: the shortest way through the whole compiler.",
			Inputs: []catalog.Input{{Name: "x", DType: "float32", Shape: []any{1, 784}}}, Parameters: 109_386,
			Ops: map[string]int{"relax.matmul": 3, "relax.add": 3, "relax.nn.relu": 2, "relax.nn.softmax": 1},
		},
		{Name: fixture.Many, Title: "Many", Doc: "2,000 functions with 100,000 lines."},
		{Name: fixture.Broken, Title: "Broken", Doc: "Fails in LowerAllocTensor.", Inputs: []catalog.Input{{Name: "x", DType: "float32", Shape: []any{"n", 4}}}},
		{Name: fixture.Large, Title: "Large", Doc: "A function of 100,000 lines."},
		{Name: fixture.Payloads, Title: fixture.Markup()[0], Doc: strings.Join(fixture.Markup(), " "), Inputs: []catalog.Input{{Name: fixture.Markup()[12], DType: "float32", Shape: []any{fixture.Markup()[51], 4}}}},
		{Name: fixture.Hostile, Title: "Hostile <b>", Doc: "Names and texts that are markup: <script>window.__pwned=1</script>"},
	},
	Targets: []catalog.Target{{Name: "wasm", Doc: "WebAssembly with SIMD"}},
	Passes: []catalog.Pass{
		{Name: "LegalizeOps", Role: event.RoleLowering, Kind: "module", Doc: "Replaces graph operators by calls of PrimFuncs."},
		{Name: "FuseOps", Role: event.RoleOptional, Kind: "module", Doc: "Groups operators whose loops can be merged.", Required: []string{"AnnotateTIROpPattern"}},
		{
			Name: "ApplyDefaultSchedule", Level: 1, Role: event.RoleOptional, Kind: "prim_func",
			Doc: "Tiles, vectorises and unrolls the loops of every kernel with the default rules for a CPU.",
		},
	},
	Pipelines: []catalog.Pipeline{{Name: "default", Target: "wasm", Doc: "The script of the fixture."}},
}

// serve runs irscope with a make-believe compiler for the time of a test and returns its address.
func serve(t *testing.T, runner run.Runner) string {
	t.Helper()
	return serveWith(t, runner, store.NewMemory(512<<20), offered)
}

// serveWith runs irscope with any compiler.
func serveWith(t *testing.T, runner run.Runner, st store.Store, choices catalog.Catalog, embed ...string) string {
	t.Helper()
	admission := run.DefaultAdmission(4)
	admission.PerVisitor, admission.PerMinute, admission.QueuePerVisitor = 4, 10_000, 100
	limits := run.DefaultLimits()
	limits.Time = 3 * patience // a busy machine may stop the server for a while
	lessons, err := lesson.Load(docs.Lessons())
	if err != nil {
		t.Fatal(err)
	}
	server, err := web.New(web.Config{
		Runner: runner, Store: st, Catalog: choices, Operators: inproc.Operators{}, Lessons: lessons, Build: "e2e", Embed: embed,
		Admission: admission, Limits: limits, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewServer(server)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		server.Drain(ctx)
		listener.CloseClientConnections()
		listener.Close()
	})
	return listener.URL
}

// scriptModel stands for a text where the name of a model is expected.
const scriptModel = "module.py"

// session returns the path of a session with a model of the gallery; the visitor makes one for each model.
func session(p *page, model string) string {
	p.t.Helper()
	if path, ok := p.sessions[model]; ok {
		return path
	}
	body := fmt.Sprintf(`{gallery: %q}`, model)
	if model == scriptModel {
		body = `{kind: "tvmscript", name: "module.py", source: "from tvm.script import relax as R\n\n@R.function\ndef main(x: R.Tensor((4,), 'float32')):\n    return x\n"}`
	}
	p.goTo("/")
	p.wait(`document.querySelector(".card-open")`)
	p.sessions[model] = "/s/" + eval[string](p, fmt.Sprintf(`fetch("/api/sessions", {
		method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(%s),
	}).then(r => r.json()).then(r => r.session.id)`, body))
	return p.sessions[model]
}
