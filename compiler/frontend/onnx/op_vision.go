package onnx

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

func visionRows() []operator {
	return []operator{
		{name: "AffineGrid", minIn: 2, maxIn: 2, attrs: []string{"align_corners"}, convert: affineGrid},
		{name: "GridSample", minIn: 2, maxIn: 2, attrs: []string{"align_corners", "mode", "padding_mode"}, convert: gridSample},
		{name: "ReverseSequence", minIn: 2, maxIn: 2, attrs: []string{"batch_axis", "time_axis"}, convert: reverseSequence},
		{name: "MaxRoiPool", minIn: 2, maxIn: 2, attrs: []string{"pooled_shape", "spatial_scale"}, convert: maxROIPool},
		{
			name: "RoiAlign", minIn: 3, maxIn: 3, convert: roiAlign,
			attrs: []string{"coordinate_transformation_mode", "mode", "output_height", "output_width", "sampling_ratio", "spatial_scale"},
		},
	}
}

// coordinatesLast are the axes of a grid (batch, coordinates, places...) in ONNX's order, and coordinatesFirst undoes that.
func coordinatesLast(n int) (last, first []int64) {
	last, first = []int64{0}, []int64{0, int64(n + 1)}
	for k := range n {
		last, first = append(last, int64(2+k)), append(first, int64(1+k))
	}
	return append(last, 1), first
}

func affineGrid(n *node) {
	size := n.shapeOperand(1, "size")
	if len(size) != 4 && len(size) != 5 {
		n.fail("size has %d extents, expected batch, channels and two or three more", len(size))
	}
	if !n.equal(n.dims(0)[0], size[0]) {
		n.fail("input 0 has %s matrices for a batch of %s", relax.FormatPrim(n.dims(0)[0]), relax.FormatPrim(size[0]))
	}
	grid := n.emit("relax.image.affine_grid", args(n.expr(0), shapeExpr(size[2:])), "align_corners", n.bool("align_corners", false))
	last, _ := coordinatesLast(len(size) - 2)
	n.result("relax.permute_dims", args(grid), "axes", last)
}

func gridSample(n *node) {
	rank := n.rank(0)
	if rank != 4 && rank != 5 || n.rank(1) != rank {
		n.fail("the inputs have %d and %d dimensions, expected 4 or 5 of both", rank, n.rank(1))
	}
	method := map[string]string{"bilinear": "bilinear", "linear": "bilinear", "nearest": "nearest", "bicubic": "bicubic", "cubic": "bicubic"}
	mode := method[n.str("mode", "linear", "linear", "nearest", "cubic", "bilinear", "bicubic")]
	layout := "NCHW"
	if rank == 5 {
		layout = "NCDHW"
	}
	_, first := coordinatesLast(rank - 2)
	grid := n.emit("relax.permute_dims", args(n.expr(1)), "axes", first)
	n.result("relax.image.grid_sample", args(n.expr(0), grid), "method", mode, "layout", layout,
		"padding_mode", n.str("padding_mode", "zeros", "zeros", "border", "reflection"), "align_corners", n.bool("align_corners", false))
}

func reverseSequence(n *node) {
	n.result("relax.reverse_sequence", args(n.expr(0), n.expr(1)), "seq_axis", n.int("time_axis", 0), "batch_axis", n.int("batch_axis", 1))
}

func maxROIPool(n *node) {
	n.result("relax.vision.roi_pool", args(n.expr(0), n.expr(1)), "pooled_size", n.ints("pooled_shape"),
		"spatial_scale", n.float("spatial_scale", 1), "layout", "NCHW")
}

// roiAlign puts the number of the image before each region. With half_pixel regions are moved by half an element and may be smaller than one. The
// maximum is that of the weighted elements, where TVM's is that of interpolated samples.
func roiAlign(n *node) {
	mode := map[string]string{"avg": "avg", "max": "max_weighted"}[n.str("mode", "avg", "avg", "max")]
	half := n.opset >= 16 && n.str("coordinate_transformation_mode", "half_pixel", "half_pixel", "output_half_pixel") == "half_pixel"
	scale := n.float("spatial_scale", 1)
	if scale == 0 {
		n.fail("attribute \"spatial_scale\" is 0")
	}
	regions, d := n.expr(1), n.dtype(1)
	if half {
		regions = n.emit("relax.subtract", args(regions, n.constant(d, 0.5/scale)))
	}
	n.ranked(2, 1, 1)
	images := n.emit("relax.astype", args(n.expr(2)), "dtype", d)
	images = n.reshape(images, []tir.Expr{n.dims(2)[0], tir.Int(1)})
	rois := n.emit("relax.concat", args(tuple([]relax.Expr{images, regions})), "axis", int64(1))
	n.result("relax.vision.roi_align", args(n.expr(0), rois), "pooled_size", []int64{n.int("output_height", 1), n.int("output_width", 1)},
		"spatial_scale", scale, "sample_ratio", n.int("sampling_ratio", 0), "aligned", half, "layout", "NCHW", "mode", mode)
}
