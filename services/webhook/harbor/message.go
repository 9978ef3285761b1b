package harbor

import (
	"cmp"
	"slices"

	"chatserver.dev/services/webhook/hook"
)

const (
	// maxImages is the maximum number of images that are named.
	maxImages = 20
	// maxName is the maximum length of a name, in characters.
	maxName = 200
)

// reports returns the reports by kind of event; nil: it is ignored. There are three names for each: that of Harbor 1, that
// of Harbor 2, and that of CloudEvents.
func reports() map[string]hook.Report {
	scanFailed := func(e hook.Event) []hook.Message { return scan(e, hook.Format("failed")) }
	scanStopped := func(e hook.Event) []hook.Message { return scan(e, hook.Format("stopped")) }
	exceeded := func(e hook.Event) []hook.Message { return quota(e, hook.Format("is exceeded")) }
	warned := func(e hook.Event) []hook.Message { return quota(e, hook.Format("is nearly reached")) }
	all := map[string]hook.Report{
		"pushImage": push, "PUSH_ARTIFACT": push, "harbor.artifact.pushed": push,
		"scanningCompleted": scanned, "SCANNING_COMPLETED": scanned, "harbor.scan.completed": scanned,
		"scanningFailed": scanFailed, "SCANNING_FAILED": scanFailed, "harbor.scan.failed": scanFailed,
		"SCANNING_STOPPED": scanStopped, "harbor.scan.stopped": scanStopped,
		"quotaExceeds": exceeded, "QUOTA_EXCEED": exceeded, "harbor.quota.exceeded": exceeded,
		"QUOTA_WARNING": warned, "harbor.quota.warned": warned,
		"REPLICATION": replication, "harbor.replication.status.changed": replication,
	}
	for _, kind := range []string{
		"pullImage", "PULL_ARTIFACT", "harbor.artifact.pulled", "deleteImage", "DELETE_ARTIFACT", "harbor.artifact.deleted",
		"uploadChart", "UPLOAD_CHART", "downloadChart", "DOWNLOAD_CHART", "deleteChart", "DELETE_CHART",
		"TAG_RETENTION", "harbor.tag_retention.finished",
	} {
		all[kind] = nil
	}
	return all
}

// data returns what an event is about.
func data(e hook.Event) hook.Document {
	if e.Has("event_data") {
		return e.At("event_data")
	}
	return e.At("data")
}

// repository returns the name of the repository.
func repository(e hook.Event) string {
	return data(e).Or("repository.repo_full_name", "repository.name", "repository.namespace")
}

// images names the images of an event, as code.
func images(e hook.Event) hook.Markdown {
	names := []hook.Markdown(nil)
	all := data(e).List("resources")
	for _, image := range all[:min(len(all), maxImages)] {
		name := hook.Cut(repository(e), maxName)
		if tag, digest := image.Text("tag"), image.Text("digest"); tag != "" {
			name += ":" + hook.Cut(tag, maxName)
		} else if digest != "" {
			name += "@" + hook.Cut(digest, maxName)
		}
		names = append(names, hook.Code(name))
	}
	if len(all) == 0 {
		names = append(names, hook.Code(hook.Cut(repository(e), maxName)))
	}
	if more := len(all) - maxImages; more > 0 {
		names = append(names, hook.Format("and %d more", more))
	}
	return hook.Join(", ", names...)
}

func push(e hook.Event) []hook.Message {
	return hook.One(repository(e), hook.Format("**%s** pushed image %s.", e.Person("operator"), images(e)))
}

// scan reports a scan without a result.
func scan(e hook.Event, happened hook.Markdown) []hook.Message {
	return hook.One(repository(e), hook.Format("Image scan %s for %s.", happened, images(e)))
}

func scanned(e hook.Event) []hook.Message {
	counts, known := map[string]int64{}, false
	for _, image := range data(e).List("resources") {
		for _, report := range image.Members("scan_overview") { // by format
			known = known || report.Has("summary")
			found := report.Members("summary.summary")
			for i, severity := range report.Names("summary.summary") {
				counts[severity] += found[i].Number("")
			}
		}
	}
	severities := []string(nil)
	for severity, count := range counts {
		if count > 0 && severity != "None" {
			severities = append(severities, severity)
		}
	}
	slices.SortFunc(severities, func(a, b string) int { return cmp.Or(rank(a)-rank(b), cmp.Compare(a, b)) })
	items := []hook.Markdown(nil)
	for _, severity := range severities {
		items = append(items, hook.Format("%s: **%d**", hook.Cut(severity, maxName), counts[severity]))
	}
	if !known {
		return scan(e, hook.Format("completed"))
	}
	if len(items) == 0 {
		return hook.One(repository(e), hook.Format("Image scan completed for %s. No vulnerabilities were found.", images(e)))
	}
	return hook.One(repository(e), hook.Format("Image scan completed for %s. Vulnerabilities by severity:\n\n%s", images(e), hook.List(items...)))
}

// rank returns the place of a severity among all, of which the worst is the first.
func rank(severity string) int {
	order := []string{"Critical", "High", "Medium", "Low", "Negligible", "Unknown"}
	if i := slices.Index(order, severity); i >= 0 {
		return i
	}
	return len(order)
}

func quota(e hook.Event, state hook.Markdown) []hook.Message {
	d := data(e)
	project := d.Or("repository.namespace", "repository.name")
	return hook.One(cmp.Or(repository(e), project), hook.WithQuote(
		hook.Format("The quota of the project **%s** %s", project, state), d.Or("custom_attributes.Details", "custom_attributes.details")))
}

func replication(e hook.Event) []hook.Message {
	r := data(e).At("replication")
	text := hook.Format("Replication of %s to %s ended with status %s",
		hook.Code(hook.Cut(r.Or("src_resource.namespace", "src_resource.registry_name", "src_resource.endpoint"), maxName)),
		hook.Code(hook.Cut(r.Or("dest_resource.endpoint", "dest_resource.registry_name", "dest_resource.namespace"), maxName)), r.Text("job_status"))
	items := []hook.Markdown(nil)
	for _, artifact := range r.List("failed_artifact") {
		items = append(items, hook.Format("%s: %s", hook.Code(hook.Cut(artifact.Or("name_tag", "name"), maxName)), artifact.Text("status")))
	}
	topic := cmp.Or(repository(e), r.Or("src_resource.namespace", "dest_resource.namespace", "policy_creator"))
	if len(items) == 0 {
		return hook.One(topic, hook.Format("%s.", text))
	}
	return hook.One(topic, hook.Format("%s. These artifacts failed:\n\n%s", text, hook.List(items...)))
}
