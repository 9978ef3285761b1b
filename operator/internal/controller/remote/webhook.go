package remote

import (
	"cmp"
	"context"
	"strconv"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/adminclient"
)

func webhooks() kind[*v1alpha1.IncomingWebhook] {
	return kind[*v1alpha1.IncomingWebhook]{
		name:    "IncomingWebhook",
		new:     func() *v1alpha1.IncomingWebhook { return &v1alpha1.IncomingWebhook{} },
		list:    func() client.ObjectList { return &v1alpha1.IncomingWebhookList{} },
		secrets: func(w *v1alpha1.IncomingWebhook) []string { return []string{w.Spec.Credentials.SecretName} },
		ensure:  ensureWebhook,
		remove:  removeFrom((*adminclient.Client).Webhooks),
	}
}

func ensureWebhook(ctx context.Context, p *pass, w *v1alpha1.IncomingWebhook) (changes, error) {
	spec := adminapi.WebhookSpec{
		ShortName: new(cmp.Or(w.Spec.ShortName, w.Name)), FullName: new(cmp.Or(w.Spec.FullName, nameOf(w))), Integration: &w.Spec.Integration,
		Owner: w.Spec.Owner, Stream: w.Spec.Stream, Topic: w.Spec.Topic, Adopt: w.Spec.Adopt, AdoptFrom: p.adoptFrom,
	}
	put := func(ctx context.Context, key adminapi.KeySpec) (account, error) {
		spec.KeySpec = key
		ensured, err := p.api.Webhooks(keyOf(p.organization)).Put(ctx, p.key, spec)
		if err == nil {
			w.Status.ID, w.Status.Email, w.Status.URL = strconv.FormatInt(ensured.State.ID, 10), ensured.State.Email, ensured.State.URL
		}
		return account{
			changes: changesOf(ensured), ends: ensured.State.PreviousEnds,
			content: func(key string) map[string][]byte {
				return map[string][]byte{
					"url": []byte(ensured.State.WithKey(key)), dataKey: []byte(key), "email": []byte(ensured.State.Email),
					"site": []byte(p.organization.Status.URL),
				}
			},
		}, err
	}
	status, found, err := p.ensureKey(ctx, holder{
		object: w, server: p.server, name: "IncomingWebhook/" + w.Name, wanted: w.Spec.Credentials, kind: v1alpha1.SecretTypeIncomingWebhook, put: put,
	})
	if err == nil {
		w.Status.Credentials = status
	}
	return found, err
}

// Limits on the length of full names in the server, in characters.
const (
	minName = 2
	maxName = 100
)

// nameOf returns the default full name of a webhook's bot: the object's name, preceded by the integration's if it is too
// short.
func nameOf(w *v1alpha1.IncomingWebhook) string {
	if len(w.Name) < minName {
		return w.Spec.Integration + " " + w.Name
	}
	return w.Name[:min(len(w.Name), maxName)] // a name of an object is in ASCII
}
