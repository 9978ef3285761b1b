package remote

import (
	"context"
	"strconv"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/adminclient"
)

func streams() kind[*v1alpha1.Stream] {
	return kind[*v1alpha1.Stream]{
		name:   "Stream",
		new:    func() *v1alpha1.Stream { return &v1alpha1.Stream{} },
		list:   func() client.ObjectList { return &v1alpha1.StreamList{} },
		ensure: ensureStream,
		remove: removeFrom((*adminclient.Client).Streams),
	}
}

func ensureStream(ctx context.Context, p *pass, s *v1alpha1.Stream) (changes, error) {
	spec := adminapi.StreamSpec{
		Name: &s.Spec.Name, Description: s.Spec.Description, Private: new(s.Spec.Privacy == v1alpha1.StreamPrivate),
		HistoryPublic: s.Spec.SharedHistory, Default: s.Spec.Default, Adopt: s.Spec.Adopt, AdoptFrom: p.adoptFrom,
	}
	if days := s.Spec.MessageRetentionDays; days != nil {
		spec.RetentionDays = new(int(*days))
	}
	if policy := s.Spec.PostPolicy; policy != nil {
		spec.PostPolicy = new(place(*policy, v1alpha1.PostEveryone, v1alpha1.PostAdministrators, v1alpha1.PostNewMembers))
	}
	ensured, err := p.api.Streams(keyOf(p.organization)).Put(ctx, p.key, spec)
	if err != nil {
		return changes{}, err
	}
	s.Status.ID = strconv.FormatInt(ensured.State.ID, 10)
	return changesOf(ensured), nil
}
