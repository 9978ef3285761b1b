package waiting

// dismiss tells those who wait for the second time that they have waited for long. A poll that is answered
// soon costs the least where it is, and one that waits for long elsewhere.
func (r *Room) dismiss() {
	for _, s := range r.shards {
		s.mutex.Lock()
		for _, p := range s.waiting {
			if p.long == nil || p.asking {
				continue
			}
			if p.rounds++; p.rounds == 2 {
				p.long <- struct{}{}
				p.long = nil
			}
		}
		s.mutex.Unlock()
	}
}
