// Package terminal knows what text is written to: whether it is a terminal, how wide it is, whether it takes colors, and what may
// be sent to it. It lays out tables and paragraphs for a width, and keeps a line of progress below everything else.
//
// cmd/explorer alone imports it. It knows no flags, no passes, and no IR.
package terminal
