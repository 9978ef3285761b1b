package render_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/render"
)

// mailRule returns the peers that may send mail to the pods of a component.
func mailRule(t *testing.T, server *v1alpha1.ChatServer, component render.Component) (found []networkingv1.NetworkPolicyPeer) {
	t.Helper()
	policy := into[networkingv1.NetworkPolicy](t, foundation(t, server, "NetworkPolicy", string(component)))
	for _, rule := range policy.Spec.Ingress {
		if rule.Ports[0].Port.IntValue() == 2424 {
			found = append(found, rule.From...)
		}
	}
	return found
}

func foundation(t *testing.T, server *v1alpha1.ChatServer, kind, suffix string) map[string]any {
	t.Helper()
	return found(t, append(render.Foundation(server), render.NetworkPolicies(server, inputsOf(server))...), kind, server.Name+"-"+suffix)
}

// Only a Service of webhook accepts mail, from the peers that the spec names.
func TestMailIn(t *testing.T) {
	t.Parallel()
	server := load(t, "everything")
	spec := into[corev1.Service](t, foundation(t, server, "Service", "mail")).Spec
	if spec.Selector[v1alpha1.LabelComponent] != "webhook" || len(spec.Ports) != 1 || spec.Ports[0].Port != 24 || spec.Ports[0].TargetPort.String() != "lmtp" {
		t.Errorf("the Service is %+v", spec)
	}
	peers := mailRule(t, server, render.Webhook)
	if len(peers) != 2 || peers[0].PodSelector.MatchLabels["app"] != "postfix" || peers[1].IPBlock.CIDR != "10.2.0.0/16" {
		t.Errorf("mail may come from %+v", peers)
	}
	if others := append(mailRule(t, server, render.API), mailRule(t, server, render.Events)...); len(others) > 0 {
		t.Errorf("other pods take mail from %+v", others)
	}
	if !render.SharesFiles(server) {
		t.Error("pods of webhook don't share files with api")
	}
	server.Spec.MailIn = nil
	if diff := cmp.Diff([]networkingv1.NetworkPolicyPeer(nil), mailRule(t, server, render.Webhook)); diff != "" {
		t.Errorf("without the field (-want +got):\n%s", diff)
	}
}

// Only pods of webhook mount the certificate, as a directory, so that it is updated in running pods.
func TestMailInTLS(t *testing.T) {
	t.Parallel()
	server := load(t, "everything")
	for name, template := range pods(t, server) {
		main := template.Spec.Containers[0]
		i := slices.IndexFunc(main.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == "mail" })
		if mounts := strings.HasSuffix(name, "-webhook"); mounts != (i >= 0) || mounts && (main.VolumeMounts[i].MountPath != "/etc/chatserver/mail" || main.VolumeMounts[i].SubPath != "") {
			t.Errorf("%s mounts %+v", name, main.VolumeMounts)
		}
	}
	server.Spec.MailIn.TLS.ClearText = v1alpha1.Enabled
	if got := environmentOf(t, server, render.Webhook)["LMTP_TLS_REQUIRED"]; got != "false" {
		t.Errorf("with clear text LMTP_TLS_REQUIRED is %q", got)
	}
	server.Spec.MailIn.TLS = nil
	for _, variable := range []string{"LMTP_TLS_CERT_FILE", "LMTP_TLS_KEY_FILE", "LMTP_TLS_REQUIRED"} {
		if got := environmentOf(t, server, render.Webhook)[variable]; got != "" {
			t.Errorf("without TLS %s is %q", variable, got)
		}
	}
}
