package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
)

// releaseFile is what the last release did to the database. RECORD_RELEASE=1 replaces it by what this program does.
const releaseFile = "testdata/release.jsonl"

// released is a release of the server, as its database sees it: the first line of the file. A statement is in each of the others.
type released struct {
	Schema int64  `json:"schema"` // its newest migration
	Send   string `json:"send"`   // a statement that stores the message of [sender]
}

type statement struct {
	SQL     string   `json:"sql"`
	Roles   []string `json:"roles"`             // which may run it
	Takes   []string `json:"takes,omitempty"`   // types of parameters
	Returns []string `json:"returns,omitempty"` // columns, with their types
}

// preparer is a connection that prepares statements and runs none.
type preparer struct {
	*pgx.Conn

	types    map[uint32]string
	prepared int
}

func preparing(t *testing.T, url string) *preparer {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	p := &preparer{Conn: conn, types: map[uint32]string{}}
	for _, row := range storetest.Rows[struct {
		OID  uint32
		Name string
	}](storetest.Connect(t, url), "select oid, oid::regtype::text from pg_type") {
		p.types[row.OID] = row.Name
	}
	if _, err := conn.Exec(t.Context(), "set app.org = '1'; set plan_cache_mode = force_generic_plan"); err != nil {
		t.Fatal(err)
	}
	return p
}

// describe completes a statement by the types of its parameters and results, and by the roles that may run it.
func (p *preparer) describe(ctx context.Context, s *statement) error {
	s.Roles, s.Takes, s.Returns = nil, nil, nil
	p.prepared++
	name := fmt.Sprintf("s%d", p.prepared)
	description, err := p.Prepare(ctx, name, s.SQL)
	if err != nil {
		return err
	}
	for _, oid := range description.ParamOIDs {
		s.Takes = append(s.Takes, p.types[oid])
	}
	for _, field := range description.Fields {
		s.Returns = append(s.Returns, field.Name+" "+p.types[field.DataTypeOID])
	}
	execute := "execute " + name
	if n := len(s.Takes); n > 0 {
		execute += "(" + strings.Repeat("null, ", n-1) + "null)"
	}
	var denied error
	for _, role := range []string{"chatserver_everywhere", "chatserver_service"} {
		_, err := p.Exec(ctx, "set role "+role+"; explain "+execute) // checks permissions, and runs nothing
		if err == nil {
			s.Roles = append(s.Roles, role)
		} else {
			denied = err
		}
		if _, err := p.Exec(ctx, "reset role"); err != nil {
			return err
		}
	}
	if s.Roles == nil {
		return denied
	}
	return nil
}

// readRelease reads [releaseFile].
func readRelease(t *testing.T) (before released, statements []statement) {
	t.Helper()
	content, err := os.ReadFile(releaseFile)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	err = decoder.Decode(&before)
	for err == nil && decoder.More() {
		s := statement{}
		err = decoder.Decode(&s)
		statements = append(statements, s)
	}
	if err != nil || len(statements) < 400 {
		t.Fatalf("%s: %d statements, %v", releaseFile, len(statements), err)
	}
	return before, statements
}

// record writes [releaseFile]: the statements of sqlc, those in the other files of the package, and those that some narrows make.
func record(t *testing.T, url string) {
	t.Helper()
	schema, err := store.Migrate(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]bool{} // by text: whether it is one for certain, rather than a part of one
	generated, err := filepath.Glob("sqlc/*.sql.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range literals(t, generated, "-- name: ") {
		texts[text] = true
	}
	own, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range literals(t, own, "select ") {
		texts[text] = false
	}
	all := []store.Condition{
		store.InStream{Stream: 1},
		store.InPublicStreams{},
		store.InTopic{Topic: "x"},
		store.SentBy{Sender: 1},
		store.InConversation{Conversation: 1},
		store.InGroupWith{User: 1},
		store.IsPrivate{},
		store.HasFlags{Flags: event.Mentioned},
		store.IsMentioned{},
		store.IsUnread{},
		store.HasAttribute{Bit: 1},
		store.InHome{},
		store.HasWords{Words: "x", Literally: []string{"y"}},
		store.HasID{},
	}
	for i, one := range all {
		narrow := store.Narrow{Reader: 1, Terms: []store.NarrowTerm{{Condition: one}, {Condition: all[(i+1)%len(all)], Negated: true}}}
		text, _ := store.Statement(narrow, store.MessageRange{First: 1, Last: 2, Limit: 3})
		texts[text] = true
	}
	conn := preparing(t, url)
	lines := &bytes.Buffer{}
	encoder := json.NewEncoder(lines)
	encoder.SetEscapeHTML(false)
	db, org, message := sender(t, url)
	send, err := db.SendStatement(t.Context(), org, message)
	if err != nil {
		t.Fatal(err)
	}
	checkSend(t, conn, send)
	err = encoder.Encode(released{schema.Has, send})
	for _, text := range slices.Sorted(maps.Keys(texts)) {
		s := statement{SQL: text}
		problem := conn.describe(t.Context(), &s)
		if problem == nil {
			err = errors.Join(err, encoder.Encode(s))
		} else if texts[text] {
			t.Errorf("%v\n%s", problem, text)
		}
	}
	if err = errors.Join(err, os.WriteFile(releaseFile, lines.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// literals returns the strings in Go files that begin like this, except those of tests.
func literals(t *testing.T, files []string, prefix string) (found []string) {
	t.Helper()
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			literal, ok := node.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(text, prefix) {
				found = append(found, text)
			}
			return true
		})
	}
	return found
}
