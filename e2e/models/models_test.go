package models

import (
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/target"
)

func TestGallery(t *testing.T) {
	for _, c := range onnxtest.Gallery(t) {
		t.Run(c.Name, func(t *testing.T) { newHarness(t).checkModel(c, 0, 1, 2, 3, 4) })
	}
}

// TestGalleryTargets runs the gallery for the default target of each kind.
func TestGalleryTargets(t *testing.T) {
	for _, k := range target.CodeKinds() {
		tg, err := compiler.ForMachine(target.Of(k.Name))
		if err != nil {
			t.Logf("without %s: %v", k.Name, err)
			continue
		}
		for _, c := range onnxtest.Gallery(t) {
			t.Run(k.Name+"/"+c.Name, func(t *testing.T) { newHarness(t).checkTarget(c, tg, pass.DefaultOptLevel) })
		}
	}
}

func TestReal(t *testing.T) {
	for _, c := range onnxtest.Real(t) {
		t.Run(c.Name, func(t *testing.T) {
			if testing.Short() && slow[c.Name] {
				t.Skip("takes seconds at each level")
			}
			newHarness(t).checkModel(c, levels()...)
		})
	}
}

// levels are those that passes differ by (none is of level 4), of a short run the default only.
func levels() []int {
	if testing.Short() {
		return []int{pass.DefaultOptLevel}
	}
	return []int{0, 1, 2, 3}
}

// slow are the models that take seconds at each level: a short run leaves them out.
var slow = map[string]bool{
	"super_resolution_10": true, "ultraface_rfb320": true,
	"light_bvlc_alexnet": true, "light_densenet121": true, "light_inception_v1": true, "light_inception_v2": true,
	"light_resnet50": true, "light_vgg19": true, "light_zfnet512": true,
}

// TestLight runs the nine light models with seeded weights. Without a schedule (opt_level 0)
// the largest take a minute, so only make nightly runs those at each level.
func TestLight(t *testing.T) {
	for _, c := range onnxtest.Light(t) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && slow[c.Name] {
				t.Skip("takes seconds at each level")
			}
			at := levels()
			if slow[c.Name] && seed.Times(1, 4) < 4 {
				at = []int{pass.DefaultOptLevel}
			}
			newHarness(t).checkModel(c, at...)
		})
	}
}
