// Package upgrade decides how a version of chatserver comes in: whether at all, whether its schema has to
// be brought about first, and what is to be done with the Job that does it. It is pure: it looks at what it is
// given, and says what to do.
package upgrade

import (
	"fmt"

	"chatserver.dev/operator/api/v1alpha1"
)

// Action is what to do next.
type Action string

// What to do next.
const (
	Refuse     Action = "Refuse"     // nothing: the version can't come in
	StartJob   Action = "StartJob"   // make the Job
	ReplaceJob Action = "ReplaceJob" // delete the Job, so that another one can be made in its place
	AwaitJob   Action = "AwaitJob"   // let the Job do its work
	GiveUp     Action = "GiveUp"     // nothing: the Job has failed, and nothing has changed since
	TakeSchema Action = "TakeSchema" // note what the Job has brought about, then roll out
	RollOut    Action = "RollOut"    // replace pods; the schema is right
)

// Want is what the spec says.
type Want struct {
	Version   string
	Migration string // the sum of version and image, which the Job is named by
	Attempt   string // a sum of everything that the Job depends on: another one is worth another try
}

// Job is how the Job of the wanted migration is. The zero value: there is none.
type Job struct {
	Exists   bool
	Complete bool
	Failed   bool
	Running  bool   // a pod of it is at work
	Attempt  string // that it was made for
}

// Decision is what to do, and why.
type Decision struct {
	Action  Action
	Phase   v1alpha1.UpgradePhase
	Reason  string // of the condition
	Message string // for people, where something is refused
}

// Next decides what comes next on the way to a version.
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
		// It has failed, or its pod can't start. A pod at work is let finish.
		d.Action = ReplaceJob
	case job.Failed:
		d.Action, d.Reason = GiveUp, v1alpha1.ReasonMigrationFailed
	default:
		d.Action = AwaitJob
	}
	return d
}

// NeedsMigration reports whether the Job of a version has to run. It hasn't if it did already, or if a later
// version's did: going back leaves the schema as it is.
func NeedsMigration(want Want, status v1alpha1.ChatServerStatus) bool {
	schema := status.Schema
	if schema == nil || schema.ServerVersion == "" {
		return true
	}
	return schema.Migration != want.Migration && !before(want.Version, schema.ServerVersion)
}

// Later reports whether a version is later than the one whose migration is known to have run last.
func Later(version string, status v1alpha1.ChatServerStatus) bool {
	return status.Schema == nil || before(status.Schema.ServerVersion, version)
}

// refuse looks for what can't be.
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
