package limit

// Known returns the number of keys that are recorded.
func (c *Concurrent[K]) Known() int { return len(c.by) }
