package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// folder writes the files of a dump with folders in it, and returns its path. The second name of a pass orders it behind the tenth where
// names are compared as texts.
func folder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "mydump")
	for name, text := range map[string]string{
		"lower/00_Bind_before.tir": "@T.prim_func\ndef main(x: T.handle):\n    T.evaluate(0)\n", "lower/00_Bind_after.tir": "@T.prim_func\ndef main(x: T.handle):\n    T.evaluate(1)\n",
		"codegen/01_Emit_before.tir": "@T.prim_func\ndef main(x: T.handle):\n    T.evaluate(1)\n", "codegen/01_Emit_after.tir": "@T.prim_func\ndef main(x: T.handle):\n    T.evaluate(2)\n",
		".git/config": "x", "notes.txt": "hello\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// readFolder waits until the dump of folder is shown as a whole.
func (p *page) readFolder() {
	p.t.Helper()
	p.wait(`document.querySelector("#run-state-text")?.textContent.startsWith("Read in")`)
	if got := p.text("#title"); got != "mydump" {
		p.t.Errorf("the session is called %q", got)
	}
	p.wait(`[...document.querySelectorAll("#tree .row .name")].map((e) => e.textContent).join() === "Imported module,lower,Bind,codegen,Emit"`)
	p.wait(`document.querySelector("#center-title").textContent === "Bind › main" && document.querySelector("#code .is-add")?.textContent.includes("T.evaluate(1)")`)
	p.wait(`document.querySelector("#messages").textContent.includes("1 files with other names are left out")`)
}

// TestChooseFolder chooses a folder by its button.
func TestChooseFolder(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1280, 720)
	p.goTo("/")
	p.wait(`document.querySelector("#choose-folder").checkVisibility()`)
	eval[bool](p, `(document.querySelector("#folder-files").click = () => (window.__asked = true), document.querySelector("#choose-folder").click(), true)`)
	if !eval[bool](p, `window.__asked === true`) {
		t.Error("the button asks for no folder")
	}
	p.do("choose a folder", chromedp.SetUploadFiles(chromedp.CSS("#folder-files"), []string{folder(t)}))
	p.readFolder()
}

// TestDropLongNames drops a folder with names that are longer than those of a plain tar archive, as XLA has them, and the traces of
// TileLang, which lie in a hidden folder.
func TestDropLongNames(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1280, 720)
	name := "module_0001.jit__" + strings.Repeat("train_step_", 12) + "ü"
	run := filepath.Join(".run_records", "run_1", "lower", strings.Repeat("phase", 20))
	for title, files := range map[string]map[string]string{
		"xla": {
			name + ".0001.simplify.after_pipeline-start.before_algsimp.txt": "HloModule f\n\nENTRY main {\n  ROOT p = f32[] parameter(0)\n}\n",
			name + ".0002.simplify.after_algsimp.before_dce.txt":            "HloModule f\n\nENTRY main {\n  ROOT c = f32[] constant(0)\n}\n",
		},
		"trace": {
			filepath.Join(run, "00_algsimp_before.tir"): "@T.prim_func\ndef main(x: T.handle):\n    T.evaluate(0)\n",
			filepath.Join(run, "00_algsimp_after.tir"):  "@T.prim_func\ndef main(x: T.handle):\n    T.evaluate(constant(0))\n",
		},
	} {
		dir := filepath.Join(t.TempDir(), title)
		for name, text := range files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p.goTo("/")
		p.wait(`document.querySelector("#choose-folder").checkVisibility()`)
		p.drop(dir)
		p.wait(`document.querySelector("#run-state-text")?.textContent.startsWith("Read in") && document.querySelector("#title").textContent === "` + title + `"`)
		p.wait(`document.querySelector("#center-title").textContent === "algsimp › main" && document.querySelector("#code .is-add")?.textContent.includes("constant(0)")`)
	}
}

// drop drops files or folders on the page, as from the desktop.
func (p *page) drop(paths ...string) {
	p.t.Helper()
	data := &input.DragData{Items: []*input.DragDataItem{}, Files: paths, DragOperationsMask: 1}
	for _, kind := range []string{"dragEnter", "dragOver", "drop"} {
		if _, err := chromedp.Call(p.ctx, input.DispatchDragEvent, input.DispatchDragEventParams{Type: input.DispatchDragEventType(kind), X: 400, Y: 300, Data: data}); err != nil {
			p.t.Fatalf("%s: %v", kind, err)
		}
		if kind == "dragOver" {
			p.wait(`document.querySelector("#upload").classList.contains("over")`)
		}
	}
}

// TestDropFolder drops a folder, and then a file: the page goes through the folders in it.
func TestDropFolder(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1280, 720)
	p.goTo("/")
	p.wait(`document.querySelector("#choose-folder").checkVisibility()`)
	p.drop(folder(t))
	p.readFolder()
	p.goTo("/")
	p.wait(`document.querySelector("#choose-folder").checkVisibility()`)
	p.drop(file(t, "build.log", "clang: warning\n"+printed))
	p.wait(`document.querySelector("#run-state-text")?.textContent.startsWith("Read in") && document.querySelector("#title").textContent === "build.log"`)
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	p.goTo("/")
	p.wait(`document.querySelector("#choose-folder").checkVisibility()`)
	p.drop(empty)
	p.wait(`document.querySelector("#upload-error")?.textContent === "The folder has no file."`)
}

// TestCompareDumps compares two dumps: their steps stand beside each other, and the page opens at the first that left something else.
func TestCompareDumps(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1280, 720)
	const where = `location.pathname.split("/").pop() + " " + new URLSearchParams(location.search).get("run")`
	var at [2][2]string
	for i, text := range []string{printed, printed + "*** IR Dump After LastPass on sum ***\ndefine i32 @sum(i32 %n) {\nentry:\n  unreachable\n}\n"} {
		p.paste(text)
		p.run()
		ids := eval[string](p, where)
		at[i] = [2]string{ids[:22], ids[23:]}
	}
	p.goTo("/compare/" + at[0][1] + "/" + at[1][1] + "?a=" + at[0][0] + "&b=" + at[1][0])
	p.wait(`document.querySelector("#rows").textContent.includes("7 steps with the same result in both")`)
	p.wait(`[...document.querySelectorAll("#rows [role=option]")].some((e) => e.textContent.startsWith("LastPass"))`)
	p.wait(`document.querySelector("main").textContent.includes("unreachable")`)
	if text := p.text("main"); strings.Contains(text, "0 ns") {
		t.Error("the comparison has times, which the dumps do not tell")
	}
	p.press("2")
	if n := p.count("#tab-outputs, #settings"); n > 0 || !eval[bool](p, `document.querySelector("#code").checkVisibility()`) {
		t.Error("the comparison has outputs or settings, of which dumps have none")
	}
	p.screen("compare-dumps-1280")
}

// TestCompareWithAnotherDump chooses the other dump by its name, from the button at the top, and then by its address, from the key.
func TestCompareWithAnotherDump(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1280, 720)
	p.paste(printed)
	p.wait(`document.querySelector("#compare-others")`)
	p.click("#compare-others")
	p.wait(`document.querySelector("#palette-list")?.textContent.includes("You have no other session")`)
	p.press("\x1b")
	first := eval[string](p, `location.origin + location.pathname`)
	p.goTo("/")
	p.do("choose a file", chromedp.SetUploadFiles(chromedp.CSS("#model-file"), []string{file(t, "other.log", printed+"*** IR Dump After LastPass on sum ***\ndefine i32 @sum(i32 %n) {\nentry:\n  unreachable\n}\n")}))
	p.wait(`document.querySelector("#run-state-text")?.textContent.startsWith("Read in")`)
	second := eval[string](p, `location.pathname`)
	compared := func() {
		t.Helper()
		p.wait(`location.pathname.startsWith("/compare/") && [...document.querySelectorAll("#rows [role=option]")].some((e) => e.textContent.startsWith("LastPass"))`)
		if got := p.text("#center-title"); got != "First difference › LastPass › sum" {
			t.Errorf("the comparison opens at %q", got)
		}
	}
	p.goTo(second)
	p.wait(`document.querySelector("#compare-others")`)
	p.press("=")
	p.wait(`document.querySelector("#palette-field") && document.activeElement.id === "palette-field"`)
	p.do("paste the address", chromedp.SendKeys(chromedp.CSS("#palette-field"), first))
	p.wait(`document.querySelector("#palette-list").textContent.includes("The session at ")`)
	p.press("\r")
	compared()

	p.goTo(strings.TrimPrefix(first, eval[string](p, `location.origin`)))
	p.wait(`document.querySelector("#compare-others")`)
	p.click("#compare-others")
	p.wait(`document.querySelector("#palette-list")?.textContent.includes("Compare with other.log")`)
	p.click("#palette-list [data-i]")
	compared()
}
