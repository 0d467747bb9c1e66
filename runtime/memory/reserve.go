package memory

// Reservation is a range of address space that holds one linear memory. Its bytes do not
// move until Close.
type Reservation struct {
	bytes []byte
}

// Bytes is the whole range. It must not be touched after Close.
func (r *Reservation) Bytes() []byte { return r.bytes }

// Close returns the range to the system. A second Close does nothing.
func (r *Reservation) Close() error {
	if r.bytes == nil {
		return nil
	}
	err := r.unmap()
	r.bytes = nil
	return err
}
