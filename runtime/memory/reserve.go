package memory

// Reservation is a range of address space that holds one linear memory. Its bytes do not
// move until Close.
type Reservation struct {
	bytes  []byte
	mapped []byte // with what lies around bytes
	guard  uint64
}

// Bytes is the whole range. It must not be touched after Close.
func (r *Reservation) Bytes() []byte { return r.bytes }

// Guard is the least distance in bytes from the memory to anything else of the process: every access that lies nearer to the first byte, or to the end of
// 4 GiB from there, and not in Bytes, faults. It is 0 where the system did not give that much, or cannot.
func (r *Reservation) Guard() uint64 { return r.guard }

// Close returns the range to the system. A second Close does nothing.
func (r *Reservation) Close() error {
	if r.bytes == nil {
		return nil
	}
	err := r.unmap()
	r.bytes, r.mapped = nil, nil
	return err
}
