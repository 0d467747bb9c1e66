package tir

// AttrSumRuns is the annotation of blocks that add terms in a wider type than theirs for the
// length of the sum alone. Its value is how many terms may be added one after the other in their
// own type before they go to the sum, so that a schedule can do most of the work in vectors of
// the narrower type.
const AttrSumRuns = "sum_runs"
