package render

import (
	"k8s.io/apimachinery/pkg/util/intstr"
	core "k8s.io/client-go/applyconfigurations/core/v1"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
)

// ServicePort is where the Services of api, events and webhook listen.
const ServicePort = 80

// componentAdmin labels the Service of the admin interface, so that nothing takes it for that of api.
const componentAdmin = "admin"

// Foundation is what the pods of services and of the migration stand on: ServiceAccounts, Services and
// NetworkPolicies. It goes before [Migration] and [Workload].
func Foundation(server *v1alpha1.ChatServer, in inputs.Inputs) []Object {
	var objects []Object
	for _, component := range Components() {
		objects = append(objects, serviceAccount(server, component),
			service(server, component, component, string(component), ServicePort, nameHTTP))
	}
	objects = append(objects, service(server, componentAdmin, API, nameAdmin, portAdmin, nameAdmin))
	return append(objects, networkPolicies(server, in)...)
}

// serviceAccount has no rights, and its token isn't given to pods.
func serviceAccount(server *v1alpha1.ChatServer, component Component) Object {
	return core.ServiceAccount(name(server, string(component)), server.Namespace).
		WithLabels(labels(server, component)).WithOwnerReferences(owner(server)).
		WithAutomountServiceAccountToken(false)
}

// service leads to pods of a component.
func service(server *v1alpha1.ChatServer, label, to Component, suffix string, port int32, target string) Object {
	return core.Service(name(server, suffix), server.Namespace).
		WithLabels(labels(server, label)).WithOwnerReferences(owner(server)).
		WithSpec(core.ServiceSpec().WithSelector(selector(server, to)).
			WithPorts(core.ServicePort().WithName(target).WithPort(port).WithProtocol("TCP").WithTargetPort(intstr.FromString(target))))
}
