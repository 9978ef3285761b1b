package store_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/storetest"
)

// TestQueries makes PostgreSQL prepare every query that sqlc generated. sqlc itself doesn't notice if it loses a
// parameter, as in `where org_id=@org_id`, which it parses as the operator =@.
func TestQueries(t *testing.T) {
	t.Parallel()
	_, url := storetest.OpenURL(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for name, query := range namedQueries(t) {
		if _, err := conn.Prepare(t.Context(), name, query); err != nil {
			t.Errorf("%v\n%s", err, query)
		}
	}
}
