{{/* What no schema can say of the values: those that need others. Renders nothing, or fails. */}}
{{- define "dragoman.check" -}}
{{- $fetched := include "dragoman.fetchedSources" . | fromYamlArray -}}
{{- $claim := include "dragoman.cacheClaim" . -}}
{{- $fetch := .Values.models.fetch -}}
{{- $names := list -}}
{{- range .Values.models.sources }}
{{- $kind := include "dragoman.sourceKind" . -}}
{{- if has .name $names }}
{{- fail (printf "models.sources: found the name %s twice, expected each once" .name) }}
{{- end }}
{{- $names = append $names .name -}}
{{- if and (or .copy .path) (ne $kind "oci") }}
{{- fail (printf "models.sources: %s has copy or path, which only sources of oci:// have, found %s" .name .from) }}
{{- end }}
{{- if and .settings (eq (toString .serve) "false") }}
{{- fail (printf "models.sources: %s has settings, but serve is false; expected them under models.serve" .name) }}
{{- end }}
{{- if and .copy (not .path) }}
{{- fail (printf "models.sources: %s has copy without path, expected the folder in the image that holds the model" .name) }}
{{- end }}
{{- if and (eq $kind "oci") (not .copy) (semverCompare "<1.31.0-0" $.Capabilities.KubeVersion.Version) }}
{{- fail (printf "models.sources: %s, an image as a volume needs Kubernetes 1.31, found %s; with copy: true it works everywhere" .name $.Capabilities.KubeVersion.Version) }}
{{- end }}
{{- end }}
{{- if not (or (include "dragoman.models" . | fromYamlArray) .Values.models.ensembles (hasKey .Values.settings "models-dir")) }}
{{- fail "models.serve: empty, and serve is false for all of models.sources; expected a model, or settings.models-dir" }}
{{- end }}
{{- if and .Values.models.cache.create (not $fetched) }}
{{- fail "models.cache.create: true, but no source of hf, s3 or https would be kept there" }}
{{- end }}
{{- if and .Values.serviceAccount.annotations (not .Values.serviceAccount.create) }}
{{- fail "serviceAccount.annotations: found some, but serviceAccount.create is false" }}
{{- end }}
{{- with .Values.autoscaling.keda.authentication }}
{{- if and .name .secretTargetRef }}
{{- fail "autoscaling.keda.authentication: found name and secretTargetRef, expected one of them" }}
{{- end }}
{{- end }}
{{- if and $fetched (ne $fetch.by "initContainer") (not $claim) }}
{{- fail "models.cache: no claim, expected claim or create, because models.fetch.by is job" }}
{{- end }}
{{- if and $fetched $fetch.offline (not $claim) }}
{{- fail "models.cache.claim: empty, expected a claim that holds the models, because models.fetch.offline is true" }}
{{- end }}
{{- if and .Values.tls.clientCertificates (not .Values.tls.secret) }}
{{- fail "tls.clientCertificates: true, but tls.secret is empty" }}
{{- end }}
{{- if and (ne .Values.tls.metrics "off") (not .Values.tls.secret) }}
{{- fail (printf "tls.metrics: %s, but tls.secret is empty" .Values.tls.metrics) }}
{{- end }}
{{- if and (eq .Values.tls.metrics "mutual") (not .Values.tls.clientCertificates) }}
{{- fail "tls.metrics: mutual, but tls.clientCertificates is false" }}
{{- end }}
{{- end -}}
