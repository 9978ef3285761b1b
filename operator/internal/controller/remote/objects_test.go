package remote_test

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

// The objects of a world, which tests complete.

func (w *world) organization(name string) *v1alpha1.Organization {
	return &v1alpha1.Organization{ObjectMeta: w.meta(name), Spec: v1alpha1.OrganizationSpec{
		ServerRef: v1alpha1.Reference{Name: "main"}, Name: "Engineering", Subdomain: w.namespace + name,
		Owners: []v1alpha1.OrganizationOwner{{Email: "ada@corp.example"}},
	}}
}

func (w *world) stream(name string) *v1alpha1.Stream {
	return &v1alpha1.Stream{ObjectMeta: w.meta(name), Spec: v1alpha1.StreamSpec{OrganizationRef: v1alpha1.Reference{Name: "eng"}, Name: name}}
}

func (w *world) user(name string) *v1alpha1.User {
	return &v1alpha1.User{ObjectMeta: w.meta(name), Spec: v1alpha1.UserSpec{
		OrganizationRef: v1alpha1.Reference{Name: "eng"}, Email: name + "@corp.example",
	}}
}

func (w *world) bot(name string) *v1alpha1.Bot {
	return &v1alpha1.Bot{ObjectMeta: w.meta(name), Spec: v1alpha1.BotSpec{
		OrganizationRef: v1alpha1.Reference{Name: "eng"}, FullName: "Bot " + name, Credentials: v1alpha1.Credentials{SecretName: name + "-key"},
	}}
}

func (w *world) webhook() *v1alpha1.IncomingWebhook {
	return &v1alpha1.IncomingWebhook{ObjectMeta: w.meta("hello"), Spec: v1alpha1.IncomingWebhookSpec{
		OrganizationRef: v1alpha1.Reference{Name: "eng"}, Integration: "helloworld", Stream: new("alerts"), Topic: new("all & more"),
		Credentials: v1alpha1.Credentials{SecretName: "hello-key"},
	}}
}

// key is that of an object in the server.
func (w *world) key(object client.Object) string {
	return object.GetNamespace() + "/" + object.GetName()
}
