package render

import (
	"cmp"
	"maps"
	"strings"

	networkingv1 "k8s.io/api/networking/v1"
	networking "k8s.io/client-go/applyconfigurations/networking/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
)

// Exposure renders Ingress, HTTPRoute and Certificate, without kinds that the cluster doesn't serve.
func Exposure(server *v1alpha1.ChatServer, in inputs.Inputs) []Object {
	exposure := server.Spec.Exposure
	if exposure == nil {
		return nil
	}
	var objects []Object
	if exposure.TLS != nil && exposure.TLS.IssuerRef != nil && in.Served[inputs.Certificate()] {
		objects = append(objects, certificate(server, exposure.TLS.IssuerRef))
	}
	if exposure.Ingress != nil {
		objects = append(objects, ingressObject(server, exposure))
	}
	if exposure.Gateway != nil && in.Served[inputs.HTTPRoute()] {
		objects = append(objects, httpRoute(server, exposure.Gateway))
	}
	return objects
}

// path is a path of requests, and the service that they are routed to.
type path struct {
	value string
	exact bool
	to    Component
}

// paths returns the paths in the order of an HTTPRoute's rules: the most general one comes last.
func paths() []path {
	return []path{
		{"/api/v1/register", true, Events},
		{"/api/v1/events", true, Events},
		{"/api/v1/external/", false, Webhook},
		{"/", false, API},
	}
}

// hosts returns the server's host and the wildcard for its organizations, without a port.
func hosts(server *v1alpha1.ChatServer) []string {
	host, _, _ := strings.Cut(server.Spec.Host, ":")
	return []string{host, "*." + host}
}

// patience is a timeout that is longer than a long poll, in seconds.
const patience = "120"

// passing returns annotations that make common Ingress controllers support long polls, by long timeouts and no
// buffering, and uploads: the server has limits of its own for what it takes. For other controllers, the spec can set annotations.
func passing() map[string]string {
	return map[string]string{
		"nginx.ingress.kubernetes.io/proxy-read-timeout": patience,
		"nginx.ingress.kubernetes.io/proxy-send-timeout": patience,
		"nginx.ingress.kubernetes.io/proxy-buffering":    "off",
		"nginx.ingress.kubernetes.io/proxy-body-size":    "0",
		"nginx.org/client-max-body-size":                 "0",
		"nginx.org/proxy-read-timeout":                   patience + "s",
		"nginx.org/proxy-send-timeout":                   patience + "s",
		"nginx.org/proxy-buffering":                      "false",
		"haproxy.org/timeout-server":                     patience + "s",
		"haproxy-ingress.github.io/timeout-server":       patience + "s",
	}
}

func ingressObject(server *v1alpha1.ChatServer, exposure *v1alpha1.Exposure) Object {
	own := passing()
	maps.Copy(own, exposure.Ingress.Annotations)
	spec := networking.IngressSpec()
	if class := exposure.Ingress.ClassName; class != "" {
		spec.WithIngressClassName(class)
	}
	for _, host := range hosts(server) {
		rule := networking.HTTPIngressRuleValue()
		for _, p := range paths() {
			kind := networkingv1.PathTypePrefix
			if p.exact {
				kind = networkingv1.PathTypeExact
			}
			rule.WithPaths(networking.HTTPIngressPath().WithPath(p.value).WithPathType(kind).
				WithBackend(networking.IngressBackend().WithService(networking.IngressServiceBackend().
					WithName(name(server, string(p.to))).WithPort(networking.ServiceBackendPort().WithName(nameHTTP)))))
		}
		spec.WithRules(networking.IngressRule().WithHost(host).WithHTTP(rule))
	}
	if exposure.TLS != nil {
		spec.WithTLS(networking.IngressTLS().WithHosts(hosts(server)...).
			WithSecretName(cmp.Or(exposure.TLS.SecretName, name(server, "tls"))))
	}
	return networking.Ingress(server.Name, server.Namespace).
		WithLabels(serverLabels(server)).WithAnnotations(annotations(server, own)).WithOwnerReferences(owner(server)).WithSpec(spec)
}

func httpRoute(server *v1alpha1.ChatServer, gateway *v1alpha1.GatewayExposure) Object {
	parent := map[string]any{"name": gateway.ParentRef.Name}
	if namespace := gateway.ParentRef.Namespace; namespace != "" {
		parent["namespace"] = namespace
	}
	if section := gateway.ParentRef.SectionName; section != "" {
		parent["sectionName"] = section
	}
	var rules []any
	for _, p := range paths() {
		kind := "PathPrefix"
		if p.exact {
			kind = "Exact"
		}
		rule := map[string]any{
			"matches":     []any{map[string]any{"path": map[string]any{"type": kind, "value": p.value}}},
			"backendRefs": []any{map[string]any{"name": name(server, string(p.to)), "port": int64(ServicePort)}},
			// None: event streams last for minutes, and so does a download by a slow client. The server has limits of its own.
			"timeouts": map[string]any{"request": "0s", "backendRequest": "0s"},
		}
		rules = append(rules, rule)
	}
	object := foreign("gateway.networking.k8s.io/v1", "HTTPRoute", server, server.Name, map[string]any{
		"parentRefs": []any{parent}, "hostnames": list(hosts(server)), "rules": rules,
	})
	object.SetAnnotations(annotations(server, gateway.Annotations))
	return client.ApplyConfigurationFromUnstructured(object)
}

func certificate(server *v1alpha1.ChatServer, issuer *v1alpha1.IssuerReference) Object {
	return client.ApplyConfigurationFromUnstructured(foreign("cert-manager.io/v1", "Certificate", server, server.Name, map[string]any{
		"secretName": name(server, "tls"),
		"dnsNames":   list(hosts(server)),
		"issuerRef":  map[string]any{"group": "cert-manager.io", "kind": cmp.Or(issuer.Kind, "Issuer"), "name": issuer.Name},
		"privateKey": map[string]any{"rotationPolicy": "Always"},
	}))
}

// list converts strings for an unstructured object.
func list(values []string) []any {
	result := make([]any, len(values))
	for i, value := range values {
		result[i] = value
	}
	return result
}
