package remote

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/adminclient"
)

func users() kind[*v1alpha1.User] {
	return kind[*v1alpha1.User]{
		name: "User",
		new:  func() *v1alpha1.User { return &v1alpha1.User{} },
		list: func() client.ObjectList { return &v1alpha1.UserList{} },
		reads: func(u *v1alpha1.User) []string {
			if u.Spec.InitialPassword == nil {
				return nil
			}
			return []string{u.Spec.InitialPassword.Name}
		},
		ensure: ensureUser, ensureTime: callTime + passwordTime,
		remove: removeFrom((*adminclient.Client).Users),
	}
}

func ensureUser(ctx context.Context, p *pass, u *v1alpha1.User) (changes, error) {
	if err := contradiction(p.organization, u); err != nil {
		return changes{}, err
	}
	spec := adminapi.UserSpec{
		Email: &u.Spec.Email, FullName: u.Spec.FullName, Active: new(u.Spec.State != v1alpha1.UserDeactivated), Groups: u.Spec.Groups,
		Announce: u.Spec.Announce, Adopt: u.Spec.Adopt, AdoptFrom: p.adoptFrom,
	}
	if u.Spec.Role != nil {
		spec.Role = new(role(*u.Spec.Role))
	}
	put := func(limit time.Duration) (changes, error) {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		ensured, err := p.api.Users(keyOf(p.organization)).Put(ctx, p.key, spec)
		if err != nil {
			return changes{}, err
		}
		u.Status.ID, u.Status.HasPassword = strconv.FormatInt(ensured.State.ID, 10), ensured.State.HasPassword
		return changesOf(ensured), nil
	}
	found, err := put(callTime)
	if err != nil || u.Spec.InitialPassword == nil || u.Status.HasPassword {
		return found, err
	}
	if spec.Password, err = p.password(ctx, u); err != nil {
		return changes{}, err
	}
	more, err := put(passwordTime)
	return found.with(more.changed, more.next), err
}

// contradiction returns a [*blocked] if the Organization contradicts the User: each of the two would revert the other's
// changes.
func contradiction(o *v1alpha1.Organization, u *v1alpha1.User) error {
	odds := func(text string, about ...any) error {
		return &blocked{
			mode: stalled, watched: true, condition: v1alpha1.ConditionSynced, reason: v1alpha1.ReasonRefused,
			message: fmt.Sprintf("Organization %s ", client.ObjectKeyFromObject(o)) + fmt.Sprintf(text, about...),
		}
	}
	isOwner := slices.ContainsFunc(o.Spec.Owners, func(owner v1alpha1.OrganizationOwner) bool {
		return strings.EqualFold(owner.Email, u.Spec.Email)
	})
	if isOwner && (u.Spec.Role != nil && *u.Spec.Role != v1alpha1.RoleOwner || u.Spec.State == v1alpha1.UserDeactivated) {
		return odds("names %s as an owner: change the role or the state here, or the owners there", u.Spec.Email)
	}
	for _, group := range o.Spec.UserGroups {
		if group.Members != nil && slices.Contains(u.Spec.Groups, group.Name) {
			return odds("lists the members of the user group %s: remove the group here, or the list there", group.Name)
		}
	}
	return nil
}

// password returns the initial password in the Secret that a User refers to. If there is none, the error is a [*blocked].
func (p *pass) password(ctx context.Context, u *v1alpha1.User) (string, error) {
	ref, secret := u.Spec.InitialPassword, &corev1.Secret{}
	missing := &blocked{watched: true, condition: v1alpha1.ConditionSynced}
	err := p.client.Get(ctx, types.NamespacedName{Namespace: u.Namespace, Name: ref.Name}, secret)
	switch value := strings.TrimRight(string(secret.Data[ref.Key]), "\r\n"); {
	case apierrors.IsNotFound(err):
		missing.reason, missing.message = v1alpha1.ReasonSecretNotFound, fmt.Sprintf("Secret %s not found: create it, or correct initialPassword", ref.Name)
		return "", missing
	case err != nil:
		return "", fmt.Errorf("read Secret %s: %w", ref.Name, err)
	case value == "":
		missing.reason, missing.message = v1alpha1.ReasonSecretKeyMissing, fmt.Sprintf("Secret %s has no key %s, or it is empty: add it, or correct initialPassword", ref.Name, ref.Key)
		return "", missing
	default:
		return value, nil
	}
}
