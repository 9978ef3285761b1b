package inbox

// Hasten lowers the numbers of messages that are marked in a transaction and that marks of streams advance by, so
// that small tests reach these limits.
func (s *Service) Hasten() { s.limits = limits{portion: 3, passed: 4, passedEach: 2, again: 3} }
