{{- define "dragoman.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 53 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "dragoman.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "dragoman.labels" -}}
{{ include "dragoman.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: dragoman
{{- end -}}

{{- define "dragoman.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- $tag := .Values.image.tag -}}
{{- if not $tag -}}
{{- $tag = .Chart.AppVersion -}}
{{- if .Values.gpu.enabled -}}{{- $tag = printf "%s-cuda" $tag -}}{{- end -}}
{{- end -}}
{{- printf "%s:%s" .Values.image.repository $tag -}}
{{- end -}}
{{- end -}}

{{/* The time that dragomand needs to end at worst, and some. 15: dragomand ends itself so long after the
     drain's limit (kExitGrace in server/process/daemon.cc). */}}
{{- define "dragoman.gracePeriodSeconds" -}}
{{- add .Values.shutdown.lameDuckSeconds .Values.shutdown.drainSeconds 15 .Values.shutdown.marginSeconds -}}
{{- end -}}

{{/* The models that are served by name: those of the values, or the bundled one where the values name none at all. */}}
{{- define "dragoman.models" -}}
{{- if or .Values.models.serve .Values.models.ensembles (hasKey .Values.settings "models-dir") -}}
{{- toYaml .Values.models.serve -}}
{{- else -}}
{{- toYaml (list (dict "name" "de-en" "directory" "/models/de-en")) -}}
{{- end -}}
{{- end -}}

{{/* dragomand's flags, one a line. Whole numbers come as floats from values files: int64 writes them
     without exponent. */}}
{{- define "dragoman.flags" -}}
{{- $cpus := int .Values.resources.cpus -}}
{{- range (include "dragoman.models" . | fromYamlArray) }}
- --model={{ .name }}={{ .directory }}
{{- end }}
{{- range .Values.models.ensembles }}
- --ensemble={{ .name }}={{ join "," .members }}
{{- end }}
{{- range .Values.models.pivots }}
- --pivot={{ if .name }}{{ .name }}={{ end }}{{ join "+" .through }}
{{- end }}
- --listen=0.0.0.0:50051
- --metrics=0.0.0.0:9464
{{- if .Values.http.port }}
- --http=0.0.0.0:{{ int .Values.http.port }}
{{- end }}
{{- if .Values.gpu.enabled }}
{{- $devices := list }}
{{- range until (int .Values.gpu.count) }}{{ $devices = append $devices (printf "cuda:%d" .) }}{{ end }}
- --device={{ join "," $devices }}
{{- else }}
- --device=cpu
{{- end }}
{{- /* What dragomand would choose itself with a CPU limit of so many CPUs. */}}
{{- $computed := dict "tokenizer-threads" (div (add $cpus 3) 4) }}
{{- if not .Values.gpu.enabled }}
{{- $_ := set $computed "cpu-workers" (min $cpus 16) }}
{{- $_ := set $computed "threads-per-worker" (max 1 (div $cpus 16)) }}
{{- end }}
{{- range $name, $value := $computed }}
{{- if not (hasKey $.Values.settings $name) }}
- --{{ $name }}={{ $value }}
{{- end }}
{{- end }}
- --lame-duck-seconds={{ int .Values.shutdown.lameDuckSeconds }}
- --drain-seconds={{ int .Values.shutdown.drainSeconds }}
{{- if .Values.tls.secret }}
- --tls-cert=/etc/dragoman/tls/tls.crt
- --tls-key=/etc/dragoman/tls/tls.key
{{- if .Values.tls.clientCertificates }}
- --tls-client-ca=/etc/dragoman/tls/ca.crt
{{- end }}
- --metrics-tls={{ .Values.tls.metrics }}
{{- end }}
{{- if .Values.apiKeys.secret }}
- --api-keys=/etc/dragoman/api-keys/{{ .Values.apiKeys.key }}
{{- end }}
{{- if .Values.glossaries.configMap }}
- --glossary-dir=/etc/dragoman/glossaries
{{- end }}
{{- range $name, $value := .Values.settings }}
{{- if kindIs "float64" $value }}
{{- if eq $value (floor $value) }}{{ $value = int64 $value }}{{ end }}
{{- end }}
- --{{ $name }}={{ $value }}
{{- end }}
{{- end -}}

{{/* HTTPS where the HTTP port has TLS. The kubelet does not check whose certificate it is. */}}
{{- define "dragoman.metricsScheme" -}}
{{- ternary "https" "http" (and (ne .Values.tls.secret "") (ne .Values.tls.metrics "off")) -}}
{{- end -}}

{{- define "dragoman.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* The selector of this release's series, with the job's name that Prometheus takes from the Service. */}}
{{- define "dragoman.series" -}}
namespace="{{ .Release.Namespace }}",job="{{ include "dragoman.fullname" . }}-metrics"
{{- end -}}
