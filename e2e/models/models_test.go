package models

import (
	"testing"

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
	for _, k := range target.Kinds() {
		for _, c := range onnxtest.Gallery(t) {
			t.Run(k.Name+"/"+c.Name, func(t *testing.T) { newHarness(t).checkTarget(c, target.Of(k.Name), pass.DefaultOptLevel) })
		}
	}
}

func TestReal(t *testing.T) {
	for _, c := range onnxtest.Real(t) {
		t.Run(c.Name, func(t *testing.T) { newHarness(t).checkModel(c, 0, 1, 2, 3) })
	}
}

// TestLight runs the nine light models with seeded weights. Without a schedule (opt_level 0)
// the largest take a minute, so a short run leaves that level to the smaller ones.
func TestLight(t *testing.T) {
	large := map[string]bool{"light_vgg19": true, "light_resnet50": true, "light_densenet121": true, "light_inception_v1": true, "light_inception_v2": true, "light_zfnet512": true, "light_bvlc_alexnet": true}
	for _, c := range onnxtest.Light(t) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			levels := []int{0, 1, 2, 3}
			if large[c.Name] && seed.Times(1, 4) < 4 {
				levels = []int{2} // make nightly runs them at each
			}
			newHarness(t).checkModel(c, levels...)
		})
	}
}
