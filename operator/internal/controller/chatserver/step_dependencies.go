package chatserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/apply"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/operator/internal/render"
	"chatserver.dev/operator/internal/upgrade"
)

// dependencies creates database and cache unless they are external, and waits for them. External ones are checked by the
// migration's init container and by pods.
func dependencies(ctx context.Context, s *scope) error {
	if s.server.Spec.Database.Mode == v1alpha1.DatabaseCloudNativePG && !s.inputs.Served[inputs.Cluster()] {
		return terminal(v1alpha1.ConditionDependenciesReady, v1alpha1.ReasonCRDNotInstalled,
			errors.New("spec.database.mode is CloudNativePG, but its CRD isn't installed: install CloudNativePG"))
	}
	if err := s.applyDependencies(ctx); err != nil {
		return err
	}
	switch s.server.Spec.Database.Mode {
	case v1alpha1.DatabaseEphemeral:
		if err := s.awaitTrial(ctx, render.Postgres, v1alpha1.ReasonWaitingForDatabase); err != nil {
			return err
		}
	case v1alpha1.DatabaseCloudNativePG:
		if err := s.awaitCluster(ctx); err != nil {
			return err
		}
	case v1alpha1.DatabaseExternal:
	}
	if s.server.Spec.Cache.Mode == v1alpha1.CacheEphemeral {
		return s.awaitTrial(ctx, render.Redis, v1alpha1.ReasonWaitingForCache)
	}
	return nil
}

// applyDependencies applies database and cache unless they are external.
func (s *scope) applyDependencies(ctx context.Context) error {
	if s.server.Spec.Database.Mode == v1alpha1.DatabaseCloudNativePG && s.inputs.Served[inputs.Cluster()] {
		if err := s.lookAtCluster(ctx); err != nil {
			return err
		}
	}
	return s.apply(ctx, render.Dependencies(s.server, s.inputs)...)
}

// lookAtCluster reads whether somebody has made the Cluster from a backup.
func (s *scope) lookAtCluster(ctx context.Context) error {
	if err := s.requireListed(ctx, inputs.Cluster()); err != nil {
		return err
	}
	cluster := struct {
		Spec struct {
			Bootstrap map[string]any `json:"bootstrap"`
		} `json:"spec"`
	}{}
	err := s.find(ctx, inputs.Cluster(), inputs.ClusterName(s.server), &cluster)
	s.inputs.ClusterRestored = len(cluster.Spec.Bootstrap) > 0 && cluster.Spec.Bootstrap["initdb"] == nil
	return err
}

func (s *scope) awaitTrial(ctx context.Context, component render.Component, reason string) error {
	name := s.server.Name + "-" + string(component)
	set := &appsv1.StatefulSet{}
	found, err := s.get(ctx, apply.StatefulSet(), name, set)
	switch {
	case err != nil:
		return err
	case found && set.Status.ReadyReplicas > 0 && set.DeletionTimestamp == nil &&
		set.Status.ObservedGeneration >= set.Generation && set.Status.CurrentRevision == set.Status.UpdateRevision:
		return nil
	}
	trouble, _, err := s.trouble(ctx, s.labelsOf(component), false)
	if err == nil && trouble == "" && found && set.Status.Replicas == 0 {
		trouble, err = s.uncreated(ctx, set.UID)
	}
	if err != nil {
		return err
	}
	return waitForPods(v1alpha1.ConditionDependenciesReady, reason, "StatefulSet %s has no ready pod yet%s", name, trouble)
}

func (s *scope) awaitCluster(ctx context.Context) error {
	name := inputs.ClusterName(s.server)
	cluster := struct {
		Status struct {
			ReadyInstances int64  `json:"readyInstances"`
			Phase          string `json:"phase"`
		} `json:"status"`
	}{}
	found, err := s.get(ctx, inputs.Cluster(), name, &cluster)
	switch {
	case err != nil:
		return err
	case found && cluster.Status.ReadyInstances > 0:
		return nil
	}
	return wait(v1alpha1.ConditionDependenciesReady, v1alpha1.ReasonWaitingForDatabase,
		"Cluster %s of CloudNativePG has no ready instance yet: %s", name, cmp.Or(cluster.Status.Phase, "it reports no reason"))
}

// trouble returns why pods are blocked, as the end of a sentence; empty: they aren't. pull is true if an image can't be
// pulled. late says that all of them should be ready by now.
func (s *scope) trouble(ctx context.Context, labels map[string]string, late bool) (text string, pull bool, err error) {
	pods, err := s.pods(ctx, labels)
	if err != nil {
		return "", false, err
	}
	trouble, found := upgrade.Find(pods)
	if !found && late {
		trouble, found = upgrade.FindUnready(pods)
	}
	if !found {
		return "", false, nil
	}
	return ": " + trouble.Text, trouble.Pull, nil
}

// uncreated returns why no pods can be created for a StatefulSet or a Job, as the end of a sentence; empty: no reason is
// known. A ResourceQuota, a LimitRange or an admission policy may refuse them. The reason isn't in the status of these
// objects, but in an event.
func (s *scope) uncreated(ctx context.Context, owner types.UID) (string, error) {
	list := &corev1.EventList{}
	err := s.direct.List(ctx, list, client.InNamespace(s.server.Namespace),
		client.MatchingFields{"involvedObject.uid": string(owner), "reason": upgrade.FailedCreate})
	if err != nil {
		return "", fmt.Errorf("list events: %w", err)
	}
	if len(list.Items) == 0 {
		return "", nil
	}
	newest := slices.MaxFunc(list.Items, func(a, b corev1.Event) int { return a.LastTimestamp.Compare(b.LastTimestamp.Time) })
	return ": " + newest.Message, nil
}

// connections reads the configuration of pods: how they connect to database and cache, and the Secrets of their settings.
func connections(ctx context.Context, s *scope) error {
	address, err := inputs.Address(ctx, s.secrets, s.server)
	if address != "" {
		if err := s.keepSecret(ctx, inputs.AddressSecret(s.server), "api", func(secret *corev1.Secret) error {
			secret.Data = map[string][]byte{inputs.AddressKey: []byte(address)}
			return nil
		}); err != nil {
			return err
		}
	}
	if err == nil {
		err = s.keepProviders(ctx)
	}
	in := s.inputs
	if err == nil {
		in, err = inputs.Read(ctx, s.secrets, s.server, s.inputs)
	}
	missing, invalid, many := (*inputs.MissingError)(nil), (*inputs.InvalidError)(nil), (*inputs.TooManyError)(nil)
	switch {
	case errors.As(err, &missing) && s.server.Spec.Database.Mode == v1alpha1.DatabaseCloudNativePG && s.ofCluster(missing.Secret):
		return wait(v1alpha1.ConditionDependenciesReady, v1alpha1.ReasonWaitingForDatabase,
			"CloudNativePG hasn't written Secret %s yet", missing.Secret)
	case errors.As(err, &missing) && missing.Key == "":
		return terminal(v1alpha1.ConditionDependenciesReady, v1alpha1.ReasonSecretNotFound, err)
	case errors.As(err, &missing):
		return terminal(v1alpha1.ConditionDependenciesReady, v1alpha1.ReasonSecretKeyMissing, err)
	case errors.As(err, &many):
		return terminal("", v1alpha1.ReasonInvalidPodTemplate, err)
	case errors.As(err, &invalid):
		return terminal(v1alpha1.ConditionDependenciesReady, v1alpha1.ReasonSecretInvalid, err)
	case err != nil:
		return err
	}
	s.inputs = in
	s.conditions.True(v1alpha1.ConditionDependenciesReady, v1alpha1.ReasonDependenciesReady, "database and cache are configured, and no problem with them is known")
	return nil
}

// ofCluster reports whether CloudNativePG writes a Secret.
func (s *scope) ofCluster(secret string) bool {
	name := inputs.ClusterName(s.server)
	return secret == name+"-app" || secret == name+"-ca"
}

// foundation applies the objects that pods need. Network policies still allow what the previous pods need, such as another port of
// the database: these pods serve until they are replaced, or go on serving if the new ones fail. Disabled ones are deleted now: they
// may be why the migration fails.
func foundation(ctx context.Context, s *scope) error {
	if err := s.apply(ctx, render.Foundation(s.server)...); err != nil {
		return err
	}
	for _, policy := range render.NetworkPolicies(s.server, s.inputs) {
		result, err := s.applier.ApplyWidened(ctx, s.server, policy, "spec", "egress")
		if err != nil {
			return s.refused(err)
		}
		s.noteResult(result)
	}
	if s.server.Spec.NetworkPolicy == v1alpha1.Disabled {
		return s.prune(ctx, apply.NetworkPolicy())
	}
	return nil
}

// narrow applies the network policies as they are for the new pods alone.
func narrow(ctx context.Context, s *scope) error {
	return s.apply(ctx, render.NetworkPolicies(s.server, s.inputs)...)
}

// sleepDependencies stops trial servers and CloudNativePG's pods, after the services.
func sleepDependencies(ctx context.Context, s *scope) error {
	if err := s.applyDependencies(ctx); err != nil {
		return err
	}
	for _, component := range []render.Component{render.Postgres, render.Redis} {
		set := &appsv1.StatefulSet{}
		name := s.server.Name + "-" + string(component)
		found, err := s.get(ctx, apply.StatefulSet(), name, set)
		if err != nil {
			return err
		}
		if found && set.Status.Replicas > 0 {
			return wait("", v1alpha1.ReasonProgressing, "StatefulSet %s still has a pod", name)
		}
		if err := s.ended(ctx, "StatefulSet "+name, s.labelsOf(component)); err != nil {
			return err
		}
	}
	if s.server.Spec.Database.Mode != v1alpha1.DatabaseCloudNativePG {
		return nil
	}
	name := inputs.ClusterName(s.server)
	return s.ended(ctx, "Cluster "+name, map[string]string{render.LabelCluster: name})
}
