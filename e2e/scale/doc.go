// Package scale holds how passes grow with their modules: programs of any number of bindings, in the forms that each registered pass works
// on, a test that no pass allocates more than in proportion to them, and the benchmark behind docs/scale.md. It has tests only.
package scale
