//go:build (linux && (arm64 || riscv64 || ppc64le || s390x || loong64)) || ((darwin || freebsd || netbsd || openbsd || dragonfly) && (amd64 || arm64 || riscv64))

package memory

// reserveGuarded reserves nothing: no machine code runs here that needs guards.
func reserveGuarded(uint64) *Reservation { return nil }
