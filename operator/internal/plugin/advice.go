package plugin

import "chatserver.dev/operator/api/v1alpha1"

// advice returns the next step for each reason that requires one. docs/kubernetes/troubleshooting.md describes them in
// detail.
func advice() map[string]string {
	return map[string]string{
		v1alpha1.ReasonPending:              "check that the operator is running, and watches this namespace",
		v1alpha1.ReasonFailed:               "the operator retries; if the error persists, see the message and the operator's log",
		v1alpha1.ReasonDeletionBlocked:      "delete what the message names first",
		v1alpha1.ReasonInvalidPodTemplate:   "correct the podTemplate that the message names",
		v1alpha1.ReasonPaused:               "kubectl chat wake, to resume reconciliation",
		v1alpha1.ReasonHibernated:           "kubectl chat wake, to start it again",
		v1alpha1.ReasonSecretNotFound:       "create the Secret, or correct its name in the spec",
		v1alpha1.ReasonSecretKeyMissing:     "add the key to the Secret, or correct its name in the spec",
		v1alpha1.ReasonSecretInvalid:        "correct the value of the key in the Secret",
		v1alpha1.ReasonClaimNotFound:        "create the PersistentVolumeClaim, or correct its name in the spec",
		v1alpha1.ReasonClaimNotShared:       "name a ReadWriteMany claim, use a bucket, or have one pod that uses the claim",
		v1alpha1.ReasonCRDNotInstalled:      "install the missing CRD, or remove the field from the spec",
		v1alpha1.ReasonWaitingForDatabase:   "check that PostgreSQL is running and can be reached from the namespace",
		v1alpha1.ReasonWaitingForCache:      "check that Redis is running and can be reached from the namespace",
		v1alpha1.ReasonDatabaseFailing:      "check that PostgreSQL is running, can be reached, and has disk space",
		v1alpha1.ReasonCacheFailing:         "check that Redis is running, can be reached, and has memory and disk space",
		v1alpha1.ReasonSecretNotOurs:        "choose another secretName, or delete the Secret if nobody needs it",
		v1alpha1.ReasonSecretContested:      "remove the Secret from what others apply: only the operator may write it",
		v1alpha1.ReasonPreflightFailed:      "fix the problem in the message; the old version is still serving",
		v1alpha1.ReasonMigrationFailed:      "fix the problem in the message, then change the annotation " + v1alpha1.AnnotationRetry + "; the old version is still serving",
		v1alpha1.ReasonDowngradeRefused:     "set spec.version to the version in the message, or later",
		v1alpha1.ReasonVersionSkew:          "upgrade to the next minor version first",
		v1alpha1.ReasonRolloutFailed:        "check the pods in the message; kubectl chat rollback reverts the upgrade",
		v1alpha1.ReasonImagePullFailed:      "correct spec.image or spec.version, or load the image into the registry",
		v1alpha1.ReasonUnavailable:          "check the pods and their logs",
		v1alpha1.ReasonNotAccepted:          "allow routes of this namespace and host in the Gateway, or name another one",
		v1alpha1.ReasonCertificateNotReady:  "check the Certificate, or write a valid one into the Secret that the message names",
		v1alpha1.ReasonCertificateEndsSoon:  "check why the Certificate isn't renewed, or renew the one in the Secret",
		v1alpha1.ReasonHostTaken:            "recreate it with another host, or delete the ChatServer in the message",
		v1alpha1.ReasonServerNotFound:       "correct serverRef, or create the ChatServer",
		v1alpha1.ReasonServerNotReady:       "wait until the server is ready; kubectl chat status shows what is missing",
		v1alpha1.ReasonServerHibernated:     "kubectl chat wake, on the server",
		v1alpha1.ReasonServerPaused:         "kubectl chat wake, on the server",
		v1alpha1.ReasonServerUnreachable:    "check that the api pods are ready and the operator can reach their admin port",
		v1alpha1.ReasonTokenNotAccepted:     "wait some minutes after a rotation; then kubectl chat rotate server",
		v1alpha1.ReasonOrganizationNotFound: "correct organizationRef, or create the Organization",
		v1alpha1.ReasonOrganizationNotReady: "check the Organization first",
		v1alpha1.ReasonNamespaceNotAllowed:  "extend allowedNamespaces of the object in the message, or move this object",
		v1alpha1.ReasonRefused:              "fix the problem in the message",
		v1alpha1.ReasonNameTaken:            "choose another name; if no other resource manages the object, adopt: true takes it over",
	}
}
