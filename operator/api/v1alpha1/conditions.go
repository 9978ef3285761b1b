package v1alpha1

// Types of conditions. Ready, Reconciling and Stalled are what kstatus reads. Ready and the positive ones
// are always there once set; Reconciling, Stalled and Paused are there only while they are true.
const (
	ConditionReady       = "Ready"       // it does what the spec says
	ConditionReconciling = "Reconciling" // it is on its way, and nobody has to do anything
	ConditionStalled     = "Stalled"     // it won't get on until somebody changes something
	ConditionPaused      = "Paused"      // it is left alone, as the spec or an annotation says

	// Of a ChatServer.
	ConditionDependenciesReady = "DependenciesReady" // database and cache answer, references are there
	ConditionSecretsReady      = "SecretsReady"      // the operator's own Secrets are there
	ConditionMigrationsApplied = "MigrationsApplied" // the schema is that of the version
	ConditionRolledOut         = "RolledOut"         // all pods are as the spec says, and were ready
	ConditionAvailable         = "Available"         // api, events and webhook have pods that serve
	ConditionExposureReady     = "ExposureReady"     // Ingress or HTTPRoute are there and taken up
	ConditionTLSReady          = "TLSReady"          // the certificate is there
	ConditionDriftRepaired     = "DriftRepaired"     // what others changed was reverted

	// Of what is inside a server.
	ConditionAccepted         = "Accepted"         // the reference is found and lets the namespace in
	ConditionSynced           = "Synced"           // the last call to the server did what it was to do
	ConditionCredentialsReady = "CredentialsReady" // the Secret has the key that is in force
)

// Reasons of conditions. Those of events are the same.
const (
	ReasonServing            = "Serving"            // all is as the spec says
	ReasonSynced             = "Synced"             // it is in the server as the spec says
	ReasonProgressing        = "Progressing"        // being brought about
	ReasonPaused             = "Paused"             // left alone on request
	ReasonHibernated         = "Hibernated"         // asleep on request
	ReasonFailed             = "Failed"             // an error that is tried again
	ReasonNothingToDo        = "NothingToDo"        // the spec wants none of it
	ReasonDeletionBlocked    = "DeletionBlocked"    // what has to go first, doesn't
	ReasonDeleting           = "Deleting"           // on its way out
	ReasonInvalidPodTemplate = "InvalidPodTemplate" // a podTemplate patch can't be applied

	// Of a ChatServer's dependencies.
	ReasonSecretNotFound      = "SecretNotFound"      // a referenced Secret or ConfigMap is missing
	ReasonSecretKeyMissing    = "SecretKeyMissing"    // it lacks the key
	ReasonSecretInvalid       = "SecretInvalid"       // the key's value can't be used
	ReasonCRDNotInstalled     = "CRDNotInstalled"     // a kind that the spec needs isn't served
	ReasonWaitingForDatabase  = "WaitingForDatabase"  // PostgreSQL isn't ready yet
	ReasonWaitingForCache     = "WaitingForCache"     // Redis isn't ready yet
	ReasonDatabaseFailing     = "DatabaseFailing"     // PostgreSQL doesn't answer, or has no room
	ReasonCacheFailing        = "CacheFailing"        // Redis doesn't answer, or has no room
	ReasonDependenciesReady   = "DependenciesReady"   // both do their work
	ReasonSecretsReady        = "SecretsReady"        // they are there
	ReasonSecretNotOurs       = "SecretNotOurs"       // a Secret of that name belongs to somebody else
	ReasonPreflightFailed     = "PreflightFailed"     // and says that it can't work with them
	ReasonMigrationRunning    = "MigrationRunning"    // the Job runs
	ReasonMigrationFailed     = "MigrationFailed"     // the Job failed for good
	ReasonMigrationsApplied   = "MigrationsApplied"   // the Job is done
	ReasonDowngradeRefused    = "DowngradeRefused"    // the schema is too new for the version
	ReasonVersionSkew         = "VersionSkew"         // a minor version was skipped
	ReasonRolloutRunning      = "RolloutRunning"      // pods are being replaced
	ReasonRolloutFailed       = "RolloutFailed"       // and don't become ready
	ReasonRolledOut           = "RolledOut"           // all are replaced
	ReasonImagePullFailed     = "ImagePullFailed"     // an image can't be had
	ReasonAvailable           = "Available"           // pods serve
	ReasonUnavailable         = "Unavailable"         // none does
	ReasonExposed             = "Exposed"             // the way in is there
	ReasonNotAccepted         = "NotAccepted"         // the Gateway doesn't take the route
	ReasonCertificateReady    = "CertificateReady"    // it is there
	ReasonCertificateNotReady = "CertificateNotReady" // it isn't, or isn't for all names
	ReasonCertificateEndsSoon = "CertificateEndsSoon" // it has to be renewed
	ReasonHostTaken           = "HostTaken"           // another ChatServer has the host
	ReasonDriftRepaired       = "DriftRepaired"       // somebody's change was undone

	// Of what is inside a server.
	ReasonAccepted             = "Accepted"             // found and let in
	ReasonServerNotFound       = "ServerNotFound"       // there is no such ChatServer
	ReasonServerNotReady       = "ServerNotReady"       // it doesn't serve yet
	ReasonServerHibernated     = "ServerHibernated"     // it sleeps
	ReasonServerPaused         = "ServerPaused"         // it is left alone
	ReasonServerUnreachable    = "ServerUnreachable"    // it doesn't answer
	ReasonOrganizationNotFound = "OrganizationNotFound" // there is no such Organization
	ReasonOrganizationNotReady = "OrganizationNotReady" // it isn't in the server yet
	ReasonNamespaceNotAllowed  = "NamespaceNotAllowed"  // allowedNamespaces don't let it in
	ReasonRefused              = "Refused"              // the server says that it can't be
	ReasonNameTaken            = "NameTaken"            // people have made one of that name; see adopt
	ReasonIssued               = "Issued"               // the Secret has the key
	ReasonTokenNotAccepted     = "TokenNotAccepted"     // the server doesn't know the operator's token yet

	// Of events about what is inside a server.
	ReasonKeyIssued       = "KeyIssued"       // a Secret has got a key
	ReasonKeyReplaced     = "KeyReplaced"     // and another one, since somebody changed it inside the server
	ReasonRetained        = "Retained"        // the object goes, what is in the server stays
	ReasonReleased        = "Released"        // the object goes, since the server is gone or asleep
	ReasonDeletionGivenUp = "DeletionGivenUp" // the object goes, though the server couldn't be told
)
