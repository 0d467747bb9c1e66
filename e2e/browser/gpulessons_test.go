package browser

import (
	"testing"
)

// TestLoopLessonsLook opens the lessons about schedules and races in both themes and in windows of all sizes: nothing sticks out, and axe finds nothing.
func TestLoopLessonsLook(t *testing.T) {
	t.Parallel()
	base := serveCompiler(t)
	for _, name := range []string{"schedule", "five-times-faster", "race"} {
		p := visit(t, base, 1440, 900)
		p.goTo("/lessons")
		p.click(`[data-lesson=` + name + `] .card-open`)
		p.wait(live)
		p.wait(`["ok", "failed"].includes(document.querySelector("#run-state")?.dataset.status)`)
		p.looksAt("", "lesson-"+name, [][2]int64{{1440, 900}, {1024, 768}, {390, 844}}, func(p *page, at string) {
			audit(p, at)
			if n := eval[int](p, `document.querySelector("#lesson").scrollWidth - document.querySelector("#lesson").clientWidth`); n > 0 {
				t.Errorf("%s: something sticks out of the lesson by %d px", at, n)
			}
		})
	}
}
