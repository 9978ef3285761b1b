// The command operator reconciles ChatServers, and the objects inside them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"chatserver.dev/operator/internal/chatapi"
	"chatserver.dev/operator/internal/controller/chatserver"
	"chatserver.dev/operator/internal/controller/remote"
	"chatserver.dev/operator/internal/schema"
	"chatserver.dev/pkg/product"
)

func main() {
	err := run(ctrl.SetupSignalHandler(), os.Args[1:], os.Environ(), os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "operator: "+err.Error())
		os.Exit(1)
	}
}

// run runs the operator until the context ends, and then releases its lease.
func run(ctx context.Context, args, environ []string, output io.Writer) error {
	s, err := parse(args, environ, output)
	if err != nil {
		return err
	}
	if s.memory > 0 {
		debug.SetMemoryLimit(s.memory)
	}
	if s.garbage > 0 {
		debug.SetGCPercent(s.garbage)
	}
	logger := slog.New(logHandler{slog.NewJSONHandler(output, &slog.HandlerOptions{Level: s.level, ReplaceAttr: errorKey})})
	ctrl.SetLogger(logr.FromSlogHandler(logger.Handler()))
	klog.SetSlogLogger(logger)
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("find the API server: %w", err)
	}
	if err := awaitServer(ctx, config, logger); err != nil {
		return err
	}
	if err := checkSchema(ctx, config); err != nil {
		return err
	}
	manager, err := newManager(ctx, config, &s, logger)
	if err != nil {
		return err
	}
	if err := addControllers(ctx, manager, s, logger); err != nil {
		return err
	}
	logger.Info("starting", slog.String("version", product.Version()), slog.Any("namespaces", s.namespaces))
	if err := manager.Start(ctx); err != nil {
		return fmt.Errorf("run the controllers: %w", err)
	}
	return nil
}

// awaitServer waits until the API server responds. If the program ended instead, it would be restarted after pauses that grow to five
// minutes, and be late when the API server is back.
func awaitServer(ctx context.Context, config *rest.Config, logger *slog.Logger) error {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return fmt.Errorf("create discovery client: %w", err)
	}
	said := ""
	err = wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) {
		err := client.RESTClient().Get().AbsPath("/version").Timeout(responseTime).Do(ctx).Error()
		if err == nil || apierrors.IsForbidden(err) {
			return true, nil
		}
		if text := err.Error(); text != said && ctx.Err() == nil {
			logger.Warn("waiting for the API server", slog.Any("error", err))
			said = text
		}
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the API server: %w", err)
	}
	return nil
}

func addControllers(ctx context.Context, m ctrl.Manager, s settings, logger *slog.Logger) error {
	servers := chatapi.NewServers(m.GetClient(), nil, nil)
	err := chatserver.Add(ctx, m, chatserver.Options{
		Defaults: s.defaults, Logger: logger, Clock: clock.RealClock{}, Registry: metrics.Registry, Discovery: discoveryInterval, Servers: servers,
	})
	if err != nil {
		return err
	}
	return remote.Add(ctx, m, remote.Deps{
		Servers: servers, Clock: clock.RealClock{}, Metrics: metrics.Registry, Namespaces: s.namespaces, Resync: s.resync,
	})
}

func checkSchema(ctx context.Context, config *rest.Config) error {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return fmt.Errorf("create discovery client: %w", err)
	}
	return schema.Await(ctx, client.OpenAPIV3(), schemaPatience)
}
