package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	core "k8s.io/client-go/applyconfigurations/core/v1"
	sigsjson "sigs.k8s.io/json"

	"chatserver.dev/operator/api/v1alpha1"
)

// PatchError reports that a podTemplate patch is invalid.
type PatchError struct {
	Component Component // of the pods
	Reason    string    // a part of a sentence, such as: it changes the image of container api
}

// Error names the field of the spec.
func (e *PatchError) Error() string {
	field := "spec." + string(e.Component)
	if e.Component == Migrate {
		field = "spec.upgrade"
	}
	return field + ".podTemplate is invalid: " + e.Reason
}

// patched applies the spec's patch to a component's pod template. The error is a [*PatchError].
func patched(server *v1alpha1.ChatServer, component Component, template *core.PodTemplateSpecApplyConfiguration) (*core.PodTemplateSpecApplyConfiguration, error) {
	patch := ComponentSpec(server, component).PodTemplate
	if patch == nil || len(bytes.TrimSpace(patch.Raw)) == 0 {
		return template, nil
	}
	result, err := merge(template, patch.Raw)
	if err == nil {
		err = kept(ownPodLabels(server, component), template, result)
	}
	if err != nil {
		return nil, &PatchError{Component: component, Reason: err.Error()}
	}
	return result, nil
}

// merge applies a strategic merge patch.
func merge(template *core.PodTemplateSpecApplyConfiguration, patch []byte) (*core.PodTemplateSpecApplyConfiguration, error) {
	original, err := json.Marshal(template)
	if err != nil {
		return nil, fmt.Errorf("encode the pod template: %w", err)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(patch, &object); err != nil || object == nil {
		return nil, errors.New("it must be an object with metadata and spec, like a pod template")
	}
	merged, err := strategic(original, patch)
	if err != nil {
		return nil, fmt.Errorf("it isn't a strategic merge patch: %w", err)
	}
	result := core.PodTemplateSpec()
	return result, strictly(merged, result)
}

// strategic applies the patch. The library panics if a value has another type than in a pod template, for example if a
// container's name is a list.
func strategic(original, patch []byte) (merged []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("a value has the wrong type: %v", cause)
		}
	}()
	return strategicpatch.StrategicMergePatch(original, patch, corev1.PodTemplateSpec{})
}

// strictly decodes data, and returns an error for unknown fields.
func strictly(data []byte, into any) error {
	unknown, err := sigsjson.UnmarshalStrict(data, into)
	if err != nil {
		return fmt.Errorf("the patched pod template is invalid: %w", err)
	}
	if len(unknown) > 0 {
		return fmt.Errorf("the patched pod template has unknown fields: %w", unknown[0])
	}
	return nil
}

// kept returns an error if a patch has changed something that other objects depend on: of the labels, those of selectors.
func kept(labels map[string]string, before, after *core.PodTemplateSpecApplyConfiguration) error {
	if after.ObjectMetaApplyConfiguration == nil || after.Spec == nil {
		return errors.New("it removes metadata or spec")
	}
	for _, label := range slices.Sorted(maps.Keys(labels)) { // so that each pass reports the same
		if after.Labels[label] != labels[label] {
			return fmt.Errorf("it changes the label %s, which selectors use", label)
		}
	}
	if after.Annotations[annotationInputs] != before.Annotations[annotationInputs] {
		return fmt.Errorf("it changes the annotation %s, which replaces pods when a Secret changes", annotationInputs)
	}
	if err := containersKept(before.Spec.InitContainers, after.Spec.InitContainers); err != nil {
		return err
	}
	return containersKept(before.Spec.Containers, after.Spec.Containers)
}

func containersKept(before, after []core.ContainerApplyConfiguration) error {
	for _, b := range before {
		i := slices.IndexFunc(after, func(a core.ContainerApplyConfiguration) bool { return a.Name != nil && *a.Name == *b.Name })
		if i < 0 {
			return fmt.Errorf("it removes container %s", *b.Name)
		}
		if a := after[i]; a.Image == nil || *a.Image != *b.Image {
			return fmt.Errorf("it changes the image of container %s: use spec.image and spec.version", *b.Name)
		}
		for _, port := range b.Ports {
			if !slices.ContainsFunc(after[i].Ports, func(p core.ContainerPortApplyConfiguration) bool { return same(port, p) }) {
				return fmt.Errorf("it changes port %s of container %s, which Services use", *port.Name, *b.Name)
			}
		}
	}
	return nil
}

// same reports whether a port has the same name, number and protocol.
func same(ours, theirs core.ContainerPortApplyConfiguration) bool {
	return theirs.Name != nil && *theirs.Name == *ours.Name &&
		theirs.ContainerPort != nil && *theirs.ContainerPort == *ours.ContainerPort &&
		(theirs.Protocol == nil || *theirs.Protocol == *ours.Protocol)
}
