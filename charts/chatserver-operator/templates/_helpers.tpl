{{/* The name of everything: the release's with the chart's. */}}
{{- define "chatserver-operator.fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that pods are found by. They can't be changed once a Deployment is there. The network policies of servers admit the name, which
.Chart.Name isn't if another chart has an alias for this one. */}}
{{- define "chatserver-operator.selectorLabels" -}}
app.kubernetes.io/name: chatserver-operator
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: operator
{{- end -}}

{{/* Labels of pods. No version is among them: a new chart replaces pods only if something in them differs. */}}
{{- define "chatserver-operator.podLabels" -}}
{{- $own := include "chatserver-operator.selectorLabels" . | fromYaml -}}
{{- $_ := set $own "app.kubernetes.io/part-of" "chatserver" -}}
{{- $_ := set $own "app.kubernetes.io/managed-by" .Release.Service -}}
{{- merge $own (.Values.podLabels | default dict) (.Values.commonLabels | default dict) | toYaml -}}
{{- end -}}

{{/* Labels of everything else. */}}
{{- define "chatserver-operator.labels" -}}
{{- $own := include "chatserver-operator.selectorLabels" . | fromYaml -}}
{{- $_ := set $own "app.kubernetes.io/part-of" "chatserver" -}}
{{- $_ := set $own "app.kubernetes.io/managed-by" .Release.Service -}}
{{- $_ := set $own "app.kubernetes.io/version" .Chart.AppVersion -}}
{{- $_ := set $own "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_") -}}
{{- merge $own (.Values.commonLabels | default dict) | toYaml -}}
{{- end -}}

{{- define "chatserver-operator.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "chatserver-operator.fullname" .) -}}
{{- else -}}
{{- required "serviceAccount.name is missing: with serviceAccount.create=false, name the ServiceAccount that is there" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* A repository with its registry. Call it with root and image. */}}
{{- define "chatserver-operator.repository" -}}
{{- printf "%s/%s" (.root.Values.global.imageRegistry | default .image.registry) .image.repository -}}
{{- end -}}

{{/* An image with its digest or tag. Call it with root, image and tag, which stands in for an empty one. */}}
{{- define "chatserver-operator.image" -}}
{{- if .image.digest -}}
{{- printf "%s@%s" (include "chatserver-operator.repository" .) .image.digest -}}
{{- else -}}
{{- printf "%s:%s" (include "chatserver-operator.repository" .) (.image.tag | default .tag) -}}
{{- end -}}
{{- end -}}
