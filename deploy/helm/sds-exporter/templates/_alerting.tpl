{{/*
Rules and dashboards with the settings of `config.alerting`, as `sds-exporter rules` and `sds-exporter dashboards` write
them. files/rules.json and files/pointers.json have references to settings, such as <<usedRatio.warning>>.
*/}}

{{/* The section `alerting`, as JSON. Fails if it has what only the program can do. */}}
{{- define "sds-exporter.alerting" -}}
{{- $alerting := .Values.config.alerting | default dict -}}
{{- if contains "${" ($alerting | toJson) -}}
{{- fail "config.alerting has a variable, which the chart does not know: write its value, or set prometheusRule.enabled and dashboards.enabled to false, and apply the objects of `sds-exporter rules --kubernetes`" -}}
{{- end -}}
{{- if $alerting.overrides -}}
{{- fail "config.alerting.overrides is not supported by the chart: set prometheusRule.enabled and dashboards.enabled to false, and apply the objects of `sds-exporter rules --kubernetes`" -}}
{{- end -}}
{{- $links := dict -}}
{{- range list "runbook_base_url" "grafana_url" -}}
{{- $_ := set $links . (regexReplaceAll "/+$" (get $alerting .) "") -}}
{{- end -}}
{{- merge $links $alerting | toJson -}}
{{- end -}}

{{/* A threshold in the unit of rules. Arguments: the default, and the value of the user or nothing. */}}
{{- define "sds-exporter.threshold" -}}
{{- $own := index . 1 -}}
{{- if kindIs "invalid" $own -}}
{{- index . 0 | toJson -}}
{{- else if not (kindIs "string" $own) -}}
{{- $own | toJson -}}
{{- else if regexMatch "^ *[0-9]+(ms|s|m|h|d|w) *$" $own -}}
{{- $count := regexFind "[0-9]+" $own | int64 -}}
{{- $unit := regexFind "[a-z]+" $own -}}
{{- $ms := mul $count (get (dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000 "d" 86400000 "w" 604800000) $unit) -}}
{{- printf "%d.%03d" (div $ms 1000) (mod $ms 1000) -}}
{{- else -}}
{{- $own -}}
{{- end -}}
{{- end -}}

{{/* All settings by path, as JSON. Arguments: the content of rules.json, and the section `alerting`. */}}
{{- define "sds-exporter.settings" -}}
{{- $rules := index . 0 -}}
{{- $alerting := index . 1 -}}
{{- $thresholds := $alerting.thresholds | default dict -}}
{{- $values := dict "job" ($alerting.job | default $rules.job) -}}
{{- $_ := set $values "clusterHide" (ternary 0 2 (eq (toString $alerting.show_cluster) "true")) -}}
{{- range $name, $setting := $rules.settings -}}
{{- $key := regexReplaceAll "([A-Z])" (trimSuffix "Seconds" $name) "_${1}" | lower -}}
{{- $own := index $thresholds $key -}}
{{- if hasKey $setting "value" -}}
{{- $_ := set $values $name (include "sds-exporter.threshold" (list $setting.value $own) | float64) -}}
{{- if hasKey $setting "rangeAbove" -}}
{{- $seconds := get $values $name -}}
{{- if or (le $seconds (float64 $setting.rangeAbove)) (gt $seconds 315360000.0) (ne $seconds (floor $seconds)) -}}
{{- printf "config.alerting.thresholds.%s must be whole seconds, more than %vs and at most 3650d" $key $setting.rangeAbove | fail -}}
{{- end -}}
{{- end -}}
{{- else -}}
{{- range $level := list "warning" "critical" -}}
{{- $text := include "sds-exporter.threshold" (list (index $setting $level) (index ($own | default dict) $level)) -}}
{{- $_ := set $values (printf "%s.%s" $name $level) (float64 $text) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $values | toJson -}}
{{- end -}}

{{/* A text with its references replaced. Arguments: the text, and the settings by path. */}}
{{- define "sds-exporter.resolved" -}}
{{- $text := index . 0 -}}
{{- $values := index . 1 -}}
{{- range regexFindAll "<<[a-zA-Z.]+>>" $text -1 | uniq -}}
{{- $value := get $values (trimAll "<>" .) -}}
{{- $text = replace . (kindIs "string" $value | ternary $value (toJson $value)) $text -}}
{{- end -}}
{{- $text -}}
{{- end -}}

{{/* The group with the version of the rules, as JSON. Arguments: the sources of rules.json, and the name of the file. */}}
{{- define "sds-exporter.infoGroup" -}}
{{- $sources := index . 0 -}}
{{- $file := index . 1 -}}
{{- $labels := merge (dict "file" $file) $sources.info.labels -}}
{{- $rule := dict "record" $sources.info.record "expr" $sources.info.expr "labels" $labels -}}
{{- dict "name" (printf "%s-info" $file) "interval" $sources.interval "rules" (list $rule) | toJson -}}
{{- end -}}

{{/* The groups with recording rules, as JSON in the member `groups`. Argument: the root. */}}
{{- define "sds-exporter.recordingRules" -}}
{{- $rules := .Files.Get "files/rules.json" | fromJson -}}
{{- $values := include "sds-exporter.settings" (list $rules (include "sds-exporter.alerting" . | fromJson)) | fromJson -}}
{{- $groups := list (include "sds-exporter.infoGroup" (list $rules.sources "sds-recording") | fromJson) -}}
{{- range $rules.sources.recording -}}
{{- $recordings := list -}}
{{- range .recordings -}}
{{- $expr := include "sds-exporter.resolved" (list .expr $values) -}}
{{- $recordings = append $recordings (dict "record" .record "expr" $expr) -}}
{{- end -}}
{{- $groups = append $groups (dict "name" .name "interval" $rules.sources.interval "rules" $recordings) -}}
{{- end -}}
{{- dict "groups" $groups | toJson -}}
{{- end -}}

{{/* The same with the alerts that are not disabled. */}}
{{- define "sds-exporter.alertRules" -}}
{{- $rules := .Files.Get "files/rules.json" | fromJson -}}
{{- $alerting := include "sds-exporter.alerting" . | fromJson -}}
{{- $values := include "sds-exporter.settings" (list $rules $alerting) | fromJson -}}
{{- $groups := list (include "sds-exporter.infoGroup" (list $rules.sources "sds-alerts") | fromJson) -}}
{{- range $group := $rules.sources.alerting -}}
{{- $alerts := list -}}
{{- range $group.alerts -}}
{{- if not (has .alert ($alerting.disabled | default list)) -}}
{{- $alerts = append $alerts (include "sds-exporter.alertRule" (list . $group.component $alerting $values) | fromJson) -}}
{{- end -}}
{{- end -}}
{{- /* The default limit of Mimir and Grafana Cloud. */ -}}
{{- $parts := chunk 20 $alerts -}}
{{- range $index, $part := $parts -}}
{{- $name := ternary (printf "%s-%d" $group.name (add1 $index)) $group.name (gt (len $parts) 1) -}}
{{- $groups = append $groups (dict "name" $name "interval" $rules.sources.interval "rules" $part) -}}
{{- end -}}
{{- end -}}
{{- dict "groups" $groups | toJson -}}
{{- end -}}

{{/* Arguments: the alert of rules.json, the component of its group, the section `alerting`, the settings by path. */}}
{{- define "sds-exporter.alertRule" -}}
{{- $alert := index . 0 -}}
{{- $alerting := index . 2 -}}
{{- $values := index . 3 -}}
{{- $annotations := dict -}}
{{- $advice := printf "%s%s." (substr 0 1 $alert.advice | upper) (substr 1 -1 $alert.advice) -}}
{{- range $key, $text := dict "summary" $alert.summary "description" (printf "%s %s" $alert.description $advice) -}}
{{- $_ := set $annotations $key (include "sds-exporter.resolved" (list $text $values)) -}}
{{- end -}}
{{- with $alerting.runbook_base_url -}}
{{- $_ := set $annotations "runbook_url" (printf "%s#%s" . (lower $alert.alert)) -}}
{{- end -}}
{{- with $alerting.grafana_url -}}
{{- $_ := set $annotations "dashboard_url" (printf "%s%s" . $alert.dashboard) -}}
{{- end -}}
{{- $labels := mustMergeOverwrite (dict) ($alerting.labels | default dict) (dict "severity" $alert.severity "component" (index . 1)) -}}
{{- $rule := dict "alert" $alert.alert "expr" (include "sds-exporter.resolved" (list $alert.expr $values)) "labels" $labels "annotations" $annotations -}}
{{- $keys := dict "for" $alert.for "keep_firing_for" $alert.keepFiringFor -}}
{{- range $key, $default := $keys -}}
{{- $own := get (get $alerting $key | default dict) $alert.alert -}}
{{- with $own | default $default -}}
{{- $_ := set $rule $key (trim .) -}}
{{- end -}}
{{- end -}}
{{- $rule | toJson -}}
{{- end -}}

{{/* The JSON of a dashboard. Arguments: the root, and the path of its file. */}}
{{- define "sds-exporter.dashboard" -}}
{{- $root := index . 0 -}}
{{- $dashboard := $root.Files.Get (index . 1) | fromJson -}}
{{- $alerting := include "sds-exporter.alerting" $root | fromJson -}}
{{- $rules := $root.Files.Get "files/rules.json" | fromJson -}}
{{- $values := include "sds-exporter.settings" (list $rules $alerting) | fromJson -}}
{{- $pointers := $root.Files.Get "files/pointers.json" | fromJson -}}
{{- range $pointer, $text := get $pointers $dashboard.uid -}}
{{- $keys := splitList "/" $pointer | rest -}}
{{- $parent := $dashboard -}}
{{- range initial $keys -}}
{{- $key := . | replace "~1" "/" | replace "~0" "~" -}}
{{- if kindIs "slice" $parent -}}
{{- $parent = index $parent (int $key) -}}
{{- else -}}
{{- $parent = get $parent $key -}}
{{- end -}}
{{- end -}}
{{- $resolved := include "sds-exporter.resolved" (list $text $values) -}}
{{- $isNumber := and (regexMatch "^-?<<[a-zA-Z.]+>>$" $text) (ne $text "<<job>>") -}}
{{- $_ := set $parent (last $keys) ($isNumber | ternary (float64 $resolved) $resolved) -}}
{{- end -}}
{{- with $alerting.runbook_base_url -}}
{{- include "sds-exporter.runbookLinks" (list $dashboard .) -}}
{{- end -}}
{{- $dashboard | toRawJson -}}
{{- end -}}

{{/*
Adds a link to the runbook to each name of an alert in tables. Arguments: a dashboard or panel, which is changed, and the
address of the runbooks.
*/}}
{{- define "sds-exporter.runbookLinks" -}}
{{- $part := index . 0 -}}
{{- $base := index . 1 -}}
{{- range $part.panels -}}
{{- include "sds-exporter.runbookLinks" (list . $base) -}}
{{- end -}}
{{- range (get $part "fieldConfig" | default dict).overrides -}}
{{- if eq (toString .matcher.options) "alertname" -}}
{{- $link := dict "title" "Runbook" "url" (printf "%s#${__data.fields.alertname}" $base) "targetBlank" true -}}
{{- $_ := set . "properties" (append .properties (dict "id" "links" "value" (list $link))) -}}
{{- end -}}
{{- end -}}
{{- end -}}
