{{/* The name of the ChatServer and the Organization. */}}
{{- define "chatserver.name" -}}
{{- $name := .Values.nameOverride | default .Release.Name -}}
{{- if gt (len $name) 40 -}}
{{- fail (printf "the name %s is too long: names of ChatServers have at most 40 characters; set nameOverride to a shorter one" $name) -}}
{{- end -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $name) -}}
{{- fail (printf "a ChatServer cannot be named %s: its name must begin with a letter and consist of lower-case letters, digits and hyphens; set nameOverride" $name) -}}
{{- end -}}
{{- $name -}}
{{- end -}}

{{/* Labels of everything. */}}
{{- define "chatserver.labels" -}}
{{- $own := dict
  "app.kubernetes.io/name" .Chart.Name
  "app.kubernetes.io/instance" .Release.Name
  "app.kubernetes.io/version" .Chart.AppVersion
  "app.kubernetes.io/part-of" "chatserver"
  "app.kubernetes.io/managed-by" .Release.Service
  "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_") -}}
{{- merge $own (.Values.commonLabels | default dict) | toYaml -}}
{{- end -}}

{{/* Labels of what the operator creates: those that it doesn't refuse as its own. */}}
{{- define "chatserver.commonLabels" -}}
{{- $labels := dict -}}
{{- range $key, $value := .Values.commonLabels -}}
{{- if not (or (hasPrefix "app.kubernetes.io/" $key) (hasPrefix "chatserver.dev/" $key)) -}}
{{- $_ := set $labels $key $value -}}
{{- end -}}
{{- end -}}
{{- with $labels -}}
{{- dict "commonLabels" . | toYaml -}}
{{- end -}}
{{- end -}}

{{- define "chatserver.metadata" -}}
namespace: {{ .root.Release.Namespace | quote }}
labels:
  {{- merge (dict "app.kubernetes.io/component" .component) (include "chatserver.labels" .root | fromYaml) | toYaml | nindent 2 }}
{{- with .annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "chatserver.version" -}}
{{- .Values.server.spec.version | default .Chart.AppVersion -}}
{{- end -}}

{{/* The spec of the Organization: that of the values, with defaults for what they leave out. */}}
{{- define "chatserver.organizationSpec" -}}
{{- $name := include "chatserver.name" . -}}
{{- $spec := deepCopy .Values.organization.spec -}}
{{- if not $spec.owners -}}
{{- fail "organization.spec.owners is empty: say who owns the organization, as in --set 'organization.spec.owners[0].email=ada@corp.example', or leave the organization out by --set organization.enabled=false" -}}
{{- else if and .Values.organization.ownerSecret (not (first $spec.owners).credentials) -}}
{{- /* helm lint goes on after fail. */ -}}
{{- $_ := set (first $spec.owners) "credentials" (dict "secretName" (printf "%s-owner" $name)) -}}
{{- end -}}
{{- if not $spec.name -}}
{{- $_ := set $spec "name" $name -}}
{{- end -}}
{{- $_ := set $spec "serverRef" (dict "name" $name) -}}
{{- toYaml $spec -}}
{{- end -}}

{{/* The address of the organization, without a slash at the end. */}}
{{- define "chatserver.url" -}}
{{- $server := .Values.server.spec -}}
{{- $scheme := "http" -}}
{{- with $server.exposure -}}{{- $scheme = .scheme | default "https" -}}{{- end -}}
{{- $host := $server.host -}}
{{- with .Values.organization.spec.subdomain -}}{{- $host = printf "%s.%s" . $host -}}{{- end -}}
{{- printf "%s://%s" $scheme $host -}}
{{- end -}}

{{/* The image of the service api, which contains the test. */}}
{{- define "chatserver.testImage" -}}
{{- if .Values.tests.image -}}
{{- .Values.tests.image -}}
{{- else -}}
{{- $image := .Values.server.spec.image | default dict -}}
{{- $repository := $image.repository | default (printf "%s/chatserver/chatserver" (.Values.global.imageRegistry | default "ghcr.io")) -}}
{{- with ($image.digests | default dict).api -}}
{{- printf "%s/api@%s" $repository . -}}
{{- else -}}
{{- printf "%s/api:%s" $repository (include "chatserver.version" .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
