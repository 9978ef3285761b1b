package render

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
)

// clusterSuffix is the suffix of the name of CloudNativePG's Cluster, such as main-db.
const clusterSuffix = "db"

// LabelCluster is CloudNativePG's label of the pods of a Cluster. Its value is the Cluster's name.
const LabelCluster = "cnpg.io/cluster"

// Dependencies renders database and cache unless they are external, without kinds that the cluster doesn't serve.
func Dependencies(server *v1alpha1.ChatServer, in inputs.Inputs) []Object {
	var objects []Object
	switch server.Spec.Database.Mode {
	case v1alpha1.DatabaseEphemeral:
		objects = append(objects, trialPostgres(server, in)...)
	case v1alpha1.DatabaseCloudNativePG:
		if in.Served[inputs.Cluster()] {
			objects = append(objects, cluster(server, in))
		}
	case v1alpha1.DatabaseExternal:
	}
	if server.Spec.Cache.Mode == v1alpha1.CacheEphemeral {
		objects = append(objects, trialRedis(server, in)...)
	}
	return objects
}

// cluster renders a Cluster of CloudNativePG. It has no owner, because the deletion policy decides whether its data are
// deleted.
func cluster(server *v1alpha1.ChatServer, in inputs.Inputs) Object {
	want := v1alpha1.CloudNativePG{}
	if given := server.Spec.Database.CloudNativePG; given != nil {
		want = *given.DeepCopy()
	}
	if want.Instances == 0 {
		want.Instances = 3
	}
	storage := map[string]any{"size": sizeOr(want.StorageSize, "20Gi")}
	if want.StorageClass != "" {
		storage["storageClass"] = want.StorageClass
	}
	spec := map[string]any{
		"instances": int64(want.Instances),
		"storage":   storage,
	}
	if !in.ClusterRestored {
		spec["bootstrap"] = map[string]any{"initdb": map[string]any{
			"database": databaseName,
			"owner":    databaseName,
			"encoding": "UTF8",
			// This sorts by code point, and supports upper and lower case in every script. A Cluster that exists keeps what it has.
			"localeCollate": "C",
			"localeCType":   "C.UTF-8",
			// The migration creates roles.
			"postInitSQL": []any{"alter role " + databaseName + " createrole"},
		}}
	}
	if want.ImageName != "" {
		spec["imageName"] = want.ImageName
	}
	if inherited := inheritedMetadata(server); len(inherited) > 0 {
		spec["inheritedMetadata"] = inherited
	}
	hibernation := "off"
	if hibernated(server) {
		hibernation = "on"
	}
	object := foreign("postgresql.cnpg.io/v1", "Cluster", server, name(server, clusterSuffix), spec)
	object.SetLabels(labels(server, Postgres))
	object.SetOwnerReferences(nil)
	object.SetAnnotations(annotations(server, map[string]string{"cnpg.io/hibernation": hibernation}))
	return client.ApplyConfigurationFromUnstructured(object)
}

// inheritedMetadata returns the labels and annotations of the spec for what CloudNativePG creates.
func inheritedMetadata(server *v1alpha1.ChatServer) map[string]any {
	inherited := map[string]any{}
	if labels := server.Spec.CommonLabels; len(labels) > 0 {
		inherited["labels"] = values(labels)
	}
	if annotations := server.Spec.CommonAnnotations; len(annotations) > 0 {
		inherited["annotations"] = values(annotations)
	}
	return inherited
}

// values converts labels or annotations for an unstructured object.
func values[V ~string](of map[string]V) map[string]any {
	result := make(map[string]any, len(of))
	for key, value := range of {
		result[key] = string(value)
	}
	return result
}

// foreign renders an object of a custom kind.
func foreign(apiVersion, kind string, server *v1alpha1.ChatServer, name string, spec map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": apiVersion, "kind": kind,
		"metadata": map[string]any{
			"name": name, "namespace": server.Namespace,
			"ownerReferences": []any{map[string]any{
				"apiVersion": v1alpha1.GroupVersion().String(), "kind": "ChatServer",
				"name": server.Name, "uid": string(server.UID), "controller": true,
			}},
		},
		"spec": spec,
	}}
	object.SetLabels(serverLabels(server))
	object.SetAnnotations(annotations(server, nil))
	return object
}
