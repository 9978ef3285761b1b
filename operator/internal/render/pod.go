package render

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	core "k8s.io/client-go/applyconfigurations/core/v1"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/operator/internal/secrets"
)

// image returns the image of a service.
func image(server *v1alpha1.ChatServer, in inputs.Inputs, component Component) string {
	repository := cmp.Or(server.Spec.Image.Repository, in.Defaults.Repository)
	if digest := server.Spec.Image.Digests[string(component)]; digest != "" {
		return fmt.Sprintf("%s/%s:%s@%s", repository, component, server.Spec.Version, digest)
	}
	return fmt.Sprintf("%s/%s:%s", repository, component, server.Spec.Version)
}

// resources returns the resources in the spec, or defaults for a few hundred users.
func resources(server *v1alpha1.ChatServer, component Component) v1alpha1.ContainerResources {
	if given := ComponentSpec(server, component).Resources; given != nil {
		return *given.DeepCopy()
	}
	switch component {
	case Events: // waiting polls and queues take memory
		return quantities("50m", "128Mi", "1Gi")
	case Postgres:
		return quantities("50m", "192Mi", "1Gi")
	case Redis:
		return quantities("25m", "64Mi", "512Mi")
	case API, Webhook, Migrate:
	}
	return quantities("50m", "64Mi", "512Mi")
}

func quantities(cpu, memory, limit string) v1alpha1.ContainerResources {
	return v1alpha1.ContainerResources{
		Requests: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory),
		},
		Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(limit)},
	}
}

// container renders a container that conforms to the Pod Security level restricted, with a read-only file system.
func container(server *v1alpha1.ChatServer, component Component, image string) *core.ContainerApplyConfiguration {
	r := resources(server, component)
	requirements := core.ResourceRequirements()
	if r.Requests != nil {
		requirements.WithRequests(r.Requests)
	}
	if r.Limits != nil {
		requirements.WithLimits(r.Limits)
	}
	return core.Container().WithName(string(component)).WithImage(image).
		WithImagePullPolicy(cmp.Or(server.Spec.Image.PullPolicy, corev1.PullIfNotPresent)).
		WithResources(requirements).
		// The ChatServer's conditions include the last output of a failed container.
		WithTerminationMessagePolicy(corev1.TerminationMessageFallbackToLogsOnError).
		WithSecurityContext(core.SecurityContext().
			WithAllowPrivilegeEscalation(false).
			WithReadOnlyRootFilesystem(true).
			WithCapabilities(core.Capabilities().WithDrop("ALL")))
}

// pod renders the template of a component's pods, without containers.
func pod(server *v1alpha1.ChatServer, component Component) *core.PodTemplateSpecApplyConfiguration {
	spec := core.PodSpec().
		WithAutomountServiceAccountToken(false).
		WithEnableServiceLinks(false).
		// No user is set: the images have one, and some clusters assign one to each namespace.
		WithSecurityContext(core.PodSecurityContext().
			WithRunAsNonRoot(true).
			WithSeccompProfile(core.SeccompProfile().WithType(corev1.SeccompProfileTypeRuntimeDefault)))
	for _, s := range server.Spec.Image.PullSecrets {
		spec.WithImagePullSecrets(core.LocalObjectReference().WithName(s.Name))
	}
	return core.PodTemplateSpec().WithLabels(podLabels(server, component)).WithAnnotations(annotations(server, nil)).WithSpec(spec)
}

// servicePod renders the template of the pods of a service.
func servicePod(server *v1alpha1.ChatServer, in inputs.Inputs, component Component) *core.PodTemplateSpecApplyConfiguration {
	main := container(server, component, image(server, in, component)).
		WithEnv(environment(server, in, component)...).
		WithPorts(containerPort(nameHTTP, portHTTP), containerPort(nameMetrics, portMetrics)).
		// A restart helps if a process hangs, but not if the database is down: only readiness depends on others.
		WithStartupProbe(probe("/healthz").WithPeriodSeconds(1).WithFailureThreshold(120)).
		WithReadinessProbe(probe("/readyz").WithPeriodSeconds(5).WithFailureThreshold(3)).
		WithLivenessProbe(probe("/healthz").WithPeriodSeconds(10).WithFailureThreshold(3))
	if component == API {
		main.WithPorts(containerPort(nameAdmin, AdminPort))
	}
	if takesMail(server, component) {
		main.WithPorts(containerPort(nameMail, portMail))
	}
	template := pod(server, component).WithAnnotations(map[string]string{annotationInputs: hashFor(in, component)})
	template.Spec.WithServiceAccountName(name(server, string(component))).
		WithTerminationGracePeriodSeconds(terminationPeriod).
		WithTopologySpreadConstraints(spread(server, component, corev1.LabelTopologyZone), spread(server, component, corev1.LabelHostname))
	mountConnections(template.Spec, main, in)
	mountSettings(template.Spec, main, server, component)
	if in.FilesOn == inputs.FilesOnOneNode && keepsFiles(server, component) {
		nextToFiles(template.Spec, server, component)
	}
	if component == API {
		mountAdmin(template.Spec, main, server)
	}
	template.Spec.WithContainers(main) // it copies main, so it comes last
	return template
}

// hashFor returns a hash of everything that the pods of a component read when they start.
func hashFor(in inputs.Inputs, component Component) string {
	sum := sha256.Sum256([]byte(in.Hash + in.Own[string(component)] + in.Templates[string(component)]))
	return hex.EncodeToString(sum[:])
}

// mountConnections mounts the certificates for a container's connections.
func mountConnections(spec *core.PodSpecApplyConfiguration, to *core.ContainerApplyConfiguration, in inputs.Inputs) {
	if ca := in.Database.CA; ca != nil {
		mountSecret(spec, to, postgresCAVolume, *ca, certificatesFile)
	}
	if ca := in.Cache.CA; ca != nil {
		mountSecret(spec, to, redisCAVolume, *ca, certificatesFile)
	}
}

// mountSecret mounts a key of a Secret as a file, in a directory with the volume's name.
func mountSecret(spec *core.PodSpecApplyConfiguration, to *core.ContainerApplyConfiguration, volume string, key inputs.Key, file string) {
	spec.WithVolumes(core.Volume().WithName(volume).WithSecret(core.SecretVolumeSource().
		WithSecretName(key.Secret).WithItems(core.KeyToPath().WithKey(key.Key).WithPath(file))))
	to.WithVolumeMounts(core.VolumeMount().WithName(volume).WithMountPath(directory + volume).WithReadOnly(true))
}

// mountAdmin mounts the tokens and the certificate of the admin interface.
func mountAdmin(spec *core.PodSpecApplyConfiguration, to *core.ContainerApplyConfiguration, server *v1alpha1.ChatServer) {
	from := inputs.AdminSecret(server)
	mountKeys(spec, to, adminVolume, []inputs.Key{
		{Secret: from, Key: secrets.TokensKey}, {Secret: from, Key: secrets.CertificateKey}, {Secret: from, Key: secrets.PrivateKeyKey},
	})
}

// mountKeys mounts keys of one Secret as a directory with the volume's name. In a running pod kubelet updates a mounted
// directory, but not a single file.
func mountKeys(spec *core.PodSpecApplyConfiguration, to *core.ContainerApplyConfiguration, volume string, keys []inputs.Key) {
	source := core.SecretVolumeSource().WithSecretName(keys[0].Secret)
	for _, key := range keys {
		source.WithItems(core.KeyToPath().WithKey(key.Key).WithPath(key.Key))
	}
	spec.WithVolumes(core.Volume().WithName(volume).WithSecret(source))
	to.WithVolumeMounts(core.VolumeMount().WithName(volume).WithMountPath(directory + volume).WithReadOnly(true))
}

// spread places pods of the same version on different nodes or zones, if possible.
func spread(server *v1alpha1.ChatServer, component Component, key string) *core.TopologySpreadConstraintApplyConfiguration {
	return core.TopologySpreadConstraint().WithMaxSkew(1).WithTopologyKey(key).
		WithWhenUnsatisfiable(corev1.ScheduleAnyway).
		WithLabelSelector(selects(selector(server, component))).
		WithMatchLabelKeys("pod-template-hash")
}

func containerPort(name string, port int32) *core.ContainerPortApplyConfiguration {
	return core.ContainerPort().WithName(name).WithContainerPort(port).WithProtocol(corev1.ProtocolTCP)
}

// probe requests a path of a service. The response takes up to two seconds if database or cache don't respond.
func probe(path string) *core.ProbeApplyConfiguration {
	return core.Probe().WithTimeoutSeconds(3).
		WithHTTPGet(core.HTTPGetAction().WithPath(path).WithPort(intstr.FromString(nameHTTP)))
}
