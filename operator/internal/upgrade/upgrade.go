// Package upgrade makes the decisions of an upgrade: whether a version is allowed, whether the schema must be migrated
// first, and what to do with the Job that migrates it. Its functions are pure.
package upgrade

import (
	"fmt"

	"chatserver.dev/operator/api/v1alpha1"
)

// Action is what to do next.
type Action string

// What to do next.
const (
	Refuse     Action = "Refuse"     // nothing: the version isn't allowed
	StartJob   Action = "StartJob"   // create the Job
	ReplaceJob Action = "ReplaceJob" // delete the Job, so that it can be recreated
	AwaitJob   Action = "AwaitJob"   // wait for the Job
	GiveUp     Action = "GiveUp"     // nothing: the Job has failed, and its inputs are the same
	TakeSchema Action = "TakeSchema" // record the result of the Job, then roll out
	RollOut    Action = "RollOut"    // replace the pods: the schema is migrated
)

// Want is the desired version.
type Want struct {
	Version   string
	Migration string // the hash of version and image, which is in the name of the Job
	Attempt   string // the hash of everything that the Job depends on: if it changes, a failed Job is retried
}

// Job is the state of the Job of the desired migration. The zero value: there is none.
type Job struct {
	Exists   bool
	Complete bool
	Failed   bool
	Running  bool   // one of its pods is running
	Attempt  string // that it was created for
}

// Decision is what to do, and why.
type Decision struct {
	Action  Action
	Phase   v1alpha1.UpgradePhase
	Reason  string // of the condition
	Message string // set if something is refused
}

// Next returns the next action of an upgrade to a version.
func Next(want Want, status v1alpha1.ChatServerStatus, job Job) Decision {
	if refused := refuse(want, status); refused != nil {
		return *refused
	}
	if !NeedsMigration(want, status) {
		return Decision{Action: RollOut, Phase: v1alpha1.PhaseRollout, Reason: v1alpha1.ReasonMigrationsApplied}
	}
	return migrate(want, job)
}

func migrate(want Want, job Job) Decision {
	d := Decision{Phase: v1alpha1.PhaseMigrate, Reason: v1alpha1.ReasonMigrationRunning}
	switch {
	case !job.Exists:
		d.Action = StartJob
	case job.Complete:
		d.Action, d.Reason = TakeSchema, v1alpha1.ReasonMigrationsApplied
	case job.Attempt != want.Attempt && !job.Running:
		// The Job has failed, or its pod can't start. A running pod may finish.
		d.Action = ReplaceJob
	case job.Failed:
		d.Action, d.Reason = GiveUp, v1alpha1.ReasonMigrationFailed
	default:
		d.Action = AwaitJob
	}
	return d
}

// NeedsMigration reports whether the Job of a version has to run. It doesn't if this Job or the Job of a later version
// has run: a rollback doesn't change the schema.
func NeedsMigration(want Want, status v1alpha1.ChatServerStatus) bool {
	schema := status.Schema
	if schema == nil || schema.ServerVersion == "" {
		return true
	}
	return schema.Migration != want.Migration && !RolledBack(want.Version, status)
}

// Later reports whether a version is later than the one whose migration ran last.
func Later(version string, status v1alpha1.ChatServerStatus) bool {
	return status.Schema == nil || before(status.Schema.ServerVersion, version)
}

// RolledBack reports whether a version is older than the one whose migration ran last, so that no migration runs.
func RolledBack(version string, status v1alpha1.ChatServerStatus) bool {
	return status.Schema != nil && before(version, status.Schema.ServerVersion)
}

// refuse returns why a version isn't allowed; nil: it is.
func refuse(want Want, status v1alpha1.ChatServerStatus) *Decision {
	if schema := status.Schema; schema != nil && schema.MinServerVersion != "" && before(want.Version, schema.MinServerVersion) {
		return &Decision{Action: Refuse, Reason: v1alpha1.ReasonDowngradeRefused, Message: fmt.Sprintf(
			"version %s doesn't work with the database's schema, which needs %s or later: set spec.version to that, or restore a backup from before the upgrade",
			want.Version, schema.MinServerVersion)}
	}
	if from := status.Version; from != "" && skips(from, want.Version) {
		return &Decision{Action: Refuse, Reason: v1alpha1.ReasonVersionSkew, Message: fmt.Sprintf(
			"version %s skips minor versions after %s, which is serving: set spec.version to the last %s first",
			want.Version, from, step(from, want.Version))}
	}
	return nil
}
