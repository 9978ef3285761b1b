package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
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
	files, err := filepath.Glob("sqlc/*.sql.go")
	if err != nil {
		t.Fatal(err)
	}
	prepared := 0
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			literal, ok := node.(*ast.BasicLit)
			if !ok || !strings.HasPrefix(literal.Value, "`-- name: ") {
				return true
			}
			query, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			prepared++
			if _, err := conn.Prepare(t.Context(), strconv.Itoa(prepared), query); err != nil {
				t.Errorf("%s: %v\n%s", file, err, query)
			}
			return true
		})
	}
	if prepared < 100 {
		t.Errorf("%d queries were found", prepared)
	}
}
