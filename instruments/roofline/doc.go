// Package roofline measures what generated code can reach on this machine, and says what a kernel could reach at best: the roofline
// model (Williams, Waterman, and Patterson, "Roofline: an insightful visual performance model", CACM 52(4), 2009).
//
// The two limits are measured by kernels that the compiler itself makes for the target, so that engine and instructions are those
// of the kernels that are judged: multiply-adds in registers, and a sum of two vectors of several sizes. Package driver imports it; it
// knows nothing of models or runs.
package roofline
