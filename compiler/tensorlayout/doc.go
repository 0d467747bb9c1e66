// Package tensorlayout knows how the axes of a tensor lie in memory: it reads layouts by name, such as NHWC and NCHW16c, and says how
// indices and extents of one become those of another.
//
// A letter in upper case is an axis. A number and the letter in lower case is a part of that axis which was split off: C16c is an axis of 16 C
// elements, in C parts of 16. The names are those of TVM's tir.Layout, and what they mean is what its tir.BijectiveLayout computes.
//
// The package is imported by compiler/op and what is built on it. It knows neither operators nor Relax.
package tensorlayout
