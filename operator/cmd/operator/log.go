package main

import (
	"context"
	"errors"
	"log/slog"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// logHandler makes errors about namespaces that are terminating or gone debug messages. They are expected, for example when client-go
// can't write the event that an object in such a namespace was deleted, or minutes later how often it has happened.
type logHandler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h logHandler) Handle(ctx context.Context, record slog.Record) error {
	if record.Level == slog.LevelError && inDeletedNamespace(record) {
		if !h.Enabled(ctx, slog.LevelDebug) {
			return nil
		}
		record.Level = slog.LevelDebug
	}
	return h.Handler.Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h logHandler) WithGroup(name string) slog.Handler { return logHandler{h.Handler.WithGroup(name)} }

func inDeletedNamespace(record slog.Record) (found bool) {
	record.Attrs(func(attr slog.Attr) bool {
		err, isError := attr.Value.Any().(error)
		found = isError && (apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) || isNamespaceMissing(err))
		return !found
	})
	return found
}

func isNamespaceMissing(err error) bool {
	refusal := apierrors.APIStatus(nil)
	if !apierrors.IsNotFound(err) || !errors.As(err, &refusal) {
		return false
	}
	details := refusal.Status().Details
	return details != nil && details.Kind == "namespaces"
}

// errorKey names the attribute of an error as the services do. That of logr is "err".
func errorKey(groups []string, attr slog.Attr) slog.Attr {
	if len(groups) == 0 && attr.Key == "err" {
		attr.Key = "error"
	}
	return attr
}
