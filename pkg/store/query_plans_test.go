package store_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// Queries look at about as many rows as they return, whether PostgreSQL plans them for their parameters or, as it may after five
// executions, for all parameters.
func TestRowsOfQueries(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	people := w.users(org, 20)
	names := make([]string, 2000)
	for i := range names {
		names[i] = fmt.Sprintf("stream %d", i)
	}
	streams := w.streams(org, names...)
	w.session.Exec(`insert into subscriptions (org_id, stream_id, user_id, color, received)
		select $1, s, u, '#fff', '{[1,)}' from unnest($2::bigint[]) s, unnest($3::bigint[]) u`, org, streams[:1000], people[:2])
	w.session.Exec(storetest.InsertMessages(`select $1::bigint as org_id, n as message_id, $2::bigint as sender_id, $3::bigint as stream_id, 'x' as content
		from generate_series(1, 20000) n`), org, people[0], streams[0])
	w.session.Exec(`insert into reactions (org_id, message_id, user_id, reaction_type, emoji_code, emoji_name)
		select $1, n, u, 'unicode_emoji', '1f44d', '+1' from generate_series(1, 20000) n, unnest($2::bigint[]) u where n % 10 = 0`, org, people)
	w.session.Exec(`insert into submessages (org_id, message_id, sender_id, msg_type, content)
		select $1, n, u, 'widget', '{}' from generate_series(1, 20000) n, unnest($2::bigint[]) u where n % 20 = 0`, org, people)
	w.session.Exec(`insert into files (org_id, path, size) select $1, 'file', 1`, org)
	w.session.Exec(`insert into attachments (org_id, attachment_id, owner_id, path, name, slug, media_type, size)
		select $1, 1, $2, 'file', 'file', 'file', 'image/png', 1`, org, people[0])
	w.session.Exec(`insert into attachment_messages (org_id, attachment_id, message_id) select $1, 1, n from generate_series(1, 20000) n`, org)
	w.session.Exec(`insert into invitations (org_id, inviter_id, email, role, streams)
		select $1, ($2::bigint[])[1 + n % 20], 'p' || n || '@acme.example', 400, '{}' from generate_series(1, 5000) n`, org, people)
	w.session.Exec(`insert into webhook_calls (org_id, user_id, message_id, cause, due_at)
		select $1, u, n, 'mention', now() - interval '1 minute' from generate_series(1, 500) n, unnest($2::bigint[]) u`, org, people)
	w.session.Exec(`vacuum analyze`)
	queries := namedQueries(t)
	for _, c := range []struct {
		name, role, parameters string
		rows                   float64 // of one step
		blocks                 int
	}{
		{"InvitationTo", "service", "'p7@acme.example', '2020-01-01'", 1, 200},
		{"EndInvitationsTo", "service", "'p7@acme.example'", 1, 50},
		{"Invitations", "service", "'2020-01-01', true, 1", 5000, 1000},
		{"ArchivedReactions", "service", "20000, 10000, now(), 1, '', '', false, 100", 500, 2000},
		{"ArchivedSubmessages", "service", "20000, 10000, 1, false, 100", 500, 2000},
		{"ReleaseMessages", "service", "1, 100", 200, 1000},
		{"NewStreams", "service", "'2020-01-01', " + strconv.FormatInt(int64(people[0]), 10) + ", 10", 2000, 5000},
		{"DueWebhookCalls", "everywhere", "10, 100", 10_000, 15_000},
	} {
		for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
			w.session.Exec("begin")
			w.session.Exec("set local role chatserver_" + c.role)
			w.session.Exec(fmt.Sprintf("set local app.org = %d", org))
			w.session.Exec("set local jit = off")
			w.session.Exec("set local plan_cache_mode = " + mode)
			w.session.Exec("prepare tried as " + queries[c.name])
			text := storetest.Values[[]byte](w.session, "explain (analyze, buffers, timing off, format json) execute tried("+c.parameters+")")
			w.session.Exec("rollback")
			w.session.Exec("deallocate tried")
			plans := []struct {
				Plan plan `json:"Plan"`
			}{}
			if err := json.Unmarshal(text[0], &plans); err != nil {
				t.Fatal(err)
			}
			got, most := plans[0].Plan, 0.0
			got.walk(func(p plan) { most = max(most, (p.Rows+p.Removed+p.Unjoined+p.Recheck)*p.Loops) })
			if most > c.rows || got.Hit+got.Read > c.blocks || most == 0 && c.name != "EndInvitationsTo" {
				t.Errorf("%s, %s: %.0f rows, %d blocks; want %.0f, %d", c.name, mode, most, got.Hit+got.Read, c.rows, c.blocks)
			}
		}
	}
}

// namedQueries returns the queries that sqlc generated, by their names.
func namedQueries(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("sqlc/*.sql.go")
	if err != nil {
		t.Fatal(err)
	}
	queries := map[string]string{}
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
			name, _, _ := strings.Cut(strings.TrimPrefix(query, "-- name: "), " ")
			queries[name] = query
			return true
		})
	}
	if len(queries) < 100 {
		t.Fatalf("%d queries were found", len(queries))
	}
	return queries
}
