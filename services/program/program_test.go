package program_test

import (
	"slices"
	"testing"
	"time"

	"go.opentelemetry.io/otel/metric/noop"

	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/program"
)

// Whatever process answers registrations and polls can also say what streams are called, which clients
// of the reference server need.
func TestNamesOfStreams(t *testing.T) {
	t.Parallel()
	for _, p := range []boot.Program{program.Events(), program.All()} {
		db := storetest.Open(t)
		accounts := user.NewAuthenticator(db, org.Config{}, time.Now, testbed.Logger(t))
		parts, err := p.Parts(boot.Deps{DB: db, Accounts: accounts, Now: time.Now, Meter: noop.NewMeterProvider().Meter("")})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, part := range parts {
			found = found || slices.ContainsFunc(part.Endpoints, func(e endpoint.Endpoint) bool { return e.Route() == "GET /api/v1/streams" })
		}
		if !found {
			t.Errorf("%s lacks GET /streams", p.Name)
		}
	}
}
