package testbed

// Connections are connections to a database that stay open from one test of a process to the next. A new connection
// is expensive compared with most tests, because PostgreSQL reads the catalogs and plans each statement again.
type Connections interface {
	// Idle returns the number of open connections that aren't in use. When a test ends, none may be in use.
	Idle() int
	// Close closes them.
	Close()
}

// Keep keeps connections open for the next test of the process with this database, in place of earlier ones. They are
// closed if there is no such test. Over them, only rows may be changed.
func (d Database) Keep(c Connections) {
	databases.mu.Lock()
	defer databases.mu.Unlock()
	databases.kept[d.Name] = c
}

// Kept returns the connections that an earlier test has kept open; nil: none.
func (d Database) Kept() Connections {
	databases.mu.Lock()
	defer databases.mu.Unlock()
	return databases.kept[d.Name]
}

// forget closes the kept connections to a database.
func (s *server) forget(database string) {
	s.mu.Lock()
	c := s.kept[database]
	delete(s.kept, database)
	s.mu.Unlock()
	if c != nil {
		c.Close() // may wait for a test that uses them, so the lock isn't held
	}
}
