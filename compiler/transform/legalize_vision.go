package transform

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
)

// visionRule returns the rules of operators that sample images and choose boxes.
func visionRule(name string) rule {
	switch name {
	case "image.affine_grid":
		return one(func(k *kernel) *te.Tensor {
			return topi.AffineGrid(k.tensor(0), k.shape(0)[2:], k.bool("align_corners"))
		})
	case "image.grid_sample":
		return func(k *kernel) ([]*te.Tensor, error) {
			x, grid := k.tensor(0), k.tensor(1)
			if k.err != nil {
				return nil, k.err
			}
			o := topi.GridOpts{Layout: k.str("layout"), Method: k.str("method"), Padding: k.str("padding_mode"), Corners: k.bool("align_corners")}
			return orSkip(topi.GridSample(x, grid, o))
		}
	case "reverse_sequence":
		return one(func(k *kernel) *te.Tensor {
			x, n := k.tensor(0), k.tensor(1)
			seq, _ := k.axis("seq_axis", x.NDim())
			batch, _ := k.axis("batch_axis", x.NDim())
			if k.err != nil {
				return x
			}
			return topi.ReverseSequence(x, n, seq, batch)
		})
	case "median":
		return func(k *kernel) ([]*te.Tensor, error) {
			x := k.tensor(0)
			if k.err != nil {
				return nil, k.err
			}
			_, places := k.info.(*relax.TupleStructInfo)
			values, at, err := topi.Median(x, k.axes("axis", x.NDim()), k.shape(0))
			if err != nil {
				return nil, skipf("%v", err)
			}
			if !places {
				return []*te.Tensor{values}, nil
			}
			return []*te.Tensor{values, at}, nil
		}
	case "vision.roi_align":
		return regions(topi.ROIAlign)
	case "vision.roi_pool":
		return regions(topi.ROIPool)
	case "vision.get_valid_counts":
		return func(k *kernel) ([]*te.Tensor, error) {
			return topi.ValidCounts(k.tensor(0), k.float("score_threshold"), k.int("id_index"), k.int("score_index")), k.err
		}
	case "vision.non_max_suppression":
		return func(k *kernel) ([]*te.Tensor, error) {
			x, valid, indices := k.tensor(0), k.tensor(1), k.tensor(2)
			if k.err != nil {
				return nil, k.err
			}
			return topi.NMS(x, valid, indices, topi.NMSOpts{
				MaxOutput: k.int("max_output_size"), TopK: k.int("top_k"), IOU: k.float("iou_threshold"), Force: k.bool("force_suppress"),
				CoordStart: k.int("coord_start"), Score: k.int("score_index"), ID: k.int("id_index"),
				ReturnIndices: k.bool("return_indices"), ToFront: k.bool("invalid_to_bottom"),
				SoftSigma: k.float("soft_nms_sigma"), SoftThreshold: k.float("score_threshold"),
			}), nil
		}
	case "vision.all_class_non_max_suppression":
		return classNMS
	case "vision.multibox_transform_loc":
		return func(k *kernel) ([]*te.Tensor, error) {
			x, numbers, anchors := k.tensor(0), k.tensor(1), k.tensor(2)
			if k.err != nil {
				return nil, k.err
			}
			return topi.Multibox(x, numbers, anchors, k.floats("variances"), k.bool("clip"), k.float("threshold"), k.bool("keep_background")), nil
		}
	}
	return nil
}

// regions is the rule of pooling regions of images.
func regions(f func(x, rois *te.Tensor, o topi.ROIOpts) (*te.Tensor, error)) rule {
	return func(k *kernel) ([]*te.Tensor, error) {
		x, rois := k.tensor(0), k.tensor(1)
		size := k.ints("pooled_size")
		if k.err != nil {
			return nil, k.err
		}
		if !x.DType.IsFloat() || !rois.DType.IsFloat() {
			return nil, skipf("its arguments are %s and %s, not of floating-point types", x.DType, rois.DType)
		}
		return orSkip(f(x, rois, topi.ROIOpts{
			Layout: k.str("layout"), Height: size[0], Width: size[len(size)-1], Scale: k.float("spatial_scale"),
			Samples: k.int("sample_ratio"), Aligned: k.bool("aligned"), Max: k.str("mode") == "max", MaxWeighted: k.str("mode") == "max_weighted",
		}))
	}
}

// classNMS takes its three numbers as scalars or as tensors of one element.
func classNMS(k *kernel) ([]*te.Tensor, error) {
	boxes, scores := k.tensor(0), k.tensor(1)
	var numbers [3]topi.Operand
	for i := range numbers {
		numbers[i] = k.operand(2 + i)
		if t := numbers[i].Tensor; k.err == nil && t != nil && t.NDim() > 1 {
			k.fail(skipf("argument %d has more than one dimension", 2+i))
		}
	}
	if k.err != nil {
		return nil, k.err
	}
	if d := boxes.DType; !d.IsFloat() || !scores.DType.IsFloat() || numbers[0].DType() == dtype.BoolT {
		return nil, skipf("its boxes and scores are %s and %s, not of floating-point types", d, scores.DType)
	}
	return topi.ClassNMS(boxes, scores, numbers[0], numbers[1], numbers[2], k.str("output_format") == "tensorflow"), nil
}
