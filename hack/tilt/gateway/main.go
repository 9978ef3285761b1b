// Command gateway provides one address for a server in a development cluster, in place of an Ingress or a Gateway: it
// forwards each request to the service that answers it. It runs in the cluster, so connections outlive the pods behind
// it.
//
//	gateway server        for the ChatServer of that name, in the gateway's own namespace
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gateway server")
		os.Exit(2)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	host := func(service string) string { return os.Args[1] + "-" + service }
	if err := serve(ctx, ":8080", routes(host)); err != nil {
		fmt.Fprintln(os.Stderr, "gateway:", err)
		cancel()
		os.Exit(1)
	}
}

func serve(ctx context.Context, address string, handler http.Handler) error {
	server := &http.Server{Addr: address, Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// routes returns a handler with the routes that the operator writes to an Ingress. host returns a service's address.
func routes(host func(service string) string) http.Handler {
	to := func(service string) http.Handler {
		return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: host(service)})
			r.Out.Host = r.In.Host // Organizations are distinguished by it.
			r.SetXForwarded()
		}}
	}
	mux := http.NewServeMux()
	mux.Handle("/api/v1/register", to("events"))
	mux.Handle("/api/v1/events", to("events"))
	mux.Handle("/api/v1/external/", to("webhook"))
	mux.Handle("/", to("api"))
	return mux
}
