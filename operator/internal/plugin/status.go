package plugin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

// statusCommand is kubectl chat status.
type statusCommand struct {
	Name   string `arg:"" optional:"" help:"The ChatServer; by default, all in the namespace."`
	Output string `short:"o" enum:"text,json" default:"text" help:"text, or json."`
}

// Run prints the state of servers.
func (c *statusCommand) Run(ctx context.Context, s *session) error {
	servers, err := s.servers(ctx, c.Name)
	if err != nil {
		return err
	}
	all, unlisted, err := s.guests(ctx)
	if err != nil {
		return err
	}
	reports := make([]serverReport, 0, len(servers))
	for i := range servers {
		r := report(&servers[i], all)
		r.Unlisted = unlisted
		reports = append(reports, r)
	}
	if c.Output == "json" {
		return writeJSON(s.Out, reports, c.Name != "")
	}
	for i, r := range reports {
		if i > 0 {
			fmt.Fprintln(s.Out)
		}
		if err := r.write(s.Out, s.Now()); err != nil {
			return fmt.Errorf("write the status: %w", err)
		}
	}
	return nil
}

// servers reads the server with a name, or all in the namespace if the name is empty.
func (s *session) servers(ctx context.Context, name string) ([]v1alpha1.ChatServer, error) {
	if name != "" {
		server := v1alpha1.ChatServer{}
		if err := s.read(ctx, serverTarget(&server), name); err != nil {
			return nil, err
		}
		return []v1alpha1.ChatServer{server}, nil
	}
	list := v1alpha1.ChatServerList{}
	if err := s.client.List(ctx, &list, client.InNamespace(s.namespace)); err != nil {
		return nil, explain(err, "ChatServers of "+s.namespace, "chatservers."+v1alpha1.Group)
	}
	if len(list.Items) == 0 {
		return nil, fmt.Errorf("no ChatServer in namespace %s; `kubectl get chatservers --all-namespaces` lists them all", s.namespace)
	}
	return list.Items, nil
}

// guests reads all objects that may be inside servers. Without permission to list other namespaces, it reads only the
// session's namespace, and unlisted is a sentence that says so.
func (s *session) guests(ctx context.Context) (all guests, unlisted string, err error) {
	all = guests{}
	for i, list := range []client.ObjectList{
		&v1alpha1.OrganizationList{}, &v1alpha1.StreamList{}, &v1alpha1.UserList{}, &v1alpha1.BotList{}, &v1alpha1.IncomingWebhookList{},
	} {
		err := s.client.List(ctx, list)
		if apierrors.IsForbidden(err) {
			unlisted = fmt.Sprintf("not allowed to list other namespaces: only objects in %s are counted", s.namespace)
			err = s.client.List(ctx, list, client.InNamespace(s.namespace))
		}
		if meta.IsNoMatchError(err) && i > 0 {
			continue // an older operator has fewer kinds
		}
		if err != nil {
			return nil, "", explain(err, "objects in the servers", "organizations."+v1alpha1.Group)
		}
		kind := guestKinds()[i]
		_ = meta.EachListItem(list, func(item runtime.Object) error { // never fails
			if object, ok := item.(guest); ok {
				all[kind] = append(all[kind], object)
			}
			return nil
		})
	}
	return all, unlisted, nil
}

func writeJSON(out io.Writer, reports []serverReport, one bool) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	if one {
		return encoder.Encode(reports[0])
	}
	return encoder.Encode(reports)
}

// write writes the report for people.
func (r serverReport) write(out io.Writer, now time.Time) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "ChatServer %s/%s\n", r.Namespace, r.Name)
	fmt.Fprintf(w, "  Version\t%s\n", r.version(now))
	fmt.Fprintf(w, "  URL\t%s\n", cmp.Or(r.URL, "none yet"))
	fmt.Fprintf(w, "  State\t%s\n", r.State)
	if r.Schema != nil {
		fmt.Fprintf(w, "  Schema\t%s\n", floor(*r.Schema))
	}
	if !r.Observed {
		fmt.Fprintln(w, "  The operator hasn't processed the last change yet. The following is the status before it.")
	}
	fmt.Fprintln(w, "\nComponent\tReady\tImage")
	for _, c := range r.Components {
		fmt.Fprintf(w, "%s\t%d/%d\t%s\n", c.Name, c.ReadyReplicas, c.Replicas, cmp.Or(c.Image, "none yet"))
	}
	fmt.Fprintln(w, "\nCondition\tStatus\tReason\tMessage")
	said := conditionReport{}
	for _, c := range r.Conditions {
		if c.Message != "" && c.Message == said.Message && c.Next == said.Next { // Stalled has the message of Ready
			fmt.Fprintf(w, "%s\t%s\t%s\t(the same)\n", c.Type, c.Status, c.Reason)
			continue
		}
		said = c
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", c.Type, c.Status, c.Reason, oneLine(c.Message))
		writeNext(w, c.Next)
	}
	if len(r.Conditions) == 0 {
		fmt.Fprintln(w, "none yet: is the operator running?")
	}
	r.writeGuests(w)
	return w.Flush()
}

// version returns the version that is serving, and the upgrade in progress.
func (r serverReport) version(now time.Time) string {
	text := cmp.Or(r.Version, "none yet")
	switch u := r.Upgrade; {
	case u != nil:
		text += fmt.Sprintf(", upgrading to %s: %s for %s", u.To, u.Phase, duration.HumanDuration(now.Sub(u.StartedAt.Time)))
		if u.JobName != "" {
			text += ", Job " + u.JobName
		}
	case r.Wanted != r.Version:
		text += ", spec.version is " + r.Wanted
	}
	return text
}

// floor returns the schema's version, and the oldest release that works with it.
func floor(schema v1alpha1.SchemaStatus) string {
	text := strconv.FormatInt(schema.Version, 10)
	if schema.MinServerVersion != "" {
		text += ", works with " + schema.MinServerVersion + " and later"
	}
	return text
}

func (r serverReport) writeGuests(w io.Writer) {
	fmt.Fprintln(w, "\nKind\tReady")
	heading := "\nNot ready\t\tReason\tMessage\n"
	for _, g := range r.Guests {
		fmt.Fprintf(w, "%s\t%d/%d\n", g.Kind, g.Ready, g.Total)
	}
	for _, g := range r.Guests {
		for _, n := range g.NotReady {
			fmt.Fprintf(w, "%s%s\t%s/%s\t%s\t%s\n", heading, g.Kind, n.Namespace, n.Name, n.Reason, oneLine(n.Message))
			writeNext(w, n.Next)
			heading = ""
		}
	}
	if r.Unlisted != "" {
		fmt.Fprintf(w, "\n%s\n", r.Unlisted)
	}
}

// writeNext writes the next step below a message.
func writeNext(w io.Writer, next string) {
	if next != "" {
		fmt.Fprintf(w, "\t\t\tnext: %s\n", next)
	}
}

// oneLine replaces line breaks, which would break the table.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
