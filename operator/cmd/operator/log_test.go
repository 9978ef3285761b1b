package main

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The API server refuses events in a namespace that is terminating, which client-go logs as an error.
func TestErrorsOfTerminatingNamespacesAreLoggedForDebugging(t *testing.T) {
	c, err := client.New(cluster.Config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "terminating-"}}
	if err := c.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), namespace); err != nil { // nothing completes the deletion here
		t.Fatal(err)
	}
	refused := c.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace.Name, Name: "a"}})
	for level, wanted := range map[slog.Level]string{slog.LevelInfo: "", slog.LevelDebug: `"level":"DEBUG"`} {
		output := bytes.Buffer{}
		logger := logr.FromSlogHandler(logHandler{slog.NewJSONHandler(&output, &slog.HandlerOptions{Level: level})}).WithName("events").WithValues("a", 1)
		logger.Error(refused, "Server rejected event")
		if got := output.String(); (got == "") != (wanted == "") || !strings.Contains(got, wanted) {
			t.Errorf("at level %s, %v is logged as %q", level, refused, got)
		}
		output.Reset()
		logger.Error(errors.New("connection refused"), "Server rejected event")
		if got := output.String(); !strings.Contains(got, `"level":"ERROR"`) {
			t.Errorf("another error is logged as %q", got)
		}
	}
}
