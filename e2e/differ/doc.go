// Package differ compares the compiler with ONNX Runtime on random models: nodes of one operator with random attributes, shapes, and element types, and small graphs of several.
// It runs where ONNXRUNTIME_NODE names a folder in which the npm package onnxruntime-node is installed:
//
//	npm install --prefix DIR --ignore-scripts onnxruntime-node
//	ONNXRUNTIME_NODE=DIR IRSCOPE_CASES=5000 go test -v ./e2e/differ
//
// With -v, it says at the end how often the two agreed, and which models either refused. A case that failed is repeated by the command that it prints.
// DIFFER_OPS=Conv,Resize draws these alone (a case is repeated with the same list), DIFFER_KEEP=FILE writes the model of each case to a file, the last one staying there, and
// DIFFER_RECORD=1 writes some models of each operator that is drawn in which both agree to testdata/onnxruntime.tar.gz (replacing those of the same operators), which e2e/models runs everywhere, and
// DIFFER_SHOW=1 prints models that the importer refuses.
//
// A model that leaves extents open is run with others too, and TestUnfit runs models with extents that do not fit each other, without ONNX Runtime.
//
// TestPasses takes graphs of the same kinds through the passes that are in no default pipeline, each alone and somewhere between the others, and needs no ONNX Runtime.
// DIFFER_PASSES=FuseOps,tir.Simplify runs these alone. TestOrders takes them through whole pipelines with passes left out, moved, repeated, and put in.
//
// # Known differences
//
// These are not drawn. ONNX Runtime 1.30 differs from the text of the operators, or from its own other types:
//
//   - reductions of no elements over axes that are negative or out of order: extents are not those of the axes
//   - ReduceMean of no elements is 0, not NaN
//   - ReduceMax, ReduceMin, and ReduceLogSumExp of a NaN: it is passed over, or not, by the length of the axis
//   - MatMul, MatMulInteger, and QGemm with sums of nothing are not always written, and Gemm leaves out beta there
//   - Attention that is causal with a past and more or fewer new keys than queries sees keys that the past does not leave it, and hides by the least number in output 3
//   - Col2Im with dilations along one or three axes
//   - windows with dilations and auto_pad SAME have other extents than ceil(extent / stride), ConvTranspose with kernels below the strides too
//   - floats cast to integers of four bits are rounded, not truncated, and where values of four bits are handed on, memory is read at times that was not written
//   - Resize with scales that change no extent copies, and tf_crop_and_resize takes an axis whole whose extent stays
//   - Sign of a NaN is 0 for halves, and a NaN for floats
//   - a window of one element that is not periodic is 0/0
//   - Slice backwards to the largest integer of 32 or 64 bits goes to the first element
//   - Min, Max, and Clip of 64-bit integers compare halves, and sums of integers over axes are floats on the way
//   - Mod of integers with fmod is that of floats
//   - QLinearSoftmax of com.microsoft divides integers that stand for exponentials, and is another integer at times
//   - MatMulNBits of com.microsoft with blocks in another order (g_idx) passes over packed zero points, and reads weights of two bits as if they had four
//   - QMoE of com.microsoft normalizes routing weights always
//   - DFT to a real signal (inverse and onesided) adds the bins that it is given without those of which they are the conjugates, and hangs for some lengths
//   - Softplus as an activation of recurrent layers overflows
//   - activations of recurrent layers that take parameters without a default that both know: Affine, ScaledTanh, ThresholdedRelu
//   - TreeEnsemble takes the number of SOFTMAX for LOGISTIC and the other way around, and members that are not from 0 to 30 are refused or not always found
//   - base values of trees are left out for targets that no leaf of a row votes for, and of two classes of which one score stands for both, the second may not be written
//
// With extents that the model leaves open, where operators' text has an error:
//
//   - Concat passes over tensors of no elements, whatever their other extents are
//   - Compress passes over what a condition says beyond the axis
//   - a window that the elements do not fill has a result at times
//   - LSTM of no steps gives states that were not written
//   - batches of GatherND and of MatMulInteger without columns, and losses of other extents than their labels, are not compared
//   - Pad with wrap by more than an extent takes other elements than NumPy
//   - MeanVarianceNormalization of equal elements may be a NaN
//
// The text leaves open:
//
//   - infinities in Clip without a bound on their side: they stay here, as in the reference implementation; in ONNX Runtime they become the largest number, but for floats
//   - AffineGrid with align_corners along an extent of 1
//   - floats beyond the range of the integers that they are cast to, and a NaN
//   - the mask of Dropout before operator set 12 in inference, which keeps all here
//   - the mean of no integers, which is an error of the run here
//
// The compiler differs on purpose or within its limits:
//
//   - sums of int32 and int64 are taken not to overflow, as those of indices, also where a comparison is solved for one of its terms
//   - PRelu is max(x, 0) + slope * min(x, 0), which is NaN for slopes that are infinite
//   - an extent that is computed and comes out as 0 is 0 in Reshape, not that of the input
//   - what a loop of no turns collects has the shape of its rows behind an extent of 0, in ONNX Runtime that extent alone
//   - Resize by a part of an extent that is not known ends the run where something is left over
//   - Einsum does not repeat an extent that is not known to be 1
//   - Squeeze without axes takes extents that are not known to be other than 1
//   - Softplus and Mish of halves are rounded on the way
package differ
