package plugin

import "chatserver.dev/operator/api/v1alpha1"

// advice has the next step for each reason that asks somebody to do something. docs/kubernetes/troubleshooting.md
// has more about each of them.
func advice() map[string]string {
	return map[string]string{
		v1alpha1.ReasonFailed:               "nothing, if it goes away: the operator tries again; otherwise read the message and the operator's log",
		v1alpha1.ReasonDeletionBlocked:      "delete what the message names first",
		v1alpha1.ReasonInvalidPodTemplate:   "correct the podTemplate that the message names",
		v1alpha1.ReasonPaused:               "kubectl chat wake, when the operator is to go on",
		v1alpha1.ReasonHibernated:           "kubectl chat wake, when it is needed",
		v1alpha1.ReasonSecretNotFound:       "make the Secret, or correct its name in the spec",
		v1alpha1.ReasonSecretKeyMissing:     "add the key to the Secret, or correct its name in the spec",
		v1alpha1.ReasonSecretInvalid:        "correct the value of the key in the Secret",
		v1alpha1.ReasonCRDNotInstalled:      "install what serves the kind, or leave it out of the spec",
		v1alpha1.ReasonWaitingForDatabase:   "see whether PostgreSQL runs and can be reached from the namespace",
		v1alpha1.ReasonWaitingForCache:      "see whether Redis runs and can be reached from the namespace",
		v1alpha1.ReasonDatabaseFailing:      "see that PostgreSQL runs, can be reached, and has room on its disk",
		v1alpha1.ReasonCacheFailing:         "see that Redis runs, can be reached, and has room in memory and on its disk",
		v1alpha1.ReasonSecretNotOurs:        "choose another secretName, or delete the Secret if nobody needs it",
		v1alpha1.ReasonPreflightFailed:      "correct what the message says; the old version is still serving",
		v1alpha1.ReasonMigrationFailed:      "correct what the message says, then change the annotation " + v1alpha1.AnnotationRetry + "; the old version is still serving",
		v1alpha1.ReasonDowngradeRefused:     "set spec.version to the floor in the message, or later",
		v1alpha1.ReasonVersionSkew:          "upgrade to the minor version in between first",
		v1alpha1.ReasonRolloutFailed:        "look at the pods that the message names; kubectl chat rollback goes back",
		v1alpha1.ReasonImagePullFailed:      "correct spec.image or spec.version, or load the image into the registry",
		v1alpha1.ReasonUnavailable:          "look at the pods and their logs",
		v1alpha1.ReasonNotAccepted:          "let the Gateway take routes of this namespace and host, or name another one",
		v1alpha1.ReasonCertificateNotReady:  "look at the Certificate, or make the Secret that spec.exposure.tls names",
		v1alpha1.ReasonCertificateEndsSoon:  "see why the Certificate isn't renewed, or renew the one in the Secret",
		v1alpha1.ReasonHostTaken:            "make it with another host, or delete the ChatServer that the message names",
		v1alpha1.ReasonServerNotFound:       "correct serverRef, or make the ChatServer",
		v1alpha1.ReasonServerNotReady:       "nothing, if the server gets ready; kubectl chat status shows why",
		v1alpha1.ReasonServerHibernated:     "kubectl chat wake, on the server",
		v1alpha1.ReasonServerPaused:         "kubectl chat wake, on the server",
		v1alpha1.ReasonServerUnreachable:    "see whether the api pods serve and the operator may reach their admin port",
		v1alpha1.ReasonTokenNotAccepted:     "nothing for some minutes after a rotation; then kubectl chat rotate server",
		v1alpha1.ReasonOrganizationNotFound: "correct organizationRef, or make the Organization",
		v1alpha1.ReasonOrganizationNotReady: "look at the Organization first",
		v1alpha1.ReasonNamespaceNotAllowed:  "widen allowedNamespaces of what the message names, or move the object",
		v1alpha1.ReasonRefused:              "correct what the message says",
		v1alpha1.ReasonNameTaken:            "choose another name, or set adopt: true to take over what people have made",
	}
}
