package render

import (
	"cmp"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	apps "k8s.io/client-go/applyconfigurations/apps/v1"
	core "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/utils/ptr"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/operator/internal/secrets"
)

const (
	portPostgres = 5432
	portRedis    = 6379

	// databaseName is the name of databases that the operator creates, and of their owners.
	databaseName = "chatserver"

	dataVolume    = "data"
	postgresData  = "/var/lib/postgresql/data"
	redisData     = "/data"
	redisVolume   = "redis"
	redisConfFile = "redis.conf"
	// trialUser is the user and group of both official images.
	trialUser = 999
)

// Neither PostgreSQL nor Redis has a liveness probe. On a busy node it would time out, and a restart, with its recovery, takes longer than
// waiting; and while PostgreSQL recovers from a crash, it accepts no connections. A process that ends is started again without a probe.

// trialPostgres renders PostgreSQL for its official image.
func trialPostgres(server *v1alpha1.ChatServer, in inputs.Inputs) []Object {
	trial := ptr.Deref(server.Spec.Database.Ephemeral, v1alpha1.Trial{})
	key := func(k string) inputs.Key { return inputs.Key{Secret: name(server, string(Postgres)), Key: k} }
	// The probe uses TCP: while the image initializes the database, it responds only at its socket.
	ask := []string{"pg_isready", "--host=127.0.0.1", "--username=" + databaseName, "--dbname=" + databaseName, "--quiet"}
	main := container(server, Postgres, cmp.Or(trial.Image, in.Defaults.PostgresImage)).
		// Small machines have little memory, and six pods may open more connections than the default.
		WithArgs("postgres", "-c", "max_connections=200", "-c", "shared_buffers=64MB").
		WithEnv(
			secret("POSTGRES_USER", key("username")), secret("POSTGRES_PASSWORD", key("password")), secret("POSTGRES_DB", key("dbname")),
			// The volume's root may have lost+found, which initdb refuses.
			variable("PGDATA", postgresData+"/pgdata")).
		WithPorts(containerPort(string(Postgres), portPostgres)).
		// The first start initializes the database.
		WithStartupProbe(run(ask...).WithPeriodSeconds(1).WithFailureThreshold(300)).
		WithReadinessProbe(run(ask...).WithPeriodSeconds(5).WithFailureThreshold(3))
	// On SIGTERM, PostgreSQL would wait until clients disconnect.
	main.WithLifecycle(core.Lifecycle().WithPreStop(core.LifecycleHandler().
		WithExec(core.ExecAction().WithCommand("pg_ctl", "stop", "--mode=fast", "--no-wait"))))
	template := trialPod(server, Postgres)
	template.Spec.WithTerminationGracePeriodSeconds(60)
	scratch(template.Spec, main, "run", "/var/run/postgresql")
	scratch(template.Spec, main, "tmp", "/tmp")
	mount(main, dataVolume, postgresData)
	template.Spec.WithContainers(main)
	return trialObjects(server, Postgres, trial, portPostgres, template)
}

// trialRedis renders a Redis that persists its data and evicts nothing, because it has the event queues. Half of its
// memory limit is for data, and the other half for copies during a rewrite of its log. If the data exceed their half,
// writes fail. Without that limit the pod would be killed, and again each time it reads its log.
func trialRedis(server *v1alpha1.ChatServer, in inputs.Inputs) []Object {
	trial := ptr.Deref(server.Spec.Cache.Ephemeral, v1alpha1.Trial{})
	secretName := name(server, string(Redis))
	// The probe doesn't use PING, which fails while the disk is full: a restart wouldn't help.
	ask := []string{"redis-cli", "-e", "echo", "ready"}
	main := container(server, Redis, cmp.Or(trial.Image, in.Defaults.RedisImage)).
		// The password is in a file, because all users who may read pods see arguments.
		WithCommand("redis-server", directory+redisVolume+"/"+redisConfFile).
		WithArgs("--dir", redisData, "--appendonly", "yes", "--protected-mode", "no",
			"--maxmemory-policy", "noeviction", "--maxmemory", strconv.FormatInt(half(resources(server, Redis).Limits), 10)).
		WithEnv(secret("REDISCLI_AUTH", inputs.Key{Secret: secretName, Key: "password"})).
		WithPorts(containerPort(string(Redis), portRedis)).
		WithStartupProbe(run(ask...).WithPeriodSeconds(1).WithFailureThreshold(300)).
		WithReadinessProbe(run(ask...).WithPeriodSeconds(5).WithFailureThreshold(3))
	template := trialPod(server, Redis).WithAnnotations(map[string]string{annotationInputs: in.TrialCache})
	template.Spec.WithTerminationGracePeriodSeconds(30)
	mountSecret(template.Spec, main, redisVolume, inputs.Key{Secret: secretName, Key: secrets.RedisConfigKey}, redisConfFile)
	mount(main, dataVolume, redisData)
	template.Spec.WithContainers(main)
	return trialObjects(server, Redis, trial, portRedis, template)
}

// half returns half of a memory limit, in bytes. It returns 0 if there is no limit, which means the same to Redis.
func half(limits corev1.ResourceList) int64 { return limits.Memory().Value() / 2 }

func trialPod(server *v1alpha1.ChatServer, component Component) *core.PodTemplateSpecApplyConfiguration {
	template := pod(server, component)
	template.Spec.SecurityContext.WithRunAsUser(trialUser).WithRunAsGroup(trialUser).WithFSGroup(trialUser).
		WithFSGroupChangePolicy(corev1.FSGroupChangeOnRootMismatch)
	return template
}

// trialObjects renders a server of one pod with a volume, which is kept when the other objects are deleted. A StatefulSet with
// the default policy OrderedReady never replaces a pod that isn't ready, not even after a correction of its image or pull
// Secrets.
func trialObjects(server *v1alpha1.ChatServer, component Component, trial v1alpha1.Trial, port int32,
	template *core.PodTemplateSpecApplyConfiguration,
) []Object {
	replicas := int32(1)
	if hibernated(server) {
		replicas = 0
	}
	objects := []Object{
		service(server, component, component, string(component), servicePort(port, string(component))),
		apps.StatefulSet(name(server, string(component)), server.Namespace).
			WithLabels(labels(server, component)).WithAnnotations(annotations(server, nil)).WithOwnerReferences(owner(server)).
			WithSpec(apps.StatefulSetSpec().
				WithReplicas(replicas).
				WithServiceName(name(server, string(component))).
				WithPodManagementPolicy(appsv1.ParallelPodManagement).
				WithSelector(selects(selector(server, component))).
				WithTemplate(template).
				WithVolumeClaimTemplates(claim(server, component, trial)).
				WithPersistentVolumeClaimRetentionPolicy(apps.StatefulSetPersistentVolumeClaimRetentionPolicy().
					WithWhenDeleted(appsv1.RetainPersistentVolumeClaimRetentionPolicyType).
					WithWhenScaled(appsv1.RetainPersistentVolumeClaimRetentionPolicyType))),
	}
	if server.Spec.NetworkPolicy != v1alpha1.Disabled {
		objects = append(objects, trialPolicy(server, component, port))
	}
	return objects
}

// ClaimName is the name of the volume claim of a trial server: of [Postgres] or [Redis].
func ClaimName(server *v1alpha1.ChatServer, component Component) string {
	return dataVolume + "-" + name(server, string(component)) + "-0" // the claim of the StatefulSet's first pod
}

// claim renders the volume claim, with the labels of pods, which don't include the version: a StatefulSet's claim
// templates are immutable, so it is replaced when they change, while its pods run on.
func claim(server *v1alpha1.ChatServer, component Component, trial v1alpha1.Trial) *core.PersistentVolumeClaimApplyConfiguration {
	spec := core.PersistentVolumeClaimSpec().WithAccessModes(corev1.ReadWriteOnce).
		WithResources(core.VolumeResourceRequirements().WithRequests(corev1.ResourceList{
			corev1.ResourceStorage: resource.MustParse(sizeOr(trial.StorageSize, "1Gi")),
		}))
	if trial.StorageClass != "" {
		spec.WithStorageClassName(trial.StorageClass)
	}
	claim := &core.PersistentVolumeClaimApplyConfiguration{}
	return claim.WithName(dataVolume).WithLabels(podLabels(server, component)).WithAnnotations(annotations(server, nil)).WithSpec(spec)
}

// sizeOr returns a size, or a default if it is zero.
func sizeOr(size resource.Quantity, otherwise string) string {
	if size.IsZero() {
		return otherwise
	}
	return size.String()
}

// scratch mounts an empty directory that is deleted with the pod.
func scratch(spec *core.PodSpecApplyConfiguration, to *core.ContainerApplyConfiguration, volume, path string) {
	spec.WithVolumes(core.Volume().WithName(volume).WithEmptyDir(core.EmptyDirVolumeSource()))
	mount(to, volume, path)
}

func mount(to *core.ContainerApplyConfiguration, volume, path string) {
	to.WithVolumeMounts(core.VolumeMount().WithName(volume).WithMountPath(path))
}

// run returns a probe that runs a command in the container.
func run(command ...string) *core.ProbeApplyConfiguration {
	return core.Probe().WithTimeoutSeconds(5).WithExec(core.ExecAction().WithCommand(command...))
}
