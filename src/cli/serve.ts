// `serve`: reads the options, starts the server, says where it is and what to do next, and stops it
// on a signal. Log lines are JSON on standard output, where containers look for them.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { pino } from 'pino'
import { type Config, configFileName, parseFlags, resolveConfig, serveFlags } from '../config.js'
import { UserError } from '../errors.js'
import { programVersion } from '../http/base/version.js'
import type { RunningServer } from '../index.js'
import { giveBackWhenQuiet } from '../platform/spare-memory.js'
import type { Log } from '../service/base/log.js'
import { judgeArguments } from './arguments.js'
import { readFirstSetup } from './first-setup.js'

export async function serveCommand(args: readonly string[]): Promise<number> {
  const config = judgeArguments(() => readConfig(args, process.env))
  const isManaged = config.variant === 'managed'
  const firstSetup = isManaged ? judgeArguments(() => readFirstSetup(process.env)) : undefined
  const { startServer } = await import('../index.js')
  const log = openLog(config)
  const { dataDir, memory, ...rest } = config
  const place = memory ? {} : { dataDir }
  const server = await startServer({ ...rest, ...place, log, firstSetup })
  // Listening for signals starts before the banner: whoever reads it may already send one.
  const stopped = waitForSignal(server, log)
  process.stdout.write(await bannerText(server, config))
  tellReady(log)
  const stopGivingBack = giveBackWhenQuiet()
  return stopped.finally(stopGivingBack)
}

/** To systemd, where it waits for it: by its own program, as Node has no datagrams over Unix sockets. */
function tellReady(log: Log): void {
  if ((process.env.NOTIFY_SOCKET ?? '') === '') return
  execFile('systemd-notify', ['--ready'], (error) => {
    if (error === null) return
    log('error', 'systemd was not told that the service is ready', { error: error.message })
  })
}

export function readConfig(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Config {
  const flags = parseFlags(args, serveFlags)
  const name = configFileName({ flags, environment })
  const file = name === undefined ? {} : readConfigFile(name)
  const config = resolveConfig({ flags, environment, file })
  if (config.variant !== 'cluster' && config.role !== 'all') {
    throw new UserError('invalid', 'flag --role: only the cluster variant has roles')
  }
  return config
}

function readConfigFile(name: string): unknown {
  try {
    return JSON.parse(readFileSync(name, 'utf8'))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UserError('invalid', `flag --config: cannot read "${name}": ${reason}`)
  }
}

function openLog(config: Config): Log {
  // Synchronous: log lines are few, and none may be lost when the process ends.
  const logger = pino({ level: config.logLevel }, pino.destination({ fd: 1, sync: true }))
  return (level, message, fields) => {
    const { error, ...others } = fields ?? {}
    logger[level](error === undefined ? others : { ...others, err: error }, message)
  }
}

async function bannerText(server: RunningServer, config: Config): Promise<string> {
  const where = config.memory ? 'everything is kept in memory' : `data in ${config.dataDir}`
  const lines = [
    `Millrace ${programVersion}, ${config.variant} variant, ${where}`,
    `Listening on ${server.url}`,
    ...(await nextStep(server, config)),
  ]
  return `${lines.join('\n')}\n`
}

async function nextStep(server: RunningServer, config: Config): Promise<string[]> {
  if (config.variant === 'cluster') {
    const token = server.firstToken ?? 'TOKEN'
    const first = server.firstToken === undefined ? [] : [`First token, shown only now: ${token}`]
    if (config.role === 'query') {
      const query = `curl '${server.url}/query?db=my-db&q=SHOW+MEASUREMENTS'`
      return [...first, 'Next, ask:', `  ${query} -H 'Authorization: Bearer ${token}'`]
    }
    const write = `curl '${server.url}/write?db=my-db' -H 'Authorization: Bearer ${token}'`
    return [...first, 'Next, write a point:', `  ${write} -d 'm,t=a f=1'`]
  }
  if (!(await server.isSetupAllowed())) {
    const write = `curl '${server.url}/api/v2/write?org=ORG&bucket=BUCKET'`
    return ['Next, write a point:', `  ${write} -H 'Authorization: Token TOKEN' -d 'm,t=a f=1'`]
  }
  const page = config.noUi ? [] : [`Next, open ${server.url}${config.basePath} in a browser.`]
  const body = '{"username":"admin","password":"PASSWORD","org":"my-org","bucket":"my-bucket"}'
  return [
    ...page,
    `${config.noUi ? 'Next' : 'Or'}, set it up once and keep the token that comes back:`,
    `  curl -X POST ${server.url}/api/v2/setup -d '${body}'`,
  ]
}

/** The first signal stops in order, the second at once. */
function waitForSignal(server: RunningServer, log: Log): Promise<number> {
  return new Promise((resolve, reject) => {
    let isStopping = false
    const onSignal = (signal: NodeJS.Signals) => {
      if (isStopping) process.exit(1)
      isStopping = true
      log('info', 'stopping', { signal })
      server.close().then(() => {
        log('info', 'stopped')
        process.off('SIGTERM', onSignal)
        process.off('SIGINT', onSignal)
        resolve(0)
      }, reject)
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
}
