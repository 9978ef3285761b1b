package presence

// ClientName is clientName for tests.
func ClientName(name string) string { return clientName(name) }
