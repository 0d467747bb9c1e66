package tir

// AttrBandRows is the annotation of blocks that end a computation of images band by band, with one step behind the other: how many rows of the result a band has. Their first two axes
// are the images and the bands, or, with AttrBandAxes 1, the first one counts the bands of all images. A schedule may run all steps of a band before those of the next, so that what lies
// between them is the memory of one band.
const (
	AttrBandRows = "band_rows"
	AttrBandAxes = "band_axes"
)
