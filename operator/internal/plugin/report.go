package plugin

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

// serverReport is the state of a server and of the objects in it.
type serverReport struct {
	Namespace       string                  `json:"namespace"`
	Name            string                  `json:"name"`
	Version         string                  `json:"version"` // that is serving; empty: none yet
	Wanted          string                  `json:"wanted"`  // the spec's version
	PreviousVersion string                  `json:"previousVersion,omitempty"`
	URL             string                  `json:"url"`
	State           string                  `json:"state"`
	Observed        bool                    `json:"observed"` // whether the status is about the current spec
	Schema          *v1alpha1.SchemaStatus  `json:"schema,omitempty"`
	Upgrade         *v1alpha1.UpgradeStatus `json:"upgrade,omitempty"`
	Components      []componentReport       `json:"components"`
	Conditions      []conditionReport       `json:"conditions"` // Ready and abnormal ones
	Guests          []guestsReport          `json:"guests"`
	Unlisted        string                  `json:"unlisted,omitempty"` // why guests of other namespaces aren't counted
}

// componentReport is the state of a service.
type componentReport struct {
	Name          string `json:"name"`
	Replicas      int32  `json:"replicas"`
	ReadyReplicas int32  `json:"readyReplicas"`
	Image         string `json:"image"`
}

// conditionReport is a condition.
type conditionReport struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Next    string `json:"next,omitempty"` // what the user has to do
}

// guestsReport is the state of the objects of a kind inside the server.
type guestsReport struct {
	Kind     string        `json:"kind"`
	Total    int           `json:"total"`
	Ready    int           `json:"ready"`
	NotReady []guestReport `json:"notReady,omitempty"`
}

// guestReport is an object that isn't ready.
type guestReport struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Reason    string `json:"reason"`
	Message   string `json:"message"`
	Next      string `json:"next,omitempty"`
}

// guests are the objects that may be inside servers, by kind.
type guests map[string][]guest

// guestKinds are the kinds of guests.
func guestKinds() []string {
	return []string{"Organization", "Stream", "User", "Bot", "IncomingWebhook"}
}

// report returns the state of a server.
func report(server *v1alpha1.ChatServer, all guests) serverReport {
	status := server.Status
	r := serverReport{
		Namespace: server.Namespace, Name: server.Name,
		Version: status.Version, Wanted: server.Spec.Version, PreviousVersion: status.PreviousVersion,
		URL: status.URL, State: string(server.Spec.State), Schema: status.Schema, Upgrade: status.Upgrade,
		Observed:   serverTarget(server).observed(),
		Conditions: unusual(status.Conditions),
	}
	for _, c := range []struct {
		name string
		v1alpha1.ComponentStatus
	}{{"api", status.API}, {"events", status.Events}, {"webhook", status.Webhook}} {
		r.Components = append(r.Components, componentReport{c.name, c.Replicas, c.ReadyReplicas, c.Image})
	}
	parents := map[types.NamespacedName]bool{client.ObjectKeyFromObject(server): true}
	for _, kind := range guestKinds() {
		inside := slices.DeleteFunc(slices.Clone(all[kind]), func(g guest) bool { return !parents[g.Parent()] })
		r.Guests = append(r.Guests, reportGuests(kind, inside))
		if kind != "Organization" {
			continue
		}
		clear(parents) // everything else is in an organization
		for _, organization := range inside {
			parents[client.ObjectKeyFromObject(organization)] = true
		}
	}
	return r
}

// unusual returns Ready and the abnormal conditions.
func unusual(conditions []metav1.Condition) []conditionReport {
	picked := []conditionReport{}
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
		picked = append(picked, conditionReport{c.Type, string(c.Status), c.Reason, c.Message, next})
	}
	slices.SortStableFunc(picked, func(a, b conditionReport) int { return rank(a.Type) - rank(b.Type) })
	return picked
}

// rank orders conditions: those that summarize the others come first.
func rank(condition string) int {
	order := []string{v1alpha1.ConditionReady, v1alpha1.ConditionStalled, v1alpha1.ConditionReconciling, v1alpha1.ConditionPaused}
	if at := slices.Index(order, condition); at >= 0 {
		return at
	}
	return len(order)
}

// reportGuests counts objects of a kind, and lists those that aren't ready.
func reportGuests(kind string, inside []guest) guestsReport {
	r := guestsReport{Kind: kind, Total: len(inside)}
	for _, object := range inside {
		t := target{kind, object}
		if t.observed() && t.has(v1alpha1.ConditionReady) {
			r.Ready++
			continue
		}
		ready := t.condition(v1alpha1.ConditionReady)
		report := guestReport{object.GetNamespace(), object.GetName(), ready.Reason, ready.Message, advice()[ready.Reason]}
		if ready.Reason == "" || !t.observed() {
			report.Reason, report.Message, report.Next = "Unknown", "the operator hasn't processed it yet", ""
		}
		r.NotReady = append(r.NotReady, report)
	}
	slices.SortFunc(r.NotReady, func(a, b guestReport) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	return r
}
