package remote

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/adminclient"
)

func bots() kind[*v1alpha1.Bot] {
	return kind[*v1alpha1.Bot]{
		name:    "Bot",
		new:     func() *v1alpha1.Bot { return &v1alpha1.Bot{} },
		list:    func() client.ObjectList { return &v1alpha1.BotList{} },
		secrets: func(b *v1alpha1.Bot) []string { return []string{b.Spec.Credentials.SecretName} },
		ensure:  ensureBot,
		remove:  removeFrom((*adminclient.Client).Bots),
	}
}

func ensureBot(ctx context.Context, p *pass, b *v1alpha1.Bot) (changes, error) {
	spec := adminapi.BotSpec{
		ShortName: new(cmp.Or(b.Spec.ShortName, b.Name)), FullName: &b.Spec.FullName, Owner: b.Spec.Owner, Role: new(role(b.Spec.Role)),
		Subscriptions: b.Spec.Subscriptions, Adopt: b.Spec.Adopt, AdoptFrom: p.adoptFrom,
	}
	put := func(ctx context.Context, key adminapi.KeySpec) (account, error) {
		spec.KeySpec = key
		ensured, err := p.api.Bots(keyOf(p.organization)).Put(ctx, p.key, spec)
		if err == nil {
			b.Status.ID, b.Status.Email = strconv.FormatInt(ensured.State.ID, 10), ensured.State.Email
		}
		return account{
			changes: changesOf(ensured), ends: ensured.State.PreviousEnds,
			content: func(key string) map[string][]byte {
				return accountContent(p.organization.Status.URL, ensured.State.Email, key)
			},
		}, err
	}
	status, found, err := p.ensureKey(ctx, holder{
		object: b, server: p.server, name: "Bot/" + b.Name, wanted: b.Spec.Credentials, kind: corev1.SecretTypeOpaque, put: put,
	})
	if err == nil {
		b.Status.Credentials = status
	}
	return found, err
}

// accountContent returns the data of an account's Secret.
func accountContent(site, email, key string) map[string][]byte {
	return map[string][]byte{
		"site": []byte(site), "url": []byte(site + "/api/v1"), "email": []byte(email), dataKey: []byte(key),
		"zuliprc": fmt.Appendf(nil, "[api]\nemail=%s\nkey=%s\nsite=%s\n", email, key, site),
	}
}

// role returns the server's number of a role.
func role(r v1alpha1.Role) int {
	switch r {
	case v1alpha1.RoleOwner:
		return 100
	case v1alpha1.RoleAdministrator:
		return 200
	case v1alpha1.RoleGuest:
		return 600
	case v1alpha1.RoleMember:
	}
	return 400
}
