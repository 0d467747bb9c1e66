package browser

import (
	"strings"
	"testing"
)

// measuredView opens the profile of the gallery's convolutional network and measures it.
func measuredView(p *page) {
	p.t.Helper()
	openText(p, "cnn", "FuseOps", "main", "unified")
	p.press("P")
	p.wait(`document.querySelector("#profile .empty-title")?.textContent === "Not measured yet"`)
	eval[bool](p, `document.querySelector("#profile-runs").value = "20", true`)
	p.another(func() { p.click("#measure") })
	p.wait(`document.querySelectorAll("#kernel-table tbody tr").length > 8 && document.querySelector("#memory-plan svg")`)
}

// kernelNames are the kernels of the table in their order.
const kernelNames = `[...document.querySelectorAll("#kernel-table .kernel")].map(x => x.textContent)`

// TestProfile measures the kernels of a run, sorts them, reads the memory plan, and goes to the code of a kernel.
func TestProfile(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	measuredView(p)

	// The figures on top, and rows that add up to them.
	if got := p.text(".profile-figures"); !strings.Contains(got, "median of 20") || !strings.Contains(got, "3.91 M") || !strings.Contains(got, "FLOPs in 8 kernels") || !strings.Contains(got, "96.0 KiB") {
		t.Errorf("the figures are %q", got)
	}
	parts := eval[float64](p, `[...document.querySelectorAll("#kernel-table tbody td.share")].reduce((n, td) => n + parseFloat(td.textContent), 0)`)
	if parts < 97 || parts > 106 {
		t.Errorf("the shares add up to %v %%", parts)
	}
	byTime := eval[[]string](p, kernelNames)
	if len(byTime) != 8 || !strings.Contains(byTime[0], "conv2d") {
		t.Errorf("the kernels by time are %v", byTime)
	}
	if got := p.text("#kernel-table thead [aria-sort=descending]"); got != "Time" {
		t.Errorf("the table is sorted by %q", got)
	}

	// A click on a head sorts, a second one turns the order round.
	name := `#kernel-table thead th:first-child .sort`
	p.click(name)
	p.wait(`document.querySelector("#kernel-table thead th").getAttribute("aria-sort") === "ascending"`)
	if got := eval[[]string](p, kernelNames); !strings.HasPrefix(got[0], "fused_conv2d") || got[7] != "softmax" {
		t.Errorf("the kernels by name are %v", got)
	}
	p.click(name)
	p.wait(kernelNames + `[0] === "softmax"`)

	// A tensor of the plan is named where the pointer is; the table says the same.
	at := `document.querySelector("#memory-plan .tensor[data-i='0']")`
	eval[bool](p, at+`.scrollIntoView({block: "center"}), `+at+`.dispatchEvent(new PointerEvent("pointermove", {bubbles: true})), true`)
	p.wait(`document.querySelector(".plan-said").textContent.startsWith("relu1_Relu  float32[1, 16, 32, 32], 64.0 KiB at 0; made by fused_conv2d_add_relu_conv1")`)
	if got := eval[string](p, `document.querySelector(".plan-table tbody tr").textContent`); !strings.HasPrefix(got, "relu1_Relufloat32[1, 16, 32, 32]065,536") {
		t.Errorf("the first row of the plan is %q", got)
	}
	if got := eval[int](p, `document.querySelectorAll("#memory-plan .tensor").length`); got != eval[int](p, `document.querySelectorAll(".plan-table tbody tr").length`) {
		t.Errorf("%d tensors are drawn, the table has another number", got)
	}

	// A kernel leads to its code, and the link to the profile stays.
	link := eval[string](p, `location.pathname + location.search`)
	p.click(`#kernel-table .kernel`)
	p.wait(`new URLSearchParams(location.search).get("view") === "code" && new URLSearchParams(location.search).get("function") === "softmax"`)
	p.goTo(link)
	p.wait(`document.querySelectorAll("#kernel-table .kernel").length === 8`)

	// The next run is not measured, and the view offers it again.
	p.another(func() { p.press("x") })
	p.wait(`document.querySelector("#profile .empty-title")?.textContent === "Not measured yet"`)
}

// TestProfileLook runs axe over the profile in both themes and at six sizes, and looks for what is cut off. E2E_SCREENS names a folder
// for screenshots.
func TestProfileLook(t *testing.T) {
	t.Parallel()
	p := visit(t, serveCompiler(t), 1440, 900)
	openText(p, "cnn", "FuseOps", "main", "unified")
	p.press("P")
	p.wait(`document.querySelector("#measure")`)
	p.screen("profile-before")
	audit(p, "the profile before it is measured")
	measuredView(p)
	sizes := [][2]int64{{1920, 1080}, {1440, 900}, {1280, 720}, {1024, 768}, {853, 480}, {390, 844}}
	p.looksAt("center", "profile", sizes, func(p *page, at string) {
		p.wait(`document.querySelector("#memory-plan svg")?.clientWidth === document.querySelector(".plan-drawing").clientWidth`)
		audit(p, at)
		if n := eval[int](p, `document.querySelector(".profile-body").scrollWidth - document.querySelector(".profile-body").clientWidth`); n > 0 {
			t.Errorf("%s: the view is %d pixels wider than its pane", at, n)
		}
		eval[bool](p, `document.querySelector(".profile-body").scrollTo(0, document.querySelector("#memory-plan").offsetTop), true`)
		p.screen(at + "-plan")
		eval[bool](p, `document.querySelector(".profile-body").scrollTo(0, 0), true`)
	})
}
