// Package bench measures what the README and docs/numbers.md state: `make bench` prints the
// table. Absolute times belong to a machine; ratios of one run are what counts.
//
// It holds benchmarks only; nothing imports it.
package bench
