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
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
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

{{/* The kind of a source: hf, pypi, s3, https, http, oci or pvc. */}}
{{- define "dragoman.sourceKind" -}}
{{- (splitList ":" .from | first) -}}
{{- end -}}

{{/* Whether dragoman-fetch brings a source: "yes" or "". */}}
{{- define "dragoman.fetched" -}}
{{- if has (include "dragoman.sourceKind" .) (list "hf" "pypi" "s3" "https" "http") -}}yes{{- end -}}
{{- end -}}

{{/* The models that are served by name: those of the values, or the bundled one where the values name none at all. */}}
{{- define "dragoman.models" -}}
{{- $models := list -}}
{{- range .Values.models.sources -}}
{{- if ne (toString .serve) "false" -}}
{{- $directory := printf "%s/%s%s" $.Values.models.mountPath .name (ternary (default "" .path) "" (and (eq (include "dragoman.sourceKind" .) "oci") (not .copy))) -}}
{{- $models = append $models (dict "name" .name "directory" $directory "settings" (default dict .settings)) -}}
{{- end -}}
{{- end -}}
{{- range .Values.models.serve -}}
{{- $models = append $models (dict "name" .name "directory" .directory "settings" (default dict .settings)) -}}
{{- end -}}
{{- if not (or $models .Values.models.sources .Values.models.ensembles (hasKey .Values.settings "models-dir")) -}}
{{- $models = list (dict "name" "de-en" "directory" "/models/de-en" "settings" dict) -}}
{{- end -}}
{{- toYaml $models -}}
{{- end -}}

{{/* dragomand's configuration file, where a model has settings of its own, which no flag can say; else nothing. */}}
{{- define "dragoman.configuration" -}}
{{- $models := list -}}
{{- $needed := false -}}
{{- range (include "dragoman.models" . | fromYamlArray) -}}
{{- if .settings -}}{{- $needed = true -}}{{- end -}}
{{- $models = append $models (merge (dict "name" .name "directory" .directory) .settings) -}}
{{- end -}}
{{- if $needed -}}
{{- toPrettyJson (dict "models" $models) -}}
{{- end -}}
{{- end -}}

{{/* Whole CPUs, rounded up as dragomand rounds a quota: 500m and 0.5 are 1. */}}
{{- define "dragoman.wholeCpus" -}}
{{- $cpus := toString .Values.resources.cpus -}}
{{- if hasSuffix "m" $cpus -}}
{{- div (add (trimSuffix "m" $cpus | int) 999) 1000 -}}
{{- else -}}
{{- ceil (float64 $cpus) | int -}}
{{- end -}}
{{- end -}}

{{/* dragomand's flags, one a line. Whole numbers come as floats from values files: int64 writes them
     without exponent. */}}
{{- define "dragoman.flags" -}}
{{- $cpus := include "dragoman.wholeCpus" . | int -}}
{{- if include "dragoman.configuration" . }}
- --config=/etc/dragoman/models/dragomand.json
{{- else }}
{{- range (include "dragoman.models" . | fromYamlArray) }}
- --model={{ .name }}={{ .directory }}
{{- end }}
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
{{- $computed := dict "text-threads" (div (add $cpus 3) 4) }}
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

{{/* The selector of this release's series. The job is what the operator makes of a Service, or of a PodMonitor. */}}
{{- define "dragoman.series" -}}
{{- if .Values.podMonitor.enabled -}}
namespace="{{ .Release.Namespace }}",job="{{ .Release.Namespace }}/{{ include "dragoman.fullname" . }}"
{{- else -}}
namespace="{{ .Release.Namespace }}",job="{{ include "dragoman.fullname" . }}-metrics"
{{- end -}}
{{- end -}}

{{- define "dragoman.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "dragoman.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- required "serviceAccount.name: empty, expected the name of a ServiceAccount, because serviceAccount.create is false" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}
