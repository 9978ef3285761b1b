package inputs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"chatserver.dev/operator/api/v1alpha1"
)

// maxReferences is how many Secrets and ConfigMaps the podTemplates of a server may refer to: each pass reads all of them.
const maxReferences = 64

// source is a Secret or a ConfigMap that pods read when they start, or one key of it.
type source struct {
	configMap bool
	name      string
	key       string // empty: all of them
}

// template is a patch for the pods of a component: api, events, webhook or migrate.
type template struct {
	component string
	patch     *runtime.RawExtension
}

func templates(server *v1alpha1.ChatServer) []template {
	spec := &server.Spec
	return []template{
		{"api", spec.API.PodTemplate}, {"events", spec.Events.PodTemplate}, {"webhook", spec.Webhook.PodTemplate}, {"migrate", spec.Upgrade.PodTemplate},
	}
}

// sources returns the Secrets and ConfigMaps that a template refers to, in a fixed order. It returns none for an
// invalid template, which rendering reports.
func (t template) sources() []source {
	pod := struct {
		Spec any `json:"spec"`
	}{}
	if t.patch == nil || json.Unmarshal(t.patch.Raw, &pod) != nil {
		return nil
	}
	found := map[source]bool{}
	references(pod.Spec, found)
	return slices.SortedFunc(maps.Keys(found), func(a, b source) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.key, b.key), cmp.Compare(strconv.FormatBool(a.configMap), strconv.FormatBool(b.configMap)))
	})
}

// references finds the Secrets and ConfigMaps that variables and volumes of a pod refer to, wherever they are.
func references(value any, found map[source]bool) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			references(item, found)
		}
	case map[string]any:
		for field, below := range value {
			references(below, found)
			reference, _ := below.(map[string]any)
			name, _ := cmp.Or(reference["name"], reference["secretName"]).(string)
			if name == "" {
				continue
			}
			key, _ := reference["key"].(string)
			switch field {
			case "secretKeyRef", "secretRef", "secret":
				found[source{false, name, key}] = true
			case "configMapKeyRef", "configMapRef", "configMap":
				found[source{true, name, key}] = true
			}
		}
	}
}

// templateHashes returns hashes of the Secrets and ConfigMaps that podTemplates refer to, by component. Components
// without references are left out. A missing object isn't an error: it may be optional, and otherwise kubelet reports
// it.
func (s *Secrets) templateHashes(ctx context.Context, server *v1alpha1.ChatServer) (map[string]string, error) {
	hashes, left := map[string]string{}, maxReferences
	for _, t := range templates(server) {
		sources := t.sources()
		if left -= len(sources); left < 0 {
			return nil, &TooManyError{}
		}
		if len(sources) == 0 {
			continue
		}
		sum := sha256.New()
		for _, from := range sources {
			data, err := s.read(ctx, from)
			if err != nil {
				return nil, err
			}
			text, err := json.Marshal(data) // with its keys sorted
			if err != nil {
				return nil, fmt.Errorf("hash %s: %w", from.name, err)
			}
			fmt.Fprintf(sum, "%t %s %s %d\n%s", from.configMap, from.name, from.key, len(text), text)
		}
		hashes[t.component] = hex.EncodeToString(sum.Sum(nil))
	}
	return hashes, nil
}

// pullHash returns a hash of the pull Secrets; empty: there are none.
func (s *Secrets) pullHash(ctx context.Context, server *v1alpha1.ChatServer) (string, error) {
	if len(server.Spec.Image.PullSecrets) == 0 {
		return "", nil
	}
	sum := sha256.New()
	for _, reference := range server.Spec.Image.PullSecrets {
		secret, err := s.Get(ctx, reference.Name)
		if err != nil {
			return "", err
		}
		value := []byte(nil)
		if secret != nil {
			value = secret.Data[corev1.DockerConfigJsonKey]
		}
		fmt.Fprintf(sum, "%s %d\n%s", reference.Name, len(value), value)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// read returns the data of a source as a pod sees it; nil: it doesn't exist.
func (s *Secrets) read(ctx context.Context, from source) (map[string][]byte, error) {
	data := map[string][]byte{}
	if from.configMap {
		configMap := &corev1.ConfigMap{}
		err := s.reader.Get(ctx, types.NamespacedName{Namespace: s.namespace, Name: from.name}, configMap)
		switch {
		case apierrors.IsNotFound(err):
			return nil, nil
		case err != nil:
			return nil, fmt.Errorf("read ConfigMap %s: %w", from.name, err)
		}
		maps.Copy(data, configMap.BinaryData)
		for key, value := range configMap.Data {
			data[key] = []byte(value)
		}
	} else {
		secret, err := s.Get(ctx, from.name)
		if err != nil || secret == nil {
			return nil, err
		}
		maps.Copy(data, secret.Data)
	}
	if from.key != "" {
		return map[string][]byte{from.key: data[from.key]}, nil
	}
	return data, nil
}

// TooManyError reports that podTemplates refer to too many objects.
type TooManyError struct{}

// Error includes what to do about it.
func (*TooManyError) Error() string {
	return fmt.Sprintf("the podTemplates refer to more than %d Secrets and ConfigMaps: combine some of them", maxReferences)
}
