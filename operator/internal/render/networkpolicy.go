package render

import (
	"net/url"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	meta "k8s.io/client-go/applyconfigurations/meta/v1"
	networking "k8s.io/client-go/applyconfigurations/networking/v1"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
)

// NetworkPolicies allow services and migrations only the connections that they need.
func NetworkPolicies(server *v1alpha1.ChatServer, in inputs.Inputs) []Object {
	if server.Spec.NetworkPolicy == v1alpha1.Disabled {
		return nil
	}
	var objects []Object
	for _, component := range append(Components(), Migrate) {
		objects = append(objects, networkPolicy(server, component, ingress(server, in, component), egress(server, in, component)))
	}
	return objects
}

// networkPolicy renders the policy for the pods of a component. Without rules for a direction, nothing is allowed.
func networkPolicy(server *v1alpha1.ChatServer, component Component, in []*networking.NetworkPolicyIngressRuleApplyConfiguration,
	out []*networking.NetworkPolicyEgressRuleApplyConfiguration,
) Object {
	return networking.NetworkPolicy(name(server, string(component)), server.Namespace).
		WithLabels(labels(server, component)).WithAnnotations(annotations(server, nil)).WithOwnerReferences(owner(server)).
		WithSpec(networking.NetworkPolicySpec().
			WithPodSelector(selects(selector(server, component))).
			WithPolicyTypes(networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress).
			WithIngress(in...).WithEgress(out...))
}

// ingress allows HTTP from everywhere, because gateways can be anywhere; metrics and mail from the peers in the spec;
// and the admin interface only from the operator in its own namespace, because users can set the operator's label on
// pods in other namespaces.
func ingress(server *v1alpha1.ChatServer, in inputs.Inputs, component Component) []*networking.NetworkPolicyIngressRuleApplyConfiguration {
	if component == Migrate {
		return nil
	}
	rules := []*networking.NetworkPolicyIngressRuleApplyConfiguration{
		networking.NetworkPolicyIngressRule().WithPorts(tcp(portHTTP)),
		networking.NetworkPolicyIngressRule().WithPorts(tcp(portMetrics)).WithFrom(metricsFrom(server)...),
	}
	if takesMail(server, component) {
		rule := networking.NetworkPolicyIngressRule().WithPorts(tcp(portMail)).WithFrom(peersOf(server.Spec.MailIn.From)...)
		for _, network := range server.Spec.MailIn.FromNetworks {
			rule.WithFrom(networking.NetworkPolicyPeer().WithIPBlock(networking.IPBlock().WithCIDR(network)))
		}
		rules = append(rules, rule)
	}
	if component == API {
		home := meta.LabelSelector()
		if in.Defaults.Namespace != "" {
			home = selects(map[string]string{corev1.LabelMetadataName: in.Defaults.Namespace})
		}
		rules = append(rules, networking.NetworkPolicyIngressRule().WithPorts(tcp(AdminPort)).
			WithFrom(networking.NetworkPolicyPeer().WithNamespaceSelector(home).
				WithPodSelector(selects(map[string]string{v1alpha1.LabelName: v1alpha1.Manager}))))
	}
	return rules
}

// metricsFrom returns the peers that may read metrics: Prometheus in any namespace, unless the spec names others.
func metricsFrom(server *v1alpha1.ChatServer) []*networking.NetworkPolicyPeerApplyConfiguration {
	given := server.Spec.Monitoring.MetricsFrom
	if len(given) == 0 {
		return []*networking.NetworkPolicyPeerApplyConfiguration{
			networking.NetworkPolicyPeer().WithNamespaceSelector(meta.LabelSelector()).
				WithPodSelector(selects(map[string]string{v1alpha1.LabelName: prometheus})),
		}
	}
	return peersOf(given)
}

func peersOf(given []v1alpha1.PodPeer) (peers []*networking.NetworkPolicyPeerApplyConfiguration) {
	for _, g := range given {
		peer := networking.NetworkPolicyPeer()
		peer.NamespaceSelector, peer.PodSelector = selectorOf(g.NamespaceSelector), selectorOf(g.PodSelector)
		peers = append(peers, peer)
	}
	return peers
}

// prometheus is the name in the labels of pods of Prometheus, as its operator and its charts set it.
const prometheus = "prometheus"

// selectorOf converts a selector; nil: there is none.
func selectorOf(given *metav1.LabelSelector) *meta.LabelSelectorApplyConfiguration {
	if given == nil {
		return nil
	}
	result := meta.LabelSelector().WithMatchLabels(given.MatchLabels)
	for _, e := range given.MatchExpressions {
		result.WithMatchExpressions(meta.LabelSelectorRequirement().WithKey(e.Key).WithOperator(e.Operator).WithValues(e.Values...))
	}
	return result
}

// egress allows connections to name servers, database, cache and the trace endpoint; for api, those of [egressOfAPI];
// and for components that keep files, those to the bucket.
func egress(server *v1alpha1.ChatServer, in inputs.Inputs, component Component) []*networking.NetworkPolicyEgressRuleApplyConfiguration {
	// In some clusters the name servers' pods listen at 5353.
	rules := []*networking.NetworkPolicyEgressRuleApplyConfiguration{
		networking.NetworkPolicyEgressRule().WithPorts(udp(53), tcp(53), udp(5353), tcp(5353)),
	}
	switch server.Spec.Database.Mode {
	case v1alpha1.DatabaseEphemeral:
		rules = append(rules, toPods(selector(server, Postgres), portPostgres))
	case v1alpha1.DatabaseCloudNativePG:
		rules = append(rules, toPods(map[string]string{LabelCluster: name(server, clusterSuffix)}, portPostgres))
	case v1alpha1.DatabaseExternal:
		rules = append(rules, toPorts(in.Database.Ports))
	}
	switch server.Spec.Cache.Mode {
	case v1alpha1.CacheEphemeral:
		rules = append(rules, toPods(selector(server, Redis), portRedis))
	case v1alpha1.CacheExternal:
		rules = append(rules, toPorts(in.Cache.Ports))
	}
	if endpoint := server.Spec.Settings.TraceEndpoint; endpoint != "" {
		rules = append(rules, toPorts(portOf(endpoint)))
	}
	if component == API {
		if in.Replica.URL != nil {
			rules = append(rules, toPorts(in.Replica.Ports))
		}
		rules = append(rules, egressOfAPI(server)...)
	}
	if keepsFiles(server, component) {
		rules = append(rules, toBucket(server)...)
	}
	return rules
}

// toBucket allows connections to the bucket of files, and to the services that assign pods an identity for it.
func toBucket(server *v1alpha1.ChatServer) []*networking.NetworkPolicyEgressRuleApplyConfiguration {
	bucket := inputs.Bucket(server)
	if bucket == nil {
		return nil
	}
	rules := []*networking.NetworkPolicyEgressRuleApplyConfiguration{toPorts(portOf(bucket.Endpoint))}
	if bucket.SecretRef == nil {
		rules = append(rules, toIdentity()...)
	}
	return rules
}

// egressOfAPI allows connections to servers of images, push services, the mail server, identity providers and the networks of
// outgoing webhook bots.
func egressOfAPI(server *v1alpha1.ChatServer) []*networking.NetworkPolicyEgressRuleApplyConfiguration {
	rules := []*networking.NetworkPolicyEgressRuleApplyConfiguration(nil)
	push := server.Spec.WebPush
	if proxiesImages(server) || push != nil {
		rules = append(rules, toWeb())
	}
	if mail := server.Spec.Mail; mail != nil {
		rules = append(rules, toPorts([]int32{mailPort(mail)}))
	}
	if providers := server.Spec.IdentityProviders; len(providers) > 0 {
		ports := []int32{443} // some addresses of a provider may be at another host
		for i := range providers {
			ports = append(ports, portOf(providers[i].Issuer)...)
		}
		rules = append(rules, toPorts(ports))
	}
	networks := server.Spec.Settings.OutgoingWebhookNetworks
	if push != nil {
		networks = slices.Concat(networks, push.Networks)
	}
	if len(networks) > 0 {
		rule := networking.NetworkPolicyEgressRule().WithPorts(networking.NetworkPolicyPort().WithProtocol(corev1.ProtocolTCP))
		for _, network := range slices.Compact(slices.Sorted(slices.Values(networks))) {
			rule.WithTo(networking.NetworkPolicyPeer().WithIPBlock(networking.IPBlock().WithCIDR(network)))
		}
		rules = append(rules, rule)
	}
	return rules
}

// toIdentity allows connections to the sources of a pod's identity: a cloud's token service, agents on the node, and
// the machine's metadata service.
func toIdentity() []*networking.NetworkPolicyEgressRuleApplyConfiguration {
	return []*networking.NetworkPolicyEgressRuleApplyConfiguration{
		toPorts([]int32{443}),
		networking.NetworkPolicyEgressRule().WithPorts(tcp(80)).WithTo(
			networking.NetworkPolicyPeer().WithIPBlock(networking.IPBlock().WithCIDR("169.254.169.254/32")),
			networking.NetworkPolicyPeer().WithIPBlock(networking.IPBlock().WithCIDR("169.254.170.23/32")),
			networking.NetworkPolicyPeer().WithIPBlock(networking.IPBlock().WithCIDR("fd00:ec2::23/128"))),
	}
}

// toWeb allows websites at public addresses. The server itself checks addresses more precisely; this is a second line of
// defence.
func toWeb() *networking.NetworkPolicyEgressRuleApplyConfiguration {
	return networking.NetworkPolicyEgressRule().WithPorts(tcp(80), tcp(443)).WithTo(
		networking.NetworkPolicyPeer().WithIPBlock(networking.IPBlock().WithCIDR("0.0.0.0/0").
			WithExcept("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16")),
		networking.NetworkPolicyPeer().WithIPBlock(networking.IPBlock().WithCIDR("2000::/3")))
}

func toPods(labels map[string]string, port int32) *networking.NetworkPolicyEgressRuleApplyConfiguration {
	return networking.NetworkPolicyEgressRule().WithPorts(tcp(port)).
		WithTo(networking.NetworkPolicyPeer().WithPodSelector(selects(labels)))
}

// toPorts allows connections to ports at any address. No ports: all TCP ports.
func toPorts(ports []int32) *networking.NetworkPolicyEgressRuleApplyConfiguration {
	rule := networking.NetworkPolicyEgressRule()
	if len(ports) == 0 {
		return rule.WithPorts(networking.NetworkPolicyPort().WithProtocol(corev1.ProtocolTCP))
	}
	for _, port := range slices.Compact(slices.Sorted(slices.Values(ports))) {
		rule.WithPorts(tcp(port))
	}
	return rule
}

// portOf returns the port of an address; nil: it isn't known.
func portOf(address string) []int32 {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	switch port, err := strconv.ParseUint(u.Port(), 10, 16); {
	case err == nil && port > 0:
		return []int32{int32(port)}
	case u.Port() == "" && u.Scheme == "https":
		return []int32{443}
	case u.Port() == "" && u.Scheme == "http":
		return []int32{80}
	default:
		return nil
	}
}

// trialPolicy allows only the server's own pods to connect to a trial server, and no connections from it.
func trialPolicy(server *v1alpha1.ChatServer, component Component, port int32) Object {
	clients := meta.LabelSelector().
		WithMatchLabels(map[string]string{v1alpha1.LabelName: v1alpha1.Product, v1alpha1.LabelInstance: server.Name}).
		WithMatchExpressions(meta.LabelSelectorRequirement().WithKey(v1alpha1.LabelComponent).WithOperator(metav1.LabelSelectorOpIn).
			WithValues(string(API), string(Events), string(Webhook), string(Migrate)))
	return networkPolicy(server, component, []*networking.NetworkPolicyIngressRuleApplyConfiguration{
		networking.NetworkPolicyIngressRule().WithPorts(tcp(port)).WithFrom(networking.NetworkPolicyPeer().WithPodSelector(clients)),
	}, nil)
}

func tcp(port int32) *networking.NetworkPolicyPortApplyConfiguration {
	return networking.NetworkPolicyPort().WithProtocol(corev1.ProtocolTCP).WithPort(intstr.FromInt32(port))
}

func udp(port int32) *networking.NetworkPolicyPortApplyConfiguration {
	return networking.NetworkPolicyPort().WithProtocol(corev1.ProtocolUDP).WithPort(intstr.FromInt32(port))
}
