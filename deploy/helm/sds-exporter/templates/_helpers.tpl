{{/* At most 40 characters, so that the longest suffix fits into the 63 of a label. */}}
{{- define "sds-exporter.fullname" -}}
{{- $name := .Values.fullnameOverride -}}
{{- if not $name -}}
{{- $name = contains .Chart.Name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) -}}
{{- end -}}
{{- $name = trunc 40 $name | trimSuffix "-" -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $name) -}}
{{- printf "the name %s must begin with a letter and have only lower-case letters, digits and hyphens, because it is that of a Service: set fullnameOverride" $name | fail -}}
{{- end -}}
{{- $name -}}
{{- end -}}

{{/* The name is constant: ServiceMonitor makes it the label `job`, which the alerts select. */}}
{{- define "sds-exporter.selectorLabels" -}}
app.kubernetes.io/name: sds-exporter
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "sds-exporter.labels" -}}
{{ include "sds-exporter.selectorLabels" . }}
app.kubernetes.io/part-of: sds-exporter
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/*
The metadata of an object. Arguments: the root, the name, and optionally namespace, labels and annotations of this
object.
*/}}
{{- define "sds-exporter.metadata" -}}
{{- $root := .root -}}
{{- $labels := include "sds-exporter.labels" $root | fromYaml -}}
{{- $annotations := mustMergeOverwrite (dict) $root.Values.commonAnnotations (.annotations | default dict) -}}
name: {{ .name | quote }}
namespace: {{ .namespace | default $root.Release.Namespace | quote }}
labels:
  {{- mustMergeOverwrite (dict) $root.Values.commonLabels (.labels | default dict) $labels | toYaml | nindent 2 }}
{{- with $annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "sds-exporter.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "sds-exporter.fullname" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{- define "sds-exporter.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{- printf "%s@%s" .repository .digest -}}
{{- else -}}
{{- printf "%s:%s" .repository (.tag | default $.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The content of sds-exporter.yml. */}}
{{- define "sds-exporter.config" -}}
{{- $config := deepCopy .Values.config -}}
{{- if .Values.probes.enabled -}}
{{- range $config.systems -}}
{{- if dig "poll" "schedule" "" . -}}
{{- fail (printf "config.systems: %s has a poll.schedule, but with probes.enabled Prometheus decides when a system is polled: remove it" .name) -}}
{{- end -}}
{{- end -}}
{{- $config = mustMergeOverwrite $config (dict "poll" (dict "schedule" "")) -}}
{{- end -}}
{{- toYaml $config -}}
{{- end -}}

{{- define "sds-exporter.configMapName" -}}
{{- .Values.existingConfigMap | default (printf "%s-config" (include "sds-exporter.fullname" .)) -}}
{{- end -}}

{{/* Whether the chart writes the configuration. */}}
{{- define "sds-exporter.hasConfigMap" -}}
{{- if not (or .Values.demo .Values.existingConfigMap .Values.existingConfigSecret) -}}true{{- end -}}
{{- end -}}

{{/* Whether the administration is served to other pods, which needs TLS. */}}
{{- define "sds-exporter.hasAdminService" -}}
{{- if and .Values.admin.enabled .Values.admin.existingSecret -}}true{{- end -}}
{{- end -}}

{{- define "sds-exporter.args" -}}
{{- $name := include "sds-exporter.fullname" . -}}
{{- if .Values.demo }}
- demo
- --web.listen-address=:9438
{{- else }}
- serve
- --config.file=/etc/sds-exporter/sds-exporter.yml
- --log.format=json
{{- end }}
{{- if not .Values.admin.enabled }}
- --admin.listen-address=
{{- else if not (include "sds-exporter.hasAdminService" .) }}
- --admin.listen-address=127.0.0.1:9439
{{- else }}
- --admin.listen-address=:9439
- --admin.config.file=/run/secrets/sds-exporter-admin/web-config.yml
- --admin.allowed-hosts={{ concat (list (printf "%s-admin.%s.svc" $name .Release.Namespace)) .Values.admin.allowedHosts | join "," }}
{{- end }}
{{- if .Values.web.existingSecret }}
- --web.config.file=/run/secrets/sds-exporter-web/web-config.yml
{{- end }}
{{- with .Values.extraArgs }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Mounts, and the volumes with the same names. */}}
{{- define "sds-exporter.volumeMounts" -}}
{{- if not .Values.demo }}
- name: config
  mountPath: /etc/sds-exporter
  readOnly: true
{{- if .Values.credentials.existingSecret }}
- name: credentials
  mountPath: /run/secrets/sds-exporter
  readOnly: true
{{- end }}
{{- end }}
{{- if .Values.web.existingSecret }}
- name: web
  mountPath: /run/secrets/sds-exporter-web
  readOnly: true
{{- end }}
{{- if include "sds-exporter.hasAdminService" . }}
- name: admin
  mountPath: /run/secrets/sds-exporter-admin
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "sds-exporter.volumes" -}}
{{- if not .Values.demo }}
{{- if .Values.existingConfigSecret }}
{{- include "sds-exporter.secretVolume" (list "config" .Values.existingConfigSecret) }}
{{- else }}
- name: config
  configMap:
    name: {{ include "sds-exporter.configMapName" . | quote }}
{{- end }}
{{- include "sds-exporter.secretVolume" (list "credentials" .Values.credentials.existingSecret) }}
{{- end }}
{{- include "sds-exporter.secretVolume" (list "web" .Values.web.existingSecret) }}
{{- if include "sds-exporter.hasAdminService" . }}
{{- include "sds-exporter.secretVolume" (list "admin" .Values.admin.existingSecret) }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Arguments: the name of the volume, and that of the Secret, which may be empty. */}}
{{- define "sds-exporter.secretVolume" -}}
{{- if index . 1 }}
- name: {{ index . 0 }}
  secret:
    secretName: {{ index . 1 | quote }}
    defaultMode: 288 # 0440
{{- end }}
{{- end -}}

{{/* How Prometheus verifies the exporter and logs in, as in an endpoint of a ServiceMonitor. */}}
{{- define "sds-exporter.scrapeSecurity" -}}
{{- if .Values.web.tls }}
{{- $server := printf "%s.%s.svc" (include "sds-exporter.fullname" .) .Release.Namespace }}
tlsConfig:
  {{- mustMergeOverwrite (dict "serverName" $server) .Values.serviceMonitor.tlsConfig | toYaml | nindent 2 }}
{{- end }}
{{- with .Values.serviceMonitor.basicAuth }}
basicAuth:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* A probe of the kubelet. Arguments: the root, the path, and the settings beside the request. */}}
{{- define "sds-exporter.probe" -}}
{{- $request := dict "path" .path "port" "http" -}}
{{- if .root.Values.web.tls -}}
{{- $_ := set $request "scheme" "HTTPS" -}}
{{- end -}}
{{- mustMergeOverwrite (dict "httpGet" $request) .settings | toYaml -}}
{{- end -}}

{{/* Members of all Services. */}}
{{- define "sds-exporter.ipFamilies" -}}
{{- with .Values.service.ipFamilyPolicy }}
ipFamilyPolicy: {{ . }}
{{- end }}
{{- with .Values.service.ipFamilies }}
ipFamilies:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
