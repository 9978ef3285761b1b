package render_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	extensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/operator/internal/render"
)

// cases returns the names of the servers in testdata.
func cases(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".yaml"); !strings.HasSuffix(name, ".golden") {
			names = append(names, name)
		}
	}
	if len(names) < 8 {
		t.Fatalf("testdata has the servers %v alone", names)
	}
	return names
}

// load reads a server as its author wrote it, without defaults of the schema.
func load(t testing.TB, name string) *v1alpha1.ChatServer {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(data))
}

func parse(t testing.TB, text string) *v1alpha1.ChatServer {
	t.Helper()
	server := &v1alpha1.ChatServer{}
	if err := yaml.UnmarshalStrict([]byte(text), server); err != nil {
		t.Fatal(err)
	}
	return server
}

// stored returns a server as stored in the cluster, with the defaults of the schema.
func stored(t testing.TB, server *v1alpha1.ChatServer) *v1alpha1.ChatServer {
	t.Helper()
	data, err := os.ReadFile("../../../charts/chatserver-operator/files/crds/chatserver.dev_chatservers.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var definition extensions.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(data, &definition); err != nil {
		t.Fatal(err)
	}
	// The defaults are filled into a map of the written fields, since fields without omitempty would have zeros.
	object := fields(t, server)
	fill(t, object, definition.Spec.Versions[0].Schema.OpenAPIV3Schema)
	encoded, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(encoded))
}

// fill adds defaults as the API server does: a property's own first, then those in it.
func fill(t testing.TB, object map[string]any, schema *extensions.JSONSchemaProps) {
	t.Helper()
	for name, property := range schema.Properties {
		if _, ok := object[name]; !ok && property.Default != nil {
			var value any
			if err := json.Unmarshal(property.Default.Raw, &value); err != nil {
				t.Fatal(err)
			}
			object[name] = value
		}
		if inner, ok := object[name].(map[string]any); ok {
			fill(t, inner, &property)
		}
	}
}

// inputsOf returns the inputs of a server in a cluster that serves all kinds.
func inputsOf(server *v1alpha1.ChatServer) inputs.Inputs {
	in := inputs.Inputs{
		Defaults: inputs.Defaults{Namespace: "chatserver-system", Repository: "ghcr.io/chatserver/chatserver", PostgresImage: "docker.io/library/postgres:17", RedisImage: "docker.io/library/redis:7"},
		Served: inputs.Served{
			inputs.HTTPRoute(): true, inputs.Certificate(): true, inputs.ServiceMonitor(): true, inputs.PrometheusRule(): true, inputs.Cluster(): true,
		},
		Hash: "5d41402a", TrialCache: "2a5d4140", MigrationSum: "7d793037a0760186",
	}
	in.MigrationLogins, in.PodLogins = server.Name+"-logins-a", server.Name+"-logins-a"
	switch server.Spec.Database.Mode {
	case v1alpha1.DatabaseEphemeral:
		in.Database.URL = &inputs.Key{Secret: server.Name + "-postgres", Key: "uri"}
	case v1alpha1.DatabaseCloudNativePG:
		in.Database.URL = &inputs.Key{Secret: server.Name + "-db-app", Key: "uri"}
		in.Database.CA = &inputs.Key{Secret: server.Name + "-db-ca", Key: "ca.crt"}
	case v1alpha1.DatabaseExternal:
		external := server.Spec.Database.External
		in.Database.CA = keyOf(external.CASecretRef)
		in.Database.Ports = []int32{6432}
		if in.Replica.URL = keyOf(external.ReplicaSecretRef); in.Replica.URL != nil {
			in.Replica.Ports = []int32{6433}
		}
		if ref := external.SecretRef; ref.Keys == nil {
			in.Database.URL = &inputs.Key{Secret: ref.Name, Key: ref.Key}
		} else {
			in.Database.Parts = map[string]inputs.Key{}
			for _, part := range []string{"host", "port", "dbname", "user", "password"} {
				in.Database.Parts[part] = inputs.Key{Secret: ref.Name, Key: part}
			}
			in.Database.Parts["user"] = inputs.Key{Secret: ref.Name, Key: ref.Keys.User}
		}
	}
	in.Services.CA = in.Database.CA
	if server.Spec.Database.Mode == v1alpha1.DatabaseExternal && in.Database.URL != nil {
		in.Services.URL = &inputs.Key{Secret: server.Name + "-database", Key: "url"}
	} else {
		secret := in.Database.Parts["host"].Secret
		if key := in.Database.URL; key != nil {
			secret = key.Secret
		}
		in.Services.Parts = map[string]inputs.Key{"host": {Secret: secret, Key: "host"}, "port": {Secret: secret, Key: "port"}, "dbname": {Secret: secret, Key: "dbname"}}
	}
	if external := server.Spec.Cache.External; external != nil {
		in.Cache.URL, in.Cache.CA = &inputs.Key{Secret: external.SecretRef.Name, Key: external.SecretRef.Key}, keyOf(external.CASecretRef)
	} else {
		in.Cache.URL = &inputs.Key{Secret: server.Name + "-redis", Key: "url"}
	}
	return in
}

func keyOf(ref *v1alpha1.SecretKey) *inputs.Key {
	if ref == nil {
		return nil
	}
	return &inputs.Key{Secret: ref.Name, Key: ref.Key}
}

// all renders all objects, in the order in which they are applied.
func all(t testing.TB, server *v1alpha1.ChatServer, in inputs.Inputs) []render.Object {
	t.Helper()
	objects := slices.Concat(render.Dependencies(server, in), render.Foundation(server), render.NetworkPolicies(server, in))
	job, err := render.Migration(server, in)
	if err != nil {
		t.Fatal(err)
	}
	objects = append(objects, job)
	for _, component := range render.Components() {
		objects = append(objects, workload(t, server, in, component))
	}
	objects = append(objects, render.Scaling(server)...)
	objects = append(objects, render.Exposure(server, in)...)
	return append(objects, render.Monitoring(server, in)...)
}

func workload(t testing.TB, server *v1alpha1.ChatServer, in inputs.Inputs, component render.Component) render.Object {
	t.Helper()
	object, err := render.Workload(server, in, component)
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// fields of an object as they are sent.
func fields(t testing.TB, object any) map[string]any {
	t.Helper()
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	result := map[string]any{}
	if err := json.Unmarshal(data, &result); err != nil {
		t.Fatal(err)
	}
	return result
}

// found returns the object of a kind and name, or nil.
func found(t testing.TB, objects []render.Object, kind, name string) map[string]any {
	t.Helper()
	for _, object := range objects {
		content := fields(t, object)
		if u := (unstructured.Unstructured{Object: content}); u.GetKind() == kind && u.GetName() == name {
			return content
		}
	}
	return nil
}

// at returns the value at a path of fields, or nil.
func at(t testing.TB, object map[string]any, path ...string) any {
	t.Helper()
	value, _, err := unstructured.NestedFieldNoCopy(object, path...)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// into decodes an object into a Kubernetes type, and fails for unknown fields.
func into[T any](t testing.TB, content any) T {
	t.Helper()
	var result T
	data, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&result); err != nil {
		t.Fatal(err)
	}
	return result
}

func encode(t testing.TB, objects []render.Object) []byte {
	t.Helper()
	var text bytes.Buffer
	for _, object := range objects {
		data, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString("---\n")
		text.Write(data)
	}
	return text.Bytes()
}
