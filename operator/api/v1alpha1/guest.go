package v1alpha1

import "k8s.io/apimachinery/pkg/types"

// In resolves a reference of an object in the given namespace.
func (r Reference) In(namespace string) types.NamespacedName {
	if r.Namespace != "" {
		namespace = r.Namespace
	}
	return types.NamespacedName{Namespace: namespace, Name: r.Name}
}

// Parent names the ChatServer that the organization is in.
func (o *Organization) Parent() types.NamespacedName { return o.Spec.ServerRef.In(o.Namespace) }

// Parent names the Organization that the stream is in.
func (s *Stream) Parent() types.NamespacedName { return s.Spec.OrganizationRef.In(s.Namespace) }

// Parent names the Organization that the user is in.
func (u *User) Parent() types.NamespacedName { return u.Spec.OrganizationRef.In(u.Namespace) }

// Parent names the Organization that the bot is in.
func (b *Bot) Parent() types.NamespacedName { return b.Spec.OrganizationRef.In(b.Namespace) }

// Parent names the Organization that the webhook is in.
func (w *IncomingWebhook) Parent() types.NamespacedName {
	return w.Spec.OrganizationRef.In(w.Namespace)
}

// Guest returns the part of the status that all objects inside a server have.
func (o *Organization) Guest() *GuestStatus { return &o.Status.GuestStatus }

// Guest returns the part of the status that all objects inside a server have.
func (s *Stream) Guest() *GuestStatus { return &s.Status.GuestStatus }

// Guest returns the part of the status that all objects inside a server have.
func (u *User) Guest() *GuestStatus { return &u.Status.GuestStatus }

// Guest returns the part of the status that all objects inside a server have.
func (b *Bot) Guest() *GuestStatus { return &b.Status.GuestStatus }

// Guest returns the part of the status that all objects inside a server have.
func (w *IncomingWebhook) Guest() *GuestStatus { return &w.Status.GuestStatus }

// Retained reports whether what is in the server stays as it is when the object is deleted.
func (o *Organization) Retained() bool { return o.Spec.DeletionPolicy != OrganizationDelete }

// Retained reports whether what is in the server stays as it is when the object is deleted.
func (s *Stream) Retained() bool { return s.Spec.DeletionPolicy != StreamArchive }

// Retained reports whether what is in the server stays as it is when the object is deleted.
func (u *User) Retained() bool { return u.Spec.DeletionPolicy == UserRetain }

// Retained reports whether what is in the server stays as it is when the object is deleted.
func (b *Bot) Retained() bool { return b.Spec.DeletionPolicy == BotRetain }

// Retained reports whether what is in the server stays as it is when the object is deleted.
func (w *IncomingWebhook) Retained() bool { return w.Spec.DeletionPolicy == BotRetain }

// Adopts reports whether the object may take over what is in the server already.
func (o *Organization) Adopts() bool { return o.Spec.Adopt }

// Adopts reports whether the object may take over what is in the server already.
func (s *Stream) Adopts() bool { return s.Spec.Adopt }

// Adopts reports whether the object may take over what is in the server already.
func (u *User) Adopts() bool { return u.Spec.Adopt }

// Adopts reports whether the object may take over what is in the server already.
func (b *Bot) Adopts() bool { return b.Spec.Adopt }

// Adopts reports whether the object may take over what is in the server already.
func (w *IncomingWebhook) Adopts() bool { return w.Spec.Adopt }
