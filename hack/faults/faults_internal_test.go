package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/permit"
)

func declare(route string, hook bool, faults ...*fault.Fault) endpoint.Endpoint {
	about := endpoint.About{Route: route, Who: permit.AnyoneIncludingHooks, Faults: faults}
	serve := func(context.Context, actor.Actor, struct{}) (endpoint.Nothing, error) { return endpoint.Nothing{}, nil }
	if hook {
		return endpoint.Hook(about, serve)
	}
	return endpoint.New(about, serve)
}

func TestCompare(t *testing.T) {
	t.Parallel()
	long, short := fault.Bad("'%s' is too long"), fault.Plain("too short")
	folder, repository := t.TempDir(), t.TempDir()
	for _, dir := range []string{filepath.Join(repository, "services/a"), filepath.Join(repository, "services/api/b"), filepath.Join(folder, module, "services/api")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"services/a.faults":        "GET /api/v1/a\t400 BAD_REQUEST '%s' is too long\nPOST /api/v1/external/x\t400  too short\n",
		"services/api/b.faults":    "GET /api/v1/other\t400  too short\n",
		"services/api/gone.faults": "GET /api/v1/b\t400 BAD_REQUEST '%s' is too long\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, module, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := read(folder, repository)
	if err != nil {
		t.Fatal(err)
	}
	missing, all := compare([]endpoint.Endpoint{
		declare("GET /a", false, long, short), declare("GET /b", false, long),
		declare("POST /external/x", true, short), declare("POST /external/y", true, short, long),
	}, got)
	want := []string{
		"GET /api/v1/a: 400  too short",
		"GET /api/v1/b: 400 BAD_REQUEST '%s' is too long",
		"POST /api/v1/external/y: 400 BAD_REQUEST '%s' is too long",
	}
	if diff := cmp.Diff(want, missing); diff != "" || all != 6 {
		t.Errorf("%d declared (-want +got):\n%s", all, diff)
	}
}
