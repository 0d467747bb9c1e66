package catalog_test

import (
	"testing"

	"github.com/irscope/irscope/web/catalog"
	"github.com/irscope/irscope/web/store"
)

// TestFirst puts a target before the others, but not before lessons.
func TestFirst(t *testing.T) {
	all := catalog.Catalog{Targets: []catalog.Target{{Name: "portable"}, {Name: "slow"}, {Name: "fast"}}}
	src := store.Source{Kind: store.SourceGallery}
	for _, c := range []struct{ first, runs, lessons, order string }{
		{"fast", "fast", "portable", "fast portable slow "},
		{"portable", "portable", "portable", "portable slow fast "},
		{"unknown", "portable", "portable", "portable slow fast "},
	} {
		got := all.First(c.first)
		order := ""
		for _, t := range got.Targets {
			order += t.Name + " "
		}
		if order != c.order {
			t.Errorf("%s first: the targets are %q, expected %q", c.first, order, c.order)
		}
		if got := got.Defaults(src).Target; got != c.runs {
			t.Errorf("%s first: runs are for %s, expected %s", c.first, got, c.runs)
		}
		if got := got.LessonDefaults(src).Target; got != c.lessons {
			t.Errorf("%s first: lessons are for %s, expected %s", c.first, got, c.lessons)
		}
	}
	if all.Targets[0].Name != "portable" {
		t.Error("First changed the catalog that it was given")
	}
}
