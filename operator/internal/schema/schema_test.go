package schema_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"chatserver.dev/operator/internal/schema"
	"chatserver.dev/operator/internal/testcluster"
)

var cluster *testcluster.Cluster

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	testcluster.Main(m, func(c *testcluster.Cluster) { cluster = c })
}

func TestOlderCRDsAreNoticed(t *testing.T) {
	found, err := discovery.NewDiscoveryClientForConfig(cluster.Operator())
	if err != nil {
		t.Fatal(err)
	}
	until := func(what string, got func(error) bool) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
			if err := schema.Check(found.OpenAPIV3()); got(err) {
				return
			} else if time.Now().After(deadline) {
				t.Fatalf("%s: %v", what, err)
			}
		}
	}
	until("with all fields", func(err error) bool { return err == nil })

	scheme := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	admin, err := client.New(cluster.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := admin.Get(t.Context(), client.ObjectKey{Name: "streams.chatserver.dev"}, crd); err != nil {
		t.Fatal(err)
	}
	delete(crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties, "postPolicy")
	if err := admin.Update(t.Context(), crd); err != nil {
		t.Fatal(err)
	}
	until("without a field", func(err error) bool {
		return err != nil && strings.Contains(err.Error(), "Stream.spec.postPolicy") && strings.Contains(err.Error(), "install the CRDs")
	})
	if err := admin.Delete(t.Context(), crd); err != nil {
		t.Fatal(err)
	}
	until("without a kind", func(err error) bool { return err != nil && strings.Contains(err.Error(), "lack Stream:") })
}
