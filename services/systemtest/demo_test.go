package systemtest_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatserver.dev/pkg/storetest"
)

// TestDemoIsCompleted interrupts the first start while the demo's messages are sent. The next start sends the others. What its people
// change afterwards, and the loss of the file with their keys, don't keep the server from starting.
func TestDemoIsCompleted(t *testing.T) {
	t.Parallel()
	servers := StartServers(t)
	dir := t.TempDir()
	p := NewProcess(t, "chatserver", append(servers.Env(), "CHAT_DEMO=true", "CHAT_LOCAL_DIR="+dir)...)
	p.Launch("migrate")
	if err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	sql := storetest.Connect(t, servers.Postgres.URL("postgres"))
	sql.Exec("create function refuse() returns trigger language plpgsql as $$ begin raise 'no room'; end $$")
	sql.Exec("create trigger refuse before insert on messages for each row when (new.content like '**Tern**%') execute function refuse()")
	p.Launch()
	if err := p.Wait(); err == nil || !strings.Contains(p.Log(), "fill the demo organization: message of ") {
		t.Fatalf("it wasn't interrupted: %v", err)
	}
	sql.Exec("drop trigger refuse on messages")
	p.Start()
	found := func(query string) []string {
		return storetest.Values[string](sql, "select row("+query+")::text from messages join users u on sender_id = user_id where bot_type is distinct from 4 and not system")
	}
	once := found("count(*), count(distinct content), count(*) filter (where topic = 'arrivals')")
	if want := []string{"(80,80,60)"}; !slices.Equal(once, want) {
		t.Errorf("messages %v, want %v", once, want)
	}
	if groups := storetest.Values[int64](sql, "select count(*) from user_groups"); groups[0] != 2 {
		t.Errorf("%d groups", groups)
	}
	ada := readDemo(t, dir).Accounts[0]
	p.Stop()

	sql.Exec("update users set email = 'a.berg@harbour.example' where email = 'ada@harbour.example'")
	p.Start()
	moved := readDemo(t, dir).Accounts[0]
	if me := ask(t.Context(), t, http.MethodGet, p.URL()+"/api/v1/users/me", moved, nil); me["user_id"] != float64(ada.UserID) || moved.Email != "a.berg@harbour.example" {
		t.Errorf("with another address: %v, %+v", me, moved)
	}
	p.Stop()

	if err := os.Remove(filepath.Join(dir, "demo.json")); err != nil {
		t.Fatal(err)
	}
	p.Start()
	if left := readDemo(t, dir); len(left.Accounts) != 5 || left.Accounts[0].Email != "ben@harbour.example" || left.Accounts[0].APIKey == "" {
		t.Errorf("without the file: %+v", left.Accounts)
	}
	if again := found("count(*), count(distinct content), count(*) filter (where topic = 'arrivals')"); !slices.Equal(once, again) {
		t.Errorf("messages %v, and before %v", again, once)
	}
	p.Stop()
}
