{{- define "primo.name" -}}
{{- if contains "primo" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-primo" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{- define "primo.selector" -}}
app.kubernetes.io/name: primo
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "primo.labels" -}}
{{ include "primo.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "primo.check" -}}
{{- if and (eq .Values.store.kind "sqlite") (gt (int .Values.replicas) 1) }}{{ fail "replicas must be 1 where store.kind is sqlite: a SQLite store takes one process" }}{{ end }}
{{- if and (eq .Values.store.kind "postgres") (not .Values.store.existingSecret) }}{{ fail "store.existingSecret must name a secret with the address where store.kind is postgres" }}{{ end }}
{{- if and (not .Values.keys.entries) (not .Values.keys.existingSecret) }}{{ fail "keys.entries or keys.existingSecret must be given: make an entry with \"primo key admin\"" }}{{ end }}
{{- range $name := list "host" "port" "store" "keys" }}{{ if hasKey $.Values.config $name }}{{ fail (printf "config.%s is set by the chart" $name) }}{{ end }}{{ end }}
{{- end }}
