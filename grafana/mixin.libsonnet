// Dashboards, alerts and recording rules for users of Jsonnet, in the form of monitoring mixins. The data is generated;
// `sds-exporter rules` and `sds-exporter dashboards` write the same from it.
//
//   (import 'github.com/OWNER/sds-exporter/grafana/mixin.libsonnet') + {
//     _config+:: { grafanaUrl: 'https://grafana.example.net', thresholds+: { usedRatio+: { warning: 0.7 } } },
//   }
local pointers = import '../src/alerting/generated/pointers.json';
local rules = import '../src/alerting/generated/rules.json';
local dashboards = [
  import 'dashboards/sds-capacity.json',
  import 'dashboards/sds-disks.json',
  import 'dashboards/sds-errors.json',
  import 'dashboards/sds-exporter.json',
  import 'dashboards/sds-fleet.json',
  import 'dashboards/sds-namespaces.json',
  import 'dashboards/sds-node.json',
  import 'dashboards/sds-performance.json',
  import 'dashboards/sds-pool.json',
  import 'dashboards/sds-system.json',
];

// Without the digits beyond those that the number was written with.
local numberText(number) = if std.floor(number) == number then '%d' % number else '%.12g' % number;

// Jsonnet before 0.19 splits at single characters only.
local splitAt(text, mark) = std.split(std.strReplace(text, mark, '\u0001'), '\u0001');

// Replaces references such as <<usedRatio.warning>> by values of the configuration.
local resolver(config) = {
  local value(path) =
    local names = std.split(path, '.');
    if path == 'job' then config.job
    else if path == 'clusterHide' then (if config.showCluster then 0 else 2)
    else config.thresholds[names[0]][if std.length(names) == 1 then 'value' else names[1]],
  local textOf(path) =
    local found = value(path);
    if std.isString(found) then found else numberText(found),

  text(template):
    local parts = splitAt(template, '<<');
    std.join('', [parts[0]] + [
      local both = splitAt(part, '>>');
      textOf(both[0]) + both[1]
      for part in parts[1:]
    ]),

  // A text that is only a reference is a number.
  any(template):
    local negative = std.startsWith(template, '-');
    local whole = if negative then template[1:] else template;
    if std.startsWith(whole, '<<') && std.findSubstr('>>', whole) == [std.length(whole) - 2]
    then (if negative then -1 else 1) * value(whole[2:std.length(whole) - 2])
    else self.text(template),
};

local pointerPart(key) = std.strReplace(std.strReplace(key, '~', '~0'), '/', '~1');

// The data with the values at their JSON pointers.
local placed(data, templates, resolve, pointer='') =
  if std.objectHas(templates, pointer) then resolve.any(templates[pointer])
  else if std.isObject(data) then {
    [key]: placed(data[key], templates, resolve, pointer + '/' + pointerPart(key))
    for key in std.objectFields(data)
  }
  else if std.isArray(data) then
    std.mapWithIndex(function(index, item) placed(item, templates, resolve, pointer + '/' + index), data)
  else data;

// The panel or dashboard with a link to the runbook on each name of an alert in a table.
local withRunbookLinks(part, base) =
  if base == null then part else part
  + (if std.objectHas(part, 'panels') then { panels: [withRunbookLinks(panel, base) for panel in part.panels] } else {})
  + (if std.objectHas(part, 'fieldConfig') then { fieldConfig+: { overrides: [
    if !std.objectHas(one.matcher, 'options') || one.matcher.options != 'alertname' then one
    else one { properties+: [{
      id: 'links',
      value: [{ title: 'Runbook', url: base + '#${__data.fields.alertname}', targetBlank: true }],
    }] }
    for one in part.fieldConfig.overrides
  ] } } else {});

// The groups, of which those with more rules than Mimir and Grafana Cloud allow by default have parts with numbers.
local maxGroupRules = 20;
local inParts(groups) = std.flatMap(
  function(group)
    local count = std.length(group.rules);
    if count <= maxGroupRules then [group]
    else [
      group {
        name: '%s-%d' % [group.name, part + 1],
        rules: group.rules[part * maxGroupRules:std.min(count, (part + 1) * maxGroupRules)],
      }
      for part in std.range(0, std.floor((count - 1) / maxGroupRules))
    ],
  groups
);

local alertRule(alert, group, config, resolve) =
  {
    alert: alert.alert,
    expr: resolve.text(alert.expr),
    labels: config.alertLabels { severity: alert.severity, component: group.component },
    annotations: {
      summary: resolve.text(alert.summary),
      description: resolve.text('%s %s%s.' % [alert.description, std.asciiUpper(alert.advice[0]), alert.advice[1:]]),
      [if config.runbookBaseUrl != null then 'runbook_url']:
        config.runbookBaseUrl + '#' + std.asciiLower(alert.alert),
      [if config.grafanaUrl != null then 'dashboard_url']: config.grafanaUrl + alert.dashboard,
    },
  }
  + (if 'for' in alert then { 'for': alert['for'] } else {})
  + (if 'keepFiringFor' in alert then { keep_firing_for: alert.keepFiringFor } else {});

{
  _config:: {
    // Rows of docs/alerting.md with names as `usedRatio`; durations are in seconds and end with `Seconds`.
    thresholds: rules.settings,
    // Name of the scrape job.
    job: rules.job,
    // Whether dashboards show the variable `cluster`, a label that stores such as Thanos and Mimir add.
    showCluster: false,
    // Address of the runbooks, and root URL of Grafana, without a slash at the end; null: no links.
    runbookBaseUrl: null,
    grafanaUrl: null,
    // Labels of all alerts.
    alertLabels: {},
    // Names of alerts.
    disabled: [],
  },

  local config = self._config,
  local alertNames = [alert.alert for group in rules.sources.alerting for alert in group.alerts],
  local unknownAlerts = [name for name in config.disabled if !std.member(alertNames, name)],
  local unknownThresholds = [
    name
    for name in std.objectFields(config.thresholds)
    if !std.objectHas(rules.settings, name)
  ],
  assert unknownAlerts == [] : 'disabled: no alert has this name: ' + std.join(', ', unknownAlerts),
  assert unknownThresholds == [] : 'thresholds: unknown: ' + std.join(', ', unknownThresholds),
  local resolve = resolver(config),
  local interval = rules.sources.interval,

  // The version of the rules, as a series: groups have no labels before Prometheus 3.
  local infoGroup(file) = {
    name: file + '-info',
    interval: interval,
    rules: [rules.sources.info { labels+: { file: file } }],
  },

  prometheusAlerts+:: {
    groups+: [infoGroup('sds-alerts')] + inParts([
      {
        name: group.name,
        interval: interval,
        rules: [
          alertRule(alert, group, config, resolve)
          for alert in group.alerts
          if !std.member(config.disabled, alert.alert)
        ],
      }
      for group in rules.sources.alerting
    ]),
  },

  prometheusRules+:: {
    groups+: [infoGroup('sds-recording')] + inParts([
      {
        name: group.name,
        interval: interval,
        rules: [rule { expr: resolve.text(rule.expr) } for rule in group.recordings],
      }
      for group in rules.sources.recording
    ]),
  },

  grafanaDashboardFolder:: 'Storage',
  grafanaDashboards+:: {
    [dashboard.uid + '.json']: withRunbookLinks(
      placed(dashboard, pointers[dashboard.uid], resolve), config.runbookBaseUrl
    )
    for dashboard in dashboards
  },
}
