// What is shipped to run several processes (compose, Kubernetes, and the configuration of the servers beside): the
// files can be read, name each other rightly, and give Millrace flags and variables that there are, and values it
// takes.

import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { storeActions } from '../../src/cli/arguments.js'
import { environmentName, parseFlags, resolveConfig, serveFlags } from '../../src/config.js'
import { requireAddress } from '../../src/store/clickhouse/address.js'

const read = (name: string) => readFileSync(`packaging/${name}`, 'utf8')
const compose = parse(read('compose.cluster.yaml'), { merge: true })
const documents = (name: string) =>
  parseAllDocuments(read(`kubernetes/${name}`)).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS()
  })

interface Container {
  readonly args: readonly string[]
}

const millraces = ['millrace1', 'millrace2', 'millrace3']

it('gives the processes of compose what they understand', () => {
  const known = new Set(serveFlags.map(({ flag }) => environmentName(flag)))
  const names = new Set<string>()
  for (const name of millraces) {
    const { environment, secrets, stop_grace_period } = compose.services[name]
    for (const variable of Object.keys(environment)) expect(known).toContain(variable)
    const config = resolveConfig({ environment })
    names.add(`${config.nodeId}`)
    expect(config.drainSeconds).toBeGreaterThan(1)
    expect(config.drainSeconds + config.shutdownGraceSeconds).toBeLessThan(120)
    expect(stop_grace_period).toBe('2m')
    expect(secrets).toEqual(Object.keys(compose.secrets))
    const { endpoints, cluster } = requireAddress(config.store)
    expect([endpoints.length, cluster]).toEqual([4, 'mill'])
  }
  expect([...names]).toEqual(millraces)
  expect(compose.services.tables.command).toEqual(['store', 'init'])
})

it('names services, volumes and files that there are', () => {
  const { services, volumes } = compose
  for (const service of Object.values<Record<string, unknown>>(services)) {
    const { depends_on = [], volumes: mounts = [] } = service
    const needed = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on as object)
    for (const name of needed) expect(Object.keys(services)).toContain(name)
    for (const mount of mounts as string[]) {
      const [from] = mount.split(':')
      if (from.startsWith('./')) expect(existsSync(`packaging/${from}`), from).toBe(true)
      else expect(Object.keys(volumes)).toContain(from)
    }
  }
  const balancer = read('cluster/haproxy.cfg')
  for (const name of millraces) expect(balancer).toContain(`server ${name} ${name}:8086`)
  const hosts = Array.from(read('cluster/clickhouse.xml').matchAll(/<host>(.*?)<\/host>/g))
  for (const [, host] of hosts) expect(Object.keys(services)).toContain(host)
  expect(hosts).toHaveLength(7)
  for (const [, host] of compose.services.millrace1.environment.MILLRACE_STORE.matchAll(
    /[@,](\w+):8123/g,
  )) {
    expect(services[host].environment.REPLICA).toBe(host)
  }
})

it('gives the processes of Kubernetes what they understand', () => {
  const [deployment, service, budget] = documents('millrace.yaml')
  const { template, replicas, selector } = deployment.spec
  const [container] = template.spec.containers
  const [command, ...args] = (container as Container).args
  expect(command).toBe('serve')
  const given = args.map((arg) => arg.replace('$(POD_NAME)', 'millrace-abc-de'))
  const config = resolveConfig({ flags: parseFlags(given, serveFlags) })
  expect(config).toMatchObject({ nodeId: 'millrace-abc-de', drainSeconds: 15 })
  const grace = template.spec.terminationGracePeriodSeconds
  expect(config.drainSeconds + config.shutdownGraceSeconds).toBeLessThan(grace)
  const { periodSeconds, failureThreshold } = container.readinessProbe
  expect(periodSeconds * failureThreshold).toBeLessThan(config.drainSeconds)
  expect(replicas).toBeGreaterThan(budget.spec.maxUnavailable)
  const labels = selector.matchLabels
  expect([template.metadata.labels, service.spec.selector]).toEqual([labels, labels])
  expect(budget.spec.selector.matchLabels).toEqual(labels)
})

it('makes the tables of the same servers that are served, as the operator names them', () => {
  const [job] = documents('tables.yaml')
  const [deployment] = documents('millrace.yaml')
  const [, installation] = documents('clickhouse.yaml')
  const argsOf = (object: { spec: { template: { spec: { containers: Container[] } } } }) =>
    object.spec.template.spec.containers[0].args
  const [group, action, ...args] = argsOf(job)
  expect([group, action]).toEqual(['store', 'init'])
  const flags = parseFlags(args, storeActions.init.flags)
  const serve = argsOf(deployment).find((arg) => arg.startsWith('--store='))
  expect(`--store=${flags.get('store')}`).toBe(serve)
  const [{ name, layout }] = installation.spec.configuration.clusters
  expect(flags.get('store')).toContain(`?cluster=${name}`)
  for (let shard = 0; shard < layout.shardsCount; shard++) {
    for (let replica = 0; replica < layout.replicasCount; replica++) {
      const host = `chi-${installation.metadata.name}-${name}-${shard}-${replica}:8123`
      expect(flags.get('store')).toContain(host)
    }
  }
})
