// `/api/v2/telegraf/plugins`: a starting point for agent configurations. The list is modest: the
// plugins that most machines need, each with the least configuration that works.

import type { FastifyInstance } from 'fastify'
import { UserError } from '../../../errors.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import { parameter } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'

const pluginTypes = ['input', 'output', 'aggregator', 'processor', 'bundle'] as const

type PluginType = (typeof pluginTypes)[number]

interface Plugin {
  readonly type: PluginType
  readonly name: string
  readonly description: string
  readonly config: string
}

const tables: Readonly<Record<PluginType, string>> = {
  input: 'inputs',
  output: 'outputs',
  aggregator: 'aggregators',
  processor: 'processors',
  bundle: 'inputs',
}

function plugin(type: PluginType, name: string, description: string, ...lines: string[]): Plugin {
  const settings = lines.map((line) => `  ${line}\n`).join('')
  return { type, name, description, config: `[[${tables[type]}.${name}]]\n${settings}` }
}

const single: readonly Plugin[] = [
  plugin('input', 'cpu', 'How busy each processor is', 'percpu = true', 'totalcpu = true'),
  plugin('input', 'disk', 'How full the mounted file systems are', 'ignore_fs = ["tmpfs"]'),
  plugin('input', 'diskio', 'Reads and writes of each disk'),
  plugin('input', 'docker', 'Containers of a Docker daemon and what they use', dockerSocket()),
  plugin('input', 'http', 'Metrics fetched from web addresses', 'urls = []'),
  plugin('input', 'kernel', 'Counters of the Linux kernel'),
  plugin('input', 'kubernetes', 'Pods and nodes as a kubelet sees them', 'url = ""'),
  plugin('input', 'mem', 'Used and free memory'),
  plugin('input', 'mqtt_consumer', 'Messages of MQTT topics', 'servers = []', 'topics = []'),
  plugin('input', 'mysql', 'State of MySQL servers', 'servers = []'),
  plugin('input', 'net', 'Bytes and packets of each network interface'),
  plugin('input', 'nginx', 'Connections and requests of an nginx server', 'urls = []'),
  plugin('input', 'ping', 'Whether hosts answer, and how fast', 'urls = []'),
  plugin('input', 'postgresql', 'State of PostgreSQL servers', 'address = ""'),
  plugin('input', 'processes', 'How many processes are in which state'),
  plugin('input', 'prometheus', 'Metrics that others expose for Prometheus', 'urls = []'),
  plugin('input', 'redis', 'State of Redis servers', 'servers = []'),
  plugin('input', 'swap', 'Used and free swap space'),
  plugin('input', 'system', 'Load, uptime and number of users'),
  plugin('input', 'tail', 'Lines as they are added to files', 'files = []'),
  plugin('output', 'file', 'Writes points into files', 'files = ["stdout"]'),
  plugin('output', 'influxdb', 'Writes points over the v1 interface', 'urls = []', 'database = ""'),
  plugin(
    'output',
    'influxdb_v2',
    'Writes points into a bucket over the v2 interface',
    'urls = []',
    'token = "$INFLUX_TOKEN"',
    'organization = ""',
    'bucket = ""',
  ),
  plugin(
    'aggregator',
    'basicstats',
    'Count, smallest, largest and mean of fields',
    'period = "30s"',
  ),
  plugin('aggregator', 'histogram', 'How values spread over ranges', 'period = "30s"'),
  plugin('aggregator', 'minmax', 'Smallest and largest value of fields', 'period = "30s"'),
  plugin('processor', 'converter', 'Turns tags into fields, and fields into other types'),
  plugin('processor', 'regex', 'Rewrites values by regular expressions'),
  plugin('processor', 'rename', 'Gives measurements, tags and fields other names'),
]

const systemNames = ['cpu', 'disk', 'diskio', 'mem', 'net', 'processes', 'swap', 'system']

const plugins: readonly Plugin[] = [
  ...single,
  {
    type: 'bundle',
    name: 'system',
    description: 'What every machine has: processor, memory, disks, network, processes',
    config: single
      .filter(({ type, name }) => type === 'input' && systemNames.includes(name))
      .map(({ config }) => config)
      .join(''),
  },
]

/** The configuration format that the list is written for. */
const telegrafVersion = '1.30.0'

export function telegrafPluginRoutes(app: FastifyInstance, services: Services): void {
  guardedRoutes(app, services, (scope) => {
    scope.get('/api/v2/telegraf/plugins', async (request) => {
      // In the plural as Telegraf's configuration has them, too.
      const type = parameter(request, 'type')?.replace(/s$/, '')
      if (type !== undefined && !pluginTypes.some((known) => known === type)) {
        throw new UserError('invalid', `unknown plugin type '${type}'`)
      }
      const found = plugins.filter((one) => type === undefined || one.type === type)
      return { version: telegrafVersion, os: 'unix', plugins: found }
    })
  })
}

function dockerSocket(): string {
  return 'endpoint = "unix:///var/run/docker.sock"'
}
