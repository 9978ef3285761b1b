// Package upgrade makes the decisions of an upgrade: whether a version is allowed, whether the schema must be migrated
// first, and what to do with the Job that migrates it. Its functions are pure.
package upgrade

import (
	"fmt"

	"chatserver.dev/operator/api/v1alpha1"
)

// Action is what to do with the Job of a migration that is needed.
type Action string

// What to do with the Job.
const (
	StartJob   Action = "StartJob"   // create it
	ReplaceJob Action = "ReplaceJob" // delete it, so that it can be recreated
	AwaitJob   Action = "AwaitJob"   // wait for it
	GiveUp     Action = "GiveUp"     // nothing: it has failed, and its inputs are the same
	TakeSchema Action = "TakeSchema" // record its result, then roll out
)

// Job is the state of the Job of the desired migration. The zero value: there is none.
type Job struct {
	Exists   bool
	Complete bool
	Failed   bool
	Running  bool   // one of its pods is running
	Attempt  string // that it was created for
}

// Next returns the next action of a migration. attempt is the hash of everything that its Job depends on: if it changes, a failed Job is
// retried.
func Next(attempt string, job Job) Action {
	switch {
	case !job.Exists:
		return StartJob
	case job.Complete:
		return TakeSchema
	case job.Attempt != attempt && !job.Running:
		// The Job has failed, or its pod can't start. A running pod may finish.
		return ReplaceJob
	case job.Failed:
		return GiveUp
	default:
		return AwaitJob
	}
}

// NeedsMigration reports whether the Job of a version has to run; migration is the hash of version and image. It doesn't if this Job or
// the Job of a later version has run: a rollback doesn't change the schema.
func NeedsMigration(version, migration string, status v1alpha1.ChatServerStatus) bool {
	schema := status.Schema
	if schema == nil || schema.ServerVersion == "" {
		return true
	}
	return schema.Migration != migration && !RolledBack(version, status)
}

// Later reports whether a version is later than the one whose migration ran last.
func Later(version string, status v1alpha1.ChatServerStatus) bool {
	return status.Schema == nil || before(status.Schema.ServerVersion, version)
}

// RolledBack reports whether a version is older than the one whose migration ran last, so that no migration runs.
func RolledBack(version string, status v1alpha1.ChatServerStatus) bool {
	return status.Schema != nil && before(version, status.Schema.ServerVersion)
}

// Check returns an error if a version isn't allowed, and the reason for a condition.
func Check(version string, status v1alpha1.ChatServerStatus) (reason string, err error) {
	if schema := status.Schema; schema != nil && schema.MinServerVersion != "" && before(version, schema.MinServerVersion) {
		return v1alpha1.ReasonDowngradeRefused, fmt.Errorf(
			"version %s doesn't work with the database's schema, which needs %s or later: set spec.version to that, or restore a backup from before the upgrade",
			version, schema.MinServerVersion)
	}
	if from := status.Version; from != "" && skips(from, version) {
		return v1alpha1.ReasonVersionSkew, fmt.Errorf(
			"version %s skips minor versions after %s, which is serving: set spec.version to the last %s first",
			version, from, step(from, version))
	}
	return "", nil
}
