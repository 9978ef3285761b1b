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

// The API server refuses events in a namespace that is terminating or gone, which client-go logs as an error.
func TestErrorsOfDeletedNamespacesAreLoggedForDebugging(t *testing.T) {
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
	// refused returns the error of an object in a namespace, once the API server knows that this is gone.
	refused := func(namespace string) (err error) {
		for err == nil {
			err = c.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "a-"}})
		}
		return err
	}
	gone := []error{refused(namespace.Name), refused("never-created")}
	missing := c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "missing"}, &corev1.ConfigMap{})
	for level, wanted := range map[slog.Level]string{slog.LevelInfo: "", slog.LevelDebug: `"level":"DEBUG"`} {
		output := bytes.Buffer{}
		options := &slog.HandlerOptions{Level: level, ReplaceAttr: errorKey}
		logger := logr.FromSlogHandler(logHandler{slog.NewJSONHandler(&output, options)}).WithName("events").WithValues("a", 1)
		for _, err := range gone {
			output.Reset()
			logger.Error(err, "Server rejected event")
			if got := output.String(); (got == "") != (wanted == "") || !strings.Contains(got, wanted) {
				t.Errorf("at level %s, %v is logged as %q", level, err, got)
			}
		}
		for _, other := range []error{errors.New("connection refused"), missing} {
			output.Reset()
			logger.Error(other, "Server rejected event")
			if got := output.String(); !strings.Contains(got, `"level":"ERROR"`) || !strings.Contains(got, `"error":"`) {
				t.Errorf("another error is logged as %q", got)
			}
		}
	}
}
