package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/adminclient"
)

func organizations() kind[*v1alpha1.Organization] {
	return kind[*v1alpha1.Organization]{
		name: "Organization",
		new:  func() *v1alpha1.Organization { return &v1alpha1.Organization{} },
		list: func() client.ObjectList { return &v1alpha1.OrganizationList{} },
		secrets: func(o *v1alpha1.Organization) (names []string) {
			for _, owner := range o.Spec.Owners {
				if owner.Credentials != nil {
					names = append(names, owner.Credentials.SecretName)
				}
			}
			return names
		},
		ensure: ensureOrganization,
		remove: func(ctx context.Context, p *pass) (bool, error) {
			deletion, err := p.api.DeleteOrganization(ctx, p.key)
			return deletion.Done, err
		},
		needed: neededByOthers,
	}
}

// togetherTime is how long an Organization waits for the deletion of what is in it, since a tool that deletes several objects
// begins with any of them.
const togetherTime = 3 * time.Second

// neededByOthers reports whether objects in an organization that are being deleted, or may soon be, still have to be deleted
// from the server as well. Without the Organization, the server isn't known any more: keys of bots would stay valid.
func neededByOthers(ctx context.Context, k keyStore, o *v1alpha1.Organization) (bool, error) {
	soon := k.clock.Now().Before(o.DeletionTimestamp.Add(togetherTime))
	for _, list := range []client.ObjectList{&v1alpha1.StreamList{}, &v1alpha1.UserList{}, &v1alpha1.BotList{}, &v1alpha1.IncomingWebhookList{}} {
		if err := k.client.List(ctx, list, client.MatchingFields{byParent: client.ObjectKeyFromObject(o).String()}); err != nil {
			return false, fmt.Errorf("list what is in Organization %s: %w", client.ObjectKeyFromObject(o), err)
		}
		needed := false
		_ = meta.EachListItem(list, func(item runtime.Object) error { // never fails
			object, ok := item.(Object)
			needed = needed || ok && !object.Retained() && controllerutil.ContainsFinalizer(object, v1alpha1.Finalizer) && (soon || !object.GetDeletionTimestamp().IsZero())
			return nil
		})
		if needed {
			return true, nil
		}
	}
	return false, nil
}

func ensureOrganization(ctx context.Context, p *pass, o *v1alpha1.Organization) (changes, error) {
	// An organization that nobody manages, such as an imported one, belongs to the team that runs the server.
	mayAdopt, settings := o.Namespace == p.server.Namespace, settingsOf(o)
	if err := beyond(p.server, o, settings); err != nil {
		return changes{}, err
	}
	spec := adminapi.OrganizationSpec{
		Subdomain: &o.Spec.Subdomain, Name: &o.Spec.Name, Description: o.Spec.Description, Settings: settings, Domains: domainsOf(o), Linkifiers: linkifiersOf(o),
		UserGroups: groupsOf(o), Suspended: new(o.Spec.State == v1alpha1.OrganizationSuspended), Adopt: o.Spec.Adopt && mayAdopt, AdoptFrom: p.adoptFrom,
	}
	ensured, err := p.api.PutOrganization(ctx, p.key, spec)
	if refused, ok := errors.AsType[*adminclient.Error](err); ok && refused.Code == adminapi.CodeExists && !mayAdopt {
		return changes{}, nameTaken("the server has an organization with this subdomain, which nobody manages: choose another subdomain. " +
			"It can be adopted in the namespace of the ChatServer, or an administrator of the server can hand it over")
	}
	if err != nil {
		return changes{}, err
	}
	o.Status.ID, o.Status.URL = strconv.FormatInt(ensured.State.ID, 10), ensured.State.URL
	o.Status.UserGroups = groupStatus(o, ensured.State.UserGroups)
	found := changesOf(ensured)
	if err := dropOwners(ctx, p, o); err != nil {
		return changes{}, err
	}
	keys := []v1alpha1.OrganizationOwnerStatus(nil)
	for _, owner := range o.Spec.Owners {
		isOwner := slices.ContainsFunc(ensured.State.Owners, func(email string) bool { return strings.EqualFold(email, owner.Email) })
		if isOwner && owner.Credentials == nil {
			continue
		}
		spec := adminapi.OwnerSpec{}
		if owner.FullName != "" && !isOwner {
			spec.FullName = &owner.FullName
		}
		if owner.Credentials == nil {
			ensured, err := p.api.Owners(p.key).Put(ctx, owner.Email, spec)
			if err != nil {
				return changes{}, err
			}
			found = found.with(ownerChanges(owner.Email, ensured), found.next)
			continue
		}
		status, more, err := ensureOwnerKey(ctx, p, o, owner, spec)
		if err != nil {
			return changes{}, err
		}
		found = found.with(more.changed, more.next)
		keys = append(keys, v1alpha1.OrganizationOwnerStatus{Email: owner.Email, Credentials: status})
	}
	o.Status.Owners = keys
	return found, nil
}

// ensureOwnerKey makes an account an owner, and reconciles its key with a Secret, as for bots.
func ensureOwnerKey(
	ctx context.Context, p *pass, o *v1alpha1.Organization, owner v1alpha1.OrganizationOwner, spec adminapi.OwnerSpec,
) (v1alpha1.CredentialsStatus, changes, error) {
	return p.ensureKey(ctx, holder{
		object: o, server: p.server, name: ownerHolder(o, owner.Email), wanted: *owner.Credentials, kind: corev1.SecretTypeOpaque,
		put: func(ctx context.Context, key adminapi.KeySpec) (account, error) {
			spec.KeySpec = key
			ensured, err := p.api.Owners(p.key).Put(ctx, owner.Email, spec)
			return account{
				changes: changes{created: ensured.Created, changed: ownerChanges(owner.Email, ensured)}, ends: ensured.State.PreviousEnds,
				content: func(key string) map[string][]byte { return accountContent(o.Status.URL, ensured.State.Email, key) },
			}, err
		},
	})
}

// ownerChanges returns the names of an owner's changed fields, with the owner's address, except for the key.
func ownerChanges(email string, ensured adminapi.Ensured[adminapi.Owner]) []string {
	if ensured.Created {
		return []string{"owner " + email}
	}
	changed := []string(nil)
	for _, field := range ensured.Changed {
		if field != fieldKey {
			field += " of owner " + email
		}
		changed = append(changed, field)
	}
	return changed
}

func ownerHolder(o *v1alpha1.Organization, email string) string {
	return "Organization/" + o.Name + "/" + email
}

// dropOwners deletes the Secrets of owners whose credentials were removed from the spec. The keys themselves
// stay valid: they belong to the owners.
func dropOwners(ctx context.Context, p *pass, o *v1alpha1.Organization) error {
	for _, was := range o.Status.Owners {
		wanted := slices.ContainsFunc(o.Spec.Owners, func(owner v1alpha1.OrganizationOwner) bool {
			return owner.Email == was.Email && owner.Credentials != nil
		})
		if wanted || was.Credentials.SecretRef == nil {
			continue
		}
		if err := p.drop(ctx, o, was.Credentials.SecretRef.Name, ownerHolder(o, was.Email)); err != nil {
			return err
		}
	}
	return nil
}
