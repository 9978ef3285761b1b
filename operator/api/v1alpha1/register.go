package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Group is the API group of all resources.
const Group = "chatserver.dev"

// GroupVersion is the group and version of this package's resources.
func GroupVersion() schema.GroupVersion {
	return schema.GroupVersion{Group: Group, Version: "v1alpha1"}
}

// AddToScheme registers the resources.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion(),
		&ChatServer{}, &ChatServerList{}, &Organization{}, &OrganizationList{}, &Stream{}, &StreamList{},
		&User{}, &UserList{}, &Bot{}, &BotList{}, &IncomingWebhook{}, &IncomingWebhookList{})
	metav1.AddToGroupVersion(scheme, GroupVersion())
	return nil
}
