package state_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/services/servicetest"
)

// always returns the keys of every answer.
func always() []string {
	return []string{"result", "msg", "queue_id", "last_event_id", "service_version", "service_feature_level", "zulip_version", "zulip_feature_level"}
}

// register returns the answer to a registration.
func register(a servicetest.Account, params servicetest.Params) map[string]any {
	answer := map[string]any{}
	a.Do(http.MethodPost, "/register", params).OK().Decode(&answer)
	return answer
}

// fetch registers for some parts of the state.
func fetch(a servicetest.Account, selectors ...string) map[string]any {
	return register(a, servicetest.Params{"fetch_event_types": selectors})
}

// only keeps some keys.
func only(of map[string]any, keys ...string) map[string]any {
	kept := maps.Clone(of)
	maps.DeleteFunc(kept, func(key string, _ any) bool { return !slices.Contains(keys, key) })
	return kept
}

// list returns one member of each object of a list.
func list(of any, member string) []any {
	values := []any{}
	for _, object := range of.([]any) {
		values = append(values, object.(map[string]any)[member])
	}
	return values
}

// find returns the object of a list whose member has a value, or nil.
func find(of any, member string, value any) map[string]any {
	for _, object := range of.([]any) {
		if object := object.(map[string]any); object[member] == value {
			return object
		}
	}
	return nil
}

// exec runs SQL as a superuser, for changes that no endpoint makes yet.
func exec(t testing.TB, w *servicetest.World, sql string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), w.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// choose changes settings of the first organization.
func choose(t testing.TB, w *servicetest.World, settings string) {
	t.Helper()
	exec(t, w, `update organizations set settings = settings || $2::jsonb where org_id = $1`, w.Org.ID, settings)
}
