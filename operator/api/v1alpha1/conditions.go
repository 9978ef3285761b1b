package v1alpha1

// Types of conditions. Ready, Reconciling and Stalled are defined by kstatus. Reconciling, Stalled and Paused are
// present only while they are true; all others stay once they were set.
const (
	ConditionReady       = "Ready"       // the resource matches its spec
	ConditionReconciling = "Reconciling" // in progress; no action is needed
	ConditionStalled     = "Stalled"     // blocked until a user changes this or another object
	ConditionPaused      = "Paused"      // not reconciled, on request of the spec or an annotation

	// Of a ChatServer.
	ConditionDependenciesReady = "DependenciesReady" // database and cache respond, references exist
	ConditionSecretsReady      = "SecretsReady"      // the operator's own Secrets exist
	ConditionMigrationsApplied = "MigrationsApplied" // the schema matches the version
	ConditionRolledOut         = "RolledOut"         // all pods match the spec, and were ready
	ConditionAvailable         = "Available"         // api, events and webhook have ready pods
	ConditionExposureReady     = "ExposureReady"     // the Ingress or HTTPRoute exists and is accepted
	ConditionTLSReady          = "TLSReady"          // certificates can be used
	ConditionDriftRepaired     = "DriftRepaired"     // drift was reverted

	// Of objects inside a server.
	ConditionAccepted         = "Accepted"         // the reference is found and allows the namespace
	ConditionSynced           = "Synced"           // the last call to the server succeeded
	ConditionCredentialsReady = "CredentialsReady" // the Secret has the current key
)

// Reasons of conditions. Those of events are the same.
const (
	ReasonServing            = "Serving"            // everything matches the spec
	ReasonSynced             = "Synced"             // the object in the server matches the spec
	ReasonPending            = "Pending"            // no operator has seen it yet: the default of each status, since kstatus takes an object without conditions for ready
	ReasonProgressing        = "Progressing"        // being reconciled
	ReasonPaused             = "Paused"             // not reconciled, on request
	ReasonHibernated         = "Hibernated"         // hibernated, on request
	ReasonFailed             = "Failed"             // an error that is retried
	ReasonNothingToDo        = "NothingToDo"        // the spec doesn't request it
	ReasonDeletionBlocked    = "DeletionBlocked"    // another object must be deleted first
	ReasonDeleting           = "Deleting"           // being deleted
	ReasonInvalidPodTemplate = "InvalidPodTemplate" // a podTemplate patch can't be applied

	// Of a ChatServer's dependencies.
	ReasonSecretNotFound      = "SecretNotFound"      // a referenced Secret or ConfigMap is missing
	ReasonSecretKeyMissing    = "SecretKeyMissing"    // it lacks the key
	ReasonSecretInvalid       = "SecretInvalid"       // the key's value can't be used
	ReasonClaimNotFound       = "ClaimNotFound"       // a referenced PersistentVolumeClaim is missing
	ReasonClaimNotShared      = "ClaimNotShared"      // several pods can't use its volume
	ReasonCRDNotInstalled     = "CRDNotInstalled"     // a kind that the spec needs isn't served
	ReasonWaitingForDatabase  = "WaitingForDatabase"  // PostgreSQL isn't ready yet
	ReasonWaitingForCache     = "WaitingForCache"     // Redis isn't ready yet
	ReasonDatabaseFailing     = "DatabaseFailing"     // PostgreSQL doesn't respond, or its disk is full
	ReasonCacheFailing        = "CacheFailing"        // Redis doesn't respond, or is full
	ReasonDependenciesReady   = "DependenciesReady"   // both work
	ReasonSecretsReady        = "SecretsReady"        // they exist
	ReasonSecretNotOurs       = "SecretNotOurs"       // a Secret of that name wasn't written for this object
	ReasonSecretContested     = "SecretContested"     // others change or delete it each time that the operator has written it
	ReasonPreflightFailed     = "PreflightFailed"     // the version can't work with database or cache
	ReasonMigrationRunning    = "MigrationRunning"    // the Job is running
	ReasonMigrationFailed     = "MigrationFailed"     // the Job failed permanently
	ReasonMigrationsApplied   = "MigrationsApplied"   // the Job is done
	ReasonDowngradeRefused    = "DowngradeRefused"    // the schema is too new for the version
	ReasonVersionSkew         = "VersionSkew"         // a minor version was skipped
	ReasonRolloutRunning      = "RolloutRunning"      // pods are being replaced
	ReasonRolloutFailed       = "RolloutFailed"       // new pods don't become ready
	ReasonRolledOut           = "RolledOut"           // all are replaced
	ReasonImagePullFailed     = "ImagePullFailed"     // an image can't be pulled
	ReasonAvailable           = "Available"           // there are ready pods
	ReasonUnavailable         = "Unavailable"         // there are none
	ReasonExposed             = "Exposed"             // it can be reached
	ReasonNotAccepted         = "NotAccepted"         // the Gateway doesn't accept the route
	ReasonCertificateReady    = "CertificateReady"    // all of them can be used
	ReasonCertificateNotReady = "CertificateNotReady" // it doesn't exist, or isn't for all names
	ReasonCertificateEndsSoon = "CertificateEndsSoon" // it must be renewed
	ReasonHostTaken           = "HostTaken"           // another ChatServer has the host
	ReasonDriftRepaired       = "DriftRepaired"       // an out-of-band change was reverted

	// Of objects inside a server.
	ReasonAccepted             = "Accepted"             // found and allowed
	ReasonServerNotFound       = "ServerNotFound"       // there is no such ChatServer
	ReasonServerNotReady       = "ServerNotReady"       // it isn't serving yet
	ReasonServerHibernated     = "ServerHibernated"     // it is hibernated
	ReasonServerPaused         = "ServerPaused"         // it is paused
	ReasonServerUnreachable    = "ServerUnreachable"    // it doesn't respond
	ReasonOrganizationNotFound = "OrganizationNotFound" // there is no such Organization
	ReasonOrganizationNotReady = "OrganizationNotReady" // it isn't in the server yet
	ReasonNamespaceNotAllowed  = "NamespaceNotAllowed"  // not in allowedNamespaces
	ReasonRefused              = "Refused"              // the server refused
	ReasonNameTaken            = "NameTaken"            // the name is in use; see adopt
	ReasonIssued               = "Issued"               // the Secret has the key
	ReasonTokenNotAccepted     = "TokenNotAccepted"     // the server doesn't know the operator's token yet

	// Of events about objects inside a server.
	ReasonKeyIssued       = "KeyIssued"       // a Secret has a new key
	ReasonKeyReplaced     = "KeyReplaced"     // a Secret has a new key, since the previous one was changed inside the server
	ReasonRetained        = "Retained"        // the object is deleted, but kept in the server
	ReasonReleased        = "Released"        // the object is deleted; the server is gone or hibernated
	ReasonDeletionGivenUp = "DeletionGivenUp" // the object is deleted; the server couldn't be called
)
