/** What an integration is for: a text of its own says what it sends. */
export type Purpose = 'alerts' | 'builds' | 'code' | 'greeting' | 'issues' | 'own' | 'payments'

interface Integration {
  /** Its name as people know it. */
  readonly name: string
  readonly purpose?: Purpose
}

const known: Readonly<Record<string, Integration>> = {
  alertmanager: { name: 'Prometheus Alertmanager', purpose: 'alerts' },
  bitbucket2: { name: 'Bitbucket Cloud', purpose: 'code' },
  bitbucket3: { name: 'Bitbucket Data Center', purpose: 'code' },
  buildbot: { name: 'Buildbot', purpose: 'builds' },
  circleci: { name: 'CircleCI', purpose: 'builds' },
  gitea: { name: 'Gitea', purpose: 'code' },
  github: { name: 'GitHub', purpose: 'code' },
  gitlab: { name: 'GitLab', purpose: 'code' },
  gogs: { name: 'Gogs', purpose: 'code' },
  grafana: { name: 'Grafana', purpose: 'alerts' },
  harbor: { name: 'Harbor', purpose: 'builds' },
  helloworld: { name: 'Hello World', purpose: 'greeting' },
  heroku: { name: 'Heroku', purpose: 'builds' },
  homeassistant: { name: 'Home Assistant', purpose: 'own' },
  ifttt: { name: 'IFTTT', purpose: 'own' },
  jira: { name: 'Jira', purpose: 'issues' },
  netlify: { name: 'Netlify', purpose: 'builds' },
  newrelic: { name: 'New Relic', purpose: 'alerts' },
  opsgenie: { name: 'Opsgenie', purpose: 'alerts' },
  pagerduty: { name: 'PagerDuty', purpose: 'alerts' },
  papertrail: { name: 'Papertrail', purpose: 'alerts' },
  pingdom: { name: 'Pingdom', purpose: 'alerts' },
  sentry: { name: 'Sentry', purpose: 'alerts' },
  slack_incoming: { name: 'Slack', purpose: 'own' },
  splunk: { name: 'Splunk', purpose: 'alerts' },
  statuspage: { name: 'Statuspage', purpose: 'alerts' },
  stripe: { name: 'Stripe', purpose: 'payments' },
  teamcity: { name: 'TeamCity', purpose: 'builds' },
  travis: { name: 'Travis CI', purpose: 'builds' },
  trello: { name: 'Trello', purpose: 'issues' },
  updown: { name: 'updown.io', purpose: 'alerts' },
  uptimerobot: { name: 'UptimeRobot', purpose: 'alerts' },
  zabbix: { name: 'Zabbix', purpose: 'alerts' },
  zapier: { name: 'Zapier', purpose: 'own' },
  zendesk: { name: 'Zendesk', purpose: 'issues' },
}

/** Returns what is known of an integration of the server, which may have more of them. */
export function integrationOf(path: string): Integration {
  return known[path] ?? { name: path }
}

/** Returns integrations in the order of their names. */
export function inOrder(paths: readonly string[]): readonly string[] {
  return [...paths].sort((a, b) => integrationOf(a).name.localeCompare(integrationOf(b).name))
}
