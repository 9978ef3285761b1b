package store_test

import (
	"strings"
	"testing"

	"chatserver.dev/pkg/store"
)

// A logged error contains the name of the query, whatever its callers add.
func TestErrorsNameTheQuery(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	for name, query := range map[string]func(tx *store.Tx) error{
		"StreamByID":       func(tx *store.Tx) error { _, err := tx.StreamByID(t.Context(), 1, 1); return err },                  // no row
		"StreamsByKey":     func(tx *store.Tx) error { _, err := tx.StreamsByKey(t.Context(), 1, []string{"\x00"}); return err }, // invalid text
		"DeactivateStream": func(tx *store.Tx) error { return tx.DeactivateStream(t.Context(), 1) },                              // a write
	} {
		err := w.db.Read(t.Context(), org, query)
		if err == nil || !strings.Contains(err.Error(), "query "+name+": ") {
			t.Errorf("%s: %v", name, err)
		}
		if store.IsNotFound(err) != (name == "StreamByID") {
			t.Errorf("%s is said to be missing, or not: %v", name, err)
		}
	}
}
