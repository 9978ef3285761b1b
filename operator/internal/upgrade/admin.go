package upgrade

import (
	appsv1 "k8s.io/api/apps/v1"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
)

// Admin returns how pods of a version serve the admin interface: over TLS if the migration of this or an earlier
// version has reported support. An attacker between operator and pods can't influence this.
func Admin(version string, status v1alpha1.ChatServerStatus) inputs.Admin {
	switch known := status.AdminTLS; {
	case known == nil:
		return inputs.AdminUnsaid
	case known.Since == "" || before(version, known.Since):
		return inputs.AdminPlaintext
	}
	return inputs.AdminTLS
}

// TakeAdmin records whether a version can serve the admin interface over TLS, as its migration reported. false: it
// can't, or the report is missing.
func TakeAdmin(status *v1alpha1.ChatServerStatus, version string, reported bool) {
	if status.AdminTLS == nil {
		status.AdminTLS = &v1alpha1.AdminTLSStatus{}
	}
	if known := status.AdminTLS; reported && (known.Since == "" || before(version, known.Since)) {
		known.Since = version
	}
}

// NewServes reports whether an updated pod of a Deployment is ready: more pods are ready than aren't updated.
func NewServes(deployment *appsv1.Deployment) bool {
	status := deployment.Status
	return status.ObservedGeneration >= deployment.Generation && status.ReadyReplicas > status.Replicas-status.UpdatedReplicas
}
