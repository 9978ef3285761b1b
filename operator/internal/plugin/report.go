package plugin

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"chatserver.dev/operator/api/v1alpha1"
)

// Report is how a server is, with what is in it.
type Report struct {
	Namespace       string                  `json:"namespace"`
	Name            string                  `json:"name"`
	Version         string                  `json:"version"` // that serves; empty: none does yet
	Wanted          string                  `json:"wanted"`  // version that the spec has
	PreviousVersion string                  `json:"previousVersion,omitempty"`
	URL             string                  `json:"url"`
	State           string                  `json:"state"`
	Observed        bool                    `json:"observed"` // whether the operator has looked at the spec as it is now
	Schema          *v1alpha1.SchemaStatus  `json:"schema,omitempty"`
	Upgrade         *v1alpha1.UpgradeStatus `json:"upgrade,omitempty"`
	Components      []ComponentReport       `json:"components"`
	Conditions      []ConditionReport       `json:"conditions"` // Ready, and those that tell of something unusual
	Guests          []GuestsReport          `json:"guests"`
	Unlisted        string                  `json:"unlisted,omitempty"` // why guests of other namespaces aren't counted
}

// ComponentReport is how one of the services runs.
type ComponentReport struct {
	Name          string `json:"name"`
	Replicas      int32  `json:"replicas"`
	ReadyReplicas int32  `json:"readyReplicas"`
	Image         string `json:"image"`
}

// ConditionReport is a condition that matters.
type ConditionReport struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Next    string `json:"next,omitempty"` // what somebody has to do
}

// GuestsReport is how the objects of a kind are that are inside the server.
type GuestsReport struct {
	Kind     string        `json:"kind"`
	Total    int           `json:"total"`
	Ready    int           `json:"ready"`
	NotReady []GuestReport `json:"notReady,omitempty"`
}

// GuestReport is one that isn't ready.
type GuestReport struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Reason    string `json:"reason"`
	Message   string `json:"message"`
	Next      string `json:"next,omitempty"`
}

// guests are all objects that may be inside servers.
type guests struct {
	organizations v1alpha1.OrganizationList
	streams       v1alpha1.StreamList
	bots          v1alpha1.BotList
	webhooks      v1alpha1.IncomingWebhookList
}

// report says how a server is.
func report(server *v1alpha1.ChatServer, all guests) Report {
	status := server.Status
	r := Report{
		Namespace: server.Namespace, Name: server.Name,
		Version: status.Version, Wanted: server.Spec.Version, PreviousVersion: status.PreviousVersion,
		URL: status.URL, State: string(server.Spec.State), Schema: status.Schema, Upgrade: status.Upgrade,
		Observed:   serverTarget(server).seen(),
		Conditions: unusual(status.Conditions),
	}
	for _, c := range []struct {
		name string
		v1alpha1.ComponentStatus
	}{{"api", status.API}, {"events", status.Events}, {"webhook", status.Webhook}} {
		r.Components = append(r.Components, ComponentReport{c.name, c.Replicas, c.ReadyReplicas, c.Image})
	}
	for _, kind := range all.of(server) {
		r.Guests = append(r.Guests, kind.report())
	}
	return r
}

// unusual picks Ready, and the conditions that tell of something out of the ordinary.
func unusual(conditions []metav1.Condition) []ConditionReport {
	picked := []ConditionReport{}
	for _, c := range conditions {
		onlyWhileTrue := slices.Contains([]string{v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled, v1alpha1.ConditionPaused}, c.Type)
		fine := onlyWhileTrue != (c.Status == metav1.ConditionTrue)
		if c.Type != v1alpha1.ConditionReady && fine {
			continue
		}
		next := ""
		if !fine {
			next = advice()[c.Reason]
		}
		picked = append(picked, ConditionReport{c.Type, string(c.Status), c.Reason, c.Message, next})
	}
	slices.SortStableFunc(picked, func(a, b ConditionReport) int { return rank(a.Type) - rank(b.Type) })
	return picked
}

// rank puts the summary first.
func rank(condition string) int {
	order := []string{v1alpha1.ConditionReady, v1alpha1.ConditionStalled, v1alpha1.ConditionReconciling, v1alpha1.ConditionPaused}
	if at := slices.Index(order, condition); at >= 0 {
		return at
	}
	return len(order)
}

// sameKind are the objects of a kind inside one server.
type sameKind struct {
	name    string
	targets []target
}

// of picks what is inside a server: organizations that refer to it, and what refers to those.
func (g *guests) of(server *v1alpha1.ChatServer) []sameKind {
	inside := map[string]bool{}
	organizations := sameKind{name: "Organization"}
	for i := range g.organizations.Items {
		o := &g.organizations.Items[i]
		if referred(o.Spec.ServerRef, o.Namespace) == server.Namespace+"/"+server.Name {
			inside[o.Namespace+"/"+o.Name] = true
			organizations.targets = append(organizations.targets, organizationTarget(o))
		}
	}
	streams, bots, webhooks := sameKind{name: "Stream"}, sameKind{name: "Bot"}, sameKind{name: "IncomingWebhook"}
	for i := range g.streams.Items {
		if s := &g.streams.Items[i]; inside[referred(s.Spec.OrganizationRef, s.Namespace)] {
			streams.targets = append(streams.targets, streamTarget(s))
		}
	}
	for i := range g.bots.Items {
		if b := &g.bots.Items[i]; inside[referred(b.Spec.OrganizationRef, b.Namespace)] {
			bots.targets = append(bots.targets, botTarget(b))
		}
	}
	for i := range g.webhooks.Items {
		if w := &g.webhooks.Items[i]; inside[referred(w.Spec.OrganizationRef, w.Namespace)] {
			webhooks.targets = append(webhooks.targets, webhookTarget(w))
		}
	}
	return []sameKind{organizations, streams, bots, webhooks}
}

// referred is the object that a reference means, seen from a namespace.
func referred(ref v1alpha1.Reference, namespace string) string {
	if ref.Namespace != "" {
		namespace = ref.Namespace
	}
	return namespace + "/" + ref.Name
}

// report counts, and names those that aren't ready.
func (k sameKind) report() GuestsReport {
	r := GuestsReport{Kind: k.name, Total: len(k.targets)}
	for _, t := range k.targets {
		if t.seen() && meta.IsStatusConditionTrue(t.status().conditions, v1alpha1.ConditionReady) {
			r.Ready++
			continue
		}
		ready := t.condition(v1alpha1.ConditionReady)
		guest := GuestReport{t.object.GetNamespace(), t.object.GetName(), ready.Reason, ready.Message, advice()[ready.Reason]}
		if ready.Reason == "" || !t.seen() {
			guest.Reason, guest.Message, guest.Next = "Unknown", "the operator hasn't processed it yet", ""
		}
		r.NotReady = append(r.NotReady, guest)
	}
	slices.SortFunc(r.NotReady, func(a, b GuestReport) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	return r
}
