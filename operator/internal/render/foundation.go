package render

import (
	"k8s.io/apimachinery/pkg/util/intstr"
	core "k8s.io/client-go/applyconfigurations/core/v1"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
)

// ServicePort is where the Services of api, events and webhook listen.
const ServicePort = 80

// Ports of the Service of the admin interface. Each leads to the pods that serve it so: while pods are replaced by those
// that know TLS there are both, afterwards nobody is behind the other.
const (
	AdminTLSPort       = 8443
	AdminPlaintextPort = 8090
)

// componentAdmin labels the Service of the admin interface, so that nothing takes it for that of api.
const componentAdmin = "admin"

// Foundation is what the pods of services and of the migration stand on: ServiceAccounts, Services and
// NetworkPolicies. It goes before [Migration] and [Workload].
func Foundation(server *v1alpha1.ChatServer, in inputs.Inputs) []Object {
	var objects []Object
	for _, component := range Components() {
		objects = append(objects, serviceAccount(server, component),
			service(server, component, component, string(component), servicePort(ServicePort, nameHTTP)))
	}
	objects = append(objects, service(server, componentAdmin, API, nameAdmin,
		servicePort(AdminTLSPort, NameAdminTLS), servicePort(AdminPlaintextPort, nameAdmin)))
	return append(objects, networkPolicies(server, in)...)
}

// serviceAccount has no rights, and its token isn't given to pods.
func serviceAccount(server *v1alpha1.ChatServer, component Component) Object {
	return core.ServiceAccount(name(server, string(component)), server.Namespace).
		WithLabels(labels(server, component)).WithOwnerReferences(owner(server)).
		WithAutomountServiceAccountToken(false)
}

// service leads to pods of a component.
func service(server *v1alpha1.ChatServer, label, to Component, suffix string, ports ...*core.ServicePortApplyConfiguration) Object {
	return core.Service(name(server, suffix), server.Namespace).
		WithLabels(labels(server, label)).WithOwnerReferences(owner(server)).
		WithSpec(core.ServiceSpec().WithSelector(selector(server, to)).WithPorts(ports...))
}

// servicePort leads to the pods that have a port of a name.
func servicePort(port int32, target string) *core.ServicePortApplyConfiguration {
	return core.ServicePort().WithName(target).WithPort(port).WithProtocol("TCP").WithTargetPort(intstr.FromString(target))
}
