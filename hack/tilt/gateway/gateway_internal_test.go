package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestRoutes(t *testing.T) {
	hosts := map[string]string{}
	for _, service := range []string{"api", "events", "webhook"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "%s %s%s", service, r.Host, r.URL)
		}))
		defer server.Close()
		hosts[service] = strings.TrimPrefix(server.URL, "http://")
	}
	gateway := httptest.NewServer(routes(func(service string) string { return hosts[service] }))
	defer gateway.Close()
	for path, service := range map[string]string{
		"/":                                 "api",
		"/api/v1/messages?num_before=1":     "api",
		"/api/v1/register":                  "events",
		"/api/v1/events?queue_id=a%2Fb":     "events",
		"/api/v1/events/more":               "api",
		"/api/v1/external/alertmanager?a=b": "webhook",
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, gateway.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = "eng.localhost:8080"
		response, err := gateway.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(response.Body)
		response.Body.Close()
		if want := service + " eng.localhost:8080" + path; string(got) != want || err != nil {
			t.Errorf("%s is answered by %q (%v), want %q", path, got, err, want)
		}
	}
}
