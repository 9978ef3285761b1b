package v1alpha1

// Guest returns the part of the status that all objects inside a server have.
func (o *Organization) Guest() *GuestStatus { return &o.Status.GuestStatus }

// Guest returns the part of the status that all objects inside a server have.
func (s *Stream) Guest() *GuestStatus { return &s.Status.GuestStatus }

// Guest returns the part of the status that all objects inside a server have.
func (b *Bot) Guest() *GuestStatus { return &b.Status.GuestStatus }

// Guest returns the part of the status that all objects inside a server have.
func (w *IncomingWebhook) Guest() *GuestStatus { return &w.Status.GuestStatus }

// Retained reports whether what is in the server stays as it is when the object is deleted.
func (o *Organization) Retained() bool { return o.Spec.DeletionPolicy != OrganizationDelete }

// Retained reports whether what is in the server stays as it is when the object is deleted.
func (s *Stream) Retained() bool { return s.Spec.DeletionPolicy != StreamArchive }

// Retained reports whether what is in the server stays as it is when the object is deleted.
func (b *Bot) Retained() bool { return b.Spec.DeletionPolicy == BotRetain }

// Retained reports whether what is in the server stays as it is when the object is deleted.
func (w *IncomingWebhook) Retained() bool { return w.Spec.DeletionPolicy == BotRetain }
