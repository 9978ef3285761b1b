package render

import (
	"k8s.io/apimachinery/pkg/util/intstr"
	core "k8s.io/client-go/applyconfigurations/core/v1"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
)

// ServicePort is the port of the Services of api, events and webhook.
const ServicePort = 80

// MailPort is the port of the Service for mail servers that deliver mail by LMTP: the usual port of LMTP.
const MailPort = 24

// componentMail labels the Service for mail, and is the suffix of its name.
const componentMail = "mail"

// componentAdmin labels the Service of the admin interface, to distinguish it from the Service of api.
const componentAdmin = "admin"

// Foundation renders the ServiceAccounts and Services that the pods of services and of the migration need. With
// [NetworkPolicies], it must be applied before [Migration] and [Workload].
func Foundation(server *v1alpha1.ChatServer) []Object {
	var objects []Object
	for _, component := range Components() {
		objects = append(objects, serviceAccount(server, component),
			service(server, component, component, string(component), servicePort(ServicePort, nameHTTP)))
	}
	objects = append(objects, service(server, componentAdmin, API, nameAdmin, servicePort(AdminPort, nameAdmin)))
	if server.Spec.MailIn != nil {
		objects = append(objects, service(server, componentMail, Webhook, componentMail, servicePort(MailPort, nameMail)))
	}
	return objects
}

// serviceAccount renders a ServiceAccount without rights, whose token isn't mounted. For components that keep files, it
// has the annotations by which a cloud may assign an identity for the bucket.
func serviceAccount(server *v1alpha1.ChatServer, component Component) Object {
	identity := map[string]string(nil)
	if bucket := inputs.Bucket(server); bucket != nil && keepsFiles(server, component) {
		identity = bucket.ServiceAccountAnnotations
	}
	return core.ServiceAccount(name(server, string(component)), server.Namespace).
		WithLabels(labels(server, component)).WithAnnotations(annotations(server, identity)).WithOwnerReferences(owner(server)).
		WithAutomountServiceAccountToken(false)
}

// service renders a Service that selects the pods of a component.
func service(server *v1alpha1.ChatServer, label, to Component, suffix string, port *core.ServicePortApplyConfiguration) Object {
	return core.Service(name(server, suffix), server.Namespace).
		WithLabels(labels(server, label)).WithAnnotations(annotations(server, nil)).WithOwnerReferences(owner(server)).
		WithSpec(core.ServiceSpec().WithSelector(selector(server, to)).WithPorts(port))
}

// servicePort returns a port of a Service that leads to the port named target of pods.
func servicePort(port int32, target string) *core.ServicePortApplyConfiguration {
	return core.ServicePort().WithName(target).WithPort(port).WithProtocol("TCP").WithTargetPort(intstr.FromString(target))
}
