package testbed

// Connections are open to a database from one test of a process to the next, since a new connection takes PostgreSQL longer
// than most of what a test does with it: it reads the catalogs and plans each statement again.
type Connections interface {
	// Idle is the number of connections that are open and that nobody uses. When a test ends, all of them have to be.
	Idle() int
	// Close closes them.
	Close()
}

// Keep keeps connections open for the next test of the process that gets the database, in place of earlier ones. They are closed
// when no test gets it. Their users may change nothing but rows.
func (d Database) Keep(c Connections) {
	databases.mu.Lock()
	defer databases.mu.Unlock()
	databases.kept[d.Name] = c
}

// Kept returns what an earlier test has kept open; nil: nothing.
func (d Database) Kept() Connections { return databases.keptAt(d.Name) }

// forget closes what is kept open to a database.
func (s *server) forget(database string) {
	s.mu.Lock()
	c := s.kept[database]
	delete(s.kept, database)
	s.mu.Unlock()
	if c != nil {
		c.Close() // may wait for a test that still uses it; others mustn't
	}
}

func (s *server) keptAt(database string) Connections {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept[database]
}
