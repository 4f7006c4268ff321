// The paths of the resources that users fill an organization with: half of the interface, which those who only write
// and query never ask for. Apart from the routes, so that they need not be loaded to be told from others.

const names: ReadonlySet<string> = new Set([
  ...['checks', 'dashboards', 'notificationEndpoints', 'notificationRules', 'scripts', 'silences'],
  ...['sources', 'stacks', 'tasks', 'telegraf', 'telegrafs', 'templates', 'variables'],
])

const prefix = '/api/v2/'

export function isContent(url: string): boolean {
  return url.startsWith(prefix) && names.has(url.slice(prefix.length).split(/[/?]/, 1)[0])
}
