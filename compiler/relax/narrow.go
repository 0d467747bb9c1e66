package relax

// NarrowResult returns f with the struct info that its body gives the result, where that says more than the one written down, and f itself
// where it does not. TVM's constructor of functions does so, so functions of its tests are equal or not by it.
func NarrowResult(f *Function, c *InferContext) *Function {
	if f.Ret == nil || f.Body == nil {
		return f
	}
	got := c.SInfoOf(f.Body.Body)
	if got == nil || EqualSInfo(got, f.Ret) {
		return f
	}
	got = EraseToWellDefined(got, definedBy(f), paramOf(f))
	if EqualSInfo(got, f.Ret) || c.IsBaseOf(f.Ret, got) != True {
		return f
	}
	return f.WithRet(got)
}
