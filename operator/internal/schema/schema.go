// Package schema checks that the API server has the operator's CRDs. They may be from an older release, since Helm
// doesn't upgrade CRDs. The API server would then drop the fields that they lack, without an error.
package schema

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/openapi"

	"chatserver.dev/operator/api/v1alpha1"
)

// advice is the end of each error message.
const advice = "install the CRDs of the operator's own release, then start it again"

// document is the part of the published OpenAPI document that is read.
type document struct {
	Components struct {
		Schemas map[string]property `json:"schemas"`
	} `json:"components"`
}

type property struct {
	Properties map[string]property `json:"properties"`
	Items      *property           `json:"items"`
	Kinds      []struct {
		Kind string `json:"kind"`
	} `json:"x-kubernetes-group-version-kind"`
}

// resources are the kinds, each with its Go type.
func resources() map[string]reflect.Type {
	return map[string]reflect.Type{
		"ChatServer":      reflect.TypeFor[v1alpha1.ChatServer](),
		"Organization":    reflect.TypeFor[v1alpha1.Organization](),
		"Stream":          reflect.TypeFor[v1alpha1.Stream](),
		"User":            reflect.TypeFor[v1alpha1.User](),
		"Bot":             reflect.TypeFor[v1alpha1.Bot](),
		"IncomingWebhook": reflect.TypeFor[v1alpha1.IncomingWebhook](),
	}
}

// Check checks that the API server serves each field of each kind. The error names missing fields, and says what to do.
func Check(client openapi.Client) error {
	paths, err := client.Paths()
	if err != nil {
		return fmt.Errorf("read the paths of the API server: %w", err)
	}
	group, served := paths["apis/"+v1alpha1.GroupVersion().String()]
	if !served {
		return fmt.Errorf("the CRDs of %s aren't installed: %s", v1alpha1.GroupVersion(), advice)
	}
	text, err := group.Schema("application/json")
	if err != nil {
		return fmt.Errorf("read the schemas of %s: %w", v1alpha1.GroupVersion(), err)
	}
	published := document{}
	if err := json.Unmarshal(text, &published); err != nil {
		return fmt.Errorf("decode the schemas of %s: %w", v1alpha1.GroupVersion(), err)
	}
	return compare(published)
}

// Await retries [Check] for some time: the API server publishes new CRDs after some seconds.
func Await(ctx context.Context, client openapi.Client, patience time.Duration) error {
	checked := error(nil)
	err := wait.PollUntilContextTimeout(ctx, time.Second, patience, true, func(context.Context) (bool, error) {
		checked = Check(client)
		return checked == nil, nil
	})
	return cmp.Or(checked, err)
}

func compare(published document) error {
	kinds := map[string]property{}
	for _, schema := range published.Components.Schemas {
		for _, kind := range schema.Kinds {
			kinds[kind.Kind] = schema
		}
	}
	missing := []string(nil)
	for kind, goType := range resources() {
		schema, served := kinds[kind]
		if !served {
			missing = append(missing, kind)
			continue
		}
		missing = append(missing, lacks(goType, schema, kind)...)
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return fmt.Errorf("the CRDs of %s are older than the operator and lack %s: %s",
		v1alpha1.GroupVersion(), strings.Join(missing, ", "), advice)
}

// lacks returns the fields of a Go type that a schema lacks. It descends only into the operator's own types.
func lacks(goType reflect.Type, schema property, path string) []string {
	for goType.Kind() == reflect.Pointer || goType.Kind() == reflect.Slice {
		if goType.Kind() == reflect.Slice && schema.Items != nil {
			schema = *schema.Items
		}
		goType = goType.Elem()
	}
	if goType.Kind() != reflect.Struct || goType.PkgPath() != reflect.TypeFor[v1alpha1.ChatServer]().PkgPath() {
		return nil
	}
	missing := []string(nil)
	for field := range goType.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" { // inline
			missing = append(missing, lacks(field.Type, schema, path)...)
			continue
		}
		below, there := schema.Properties[name]
		if !there {
			missing = append(missing, path+"."+name)
			continue
		}
		missing = append(missing, lacks(field.Type, below, path+"."+name)...)
	}
	return missing
}
