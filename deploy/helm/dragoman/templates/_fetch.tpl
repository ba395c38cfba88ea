{{/* The sources that dragoman-fetch brings, as a list. */}}
{{- define "dragoman.fetchedSources" -}}
{{- $found := list -}}
{{- range .Values.models.sources -}}
{{- if and (hasPrefix "hf:" .from) (not (contains "@" (first (splitList "#" .from)))) -}}
{{- fail (printf "models.sources: %s has %s without a revision, expected hf:OWNER/NAME@REVISION with a commit or a tag, so that all pods get the same model" .name .from) -}}
{{- end -}}
{{- if include "dragoman.fetched" . -}}{{- $found = append $found . -}}{{- end -}}
{{- end -}}
{{- toYaml $found -}}
{{- end -}}

{{/* Where dragoman-fetch puts a source in the cache. A changed source has another folder, so that pods of the old one
     find theirs until they end. */}}
{{- define "dragoman.cacheFolder" -}}
{{- printf "%s-%s" .name (sha256sum .from | trunc 12) -}}
{{- end -}}

{{/* dragoman-fetch in a pod's init container or in a Job. Of a dict: root, name, and offline with waitSeconds. */}}
{{- define "dragoman.fetchContainer" -}}
{{- $fetch := .root.Values.models.fetch -}}
- name: {{ .name }}
  {{- $tag := default .root.Chart.AppVersion $fetch.image.tag }}
  image: {{ $fetch.image.repository }}{{ if $fetch.image.digest }}@{{ $fetch.image.digest }}{{ else }}:{{ $tag }}{{ end }}
  imagePullPolicy: {{ $fetch.image.pullPolicy }}
  command: [dragoman-fetch]
  args:
    - --into=/cache
    {{- if .offline }}
    - --offline
    {{- if .waitSeconds }}
    - --wait-seconds={{ int .waitSeconds }}
    {{- end }}
    {{- end }}
    {{- range (include "dragoman.fetchedSources" .root | fromYamlArray) }}
    - {{ printf "%s=%s" (include "dragoman.cacheFolder" .) .from | quote }}
    {{- end }}
  {{- if not .offline }}
  {{- if or $fetch.hub $fetch.hubToken.secret $fetch.s3.endpoint $fetch.s3.region $fetch.env }}
  env:
  {{- end }}
    {{- with $fetch.hub }}
    - name: HF_ENDPOINT
      value: {{ . | quote }}
    {{- end }}
    {{- with $fetch.hubToken.secret }}
    - name: HF_TOKEN
      valueFrom:
        secretKeyRef:
          name: {{ . }}
          key: {{ $fetch.hubToken.key }}
    {{- end }}
    {{- with $fetch.s3.endpoint }}
    - name: AWS_ENDPOINT_URL_S3
      value: {{ . | quote }}
    {{- end }}
    {{- with $fetch.s3.region }}
    - name: AWS_REGION
      value: {{ . | quote }}
    {{- end }}
    {{- with $fetch.env }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $fetch.s3.secret }}
  envFrom:
    - secretRef:
        name: {{ . }}
  {{- end }}
  {{- end }}
  securityContext:
    {{- toYaml .root.Values.containerSecurityContext | nindent 4 }}
  resources:
    {{- toYaml $fetch.resources | nindent 4 }}
  volumeMounts:
    - name: cache
      mountPath: /cache
      {{- if .offline }}
      readOnly: true
      {{- end }}
    {{- with $fetch.volumeMounts }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{/* The claim that holds the cache; nothing where each pod has an emptyDir. */}}
{{- define "dragoman.cacheClaim" -}}
{{- if .Values.models.cache.create -}}
{{- default (printf "%s-models" (include "dragoman.fullname" .)) .Values.models.cache.claim -}}
{{- else -}}
{{- .Values.models.cache.claim -}}
{{- end -}}
{{- end -}}
