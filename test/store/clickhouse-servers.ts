// A ClickHouse for the tests that need one: Debian's, started from a folder of its own on free ports of loopback, or
// the one that MILLRACE_TEST_CLICKHOUSE names (`clickhouse://USER@HOST:PORT`, without a database).

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { Catalog } from '../../src/catalog/catalog.js'
import { RegistryAccess } from '../../src/catalog/registry-access.js'
import type { Clock } from '../../src/platform/clock.js'
import { seededRandom } from '../../src/platform/random.js'
import { requireAddress } from '../../src/store/clickhouse/address.js'
import { makeTables, openClickhouse } from '../../src/store/clickhouse/open.js'
import { freePort } from '../free-port.js'
import type { OpenStore } from './contract-bench.js'

export const program = '/usr/sbin/clickhouse-server'
const given = process.env.MILLRACE_TEST_CLICKHOUSE || undefined

export const clickhouseMissing =
  given === undefined && !existsSync(program) ? 'clickhouse-server is not installed' : undefined

export interface ClickhouseServer {
  /** Undefined: it was there before. */
  readonly pid: number | undefined
  /** Of a database that does not exist yet. */
  newAddress(): string
  stop(): Promise<void>
}

let made = 0

export async function startClickhouse(): Promise<ClickhouseServer> {
  const newAddress = (server: string) => `${server}/test_${process.pid}_${made++}`
  if (given !== undefined)
    return { pid: undefined, newAddress: () => newAddress(given), stop: async () => undefined }
  const folder = mkdtempSync(`${tmpdir()}/millrace-clickhouse-`)
  const [http, tcp] = [await freePort(), await freePort()]
  for (const name of ['data', 'tmp', 'files']) mkdirSync(`${folder}/${name}`)
  writeFileSync(`${folder}/users.xml`, users)
  writeFileSync(`${folder}/config.xml`, configOf(folder, http, tcp))
  const child = spawn(program, [`--config-file=${folder}/config.xml`], { stdio: 'ignore' })
  const stop = async () => {
    await ended(child)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await answers(`http://127.0.0.1:${http}/ping`, child)
  } catch (error) {
    await stop()
    throw error
  }
  const address = () => newAddress(`clickhouse://default@127.0.0.1:${http}`)
  return { pid: child.pid, newAddress: address, stop }
}

export async function answers(url: string, child: ChildProcess): Promise<void> {
  // Three minutes: a machine with other work needs long for a server that starts.
  for (let tries = 0; tries < 1800 && child.exitCode === null; tries++) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok === true) return
    await pause(100)
  }
  throw new Error('clickhouse-server does not answer')
}

/** Nothing of it is needed afterwards. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await exit
}

/** One who needs a password. */
export const guarded = { user: 'guarded', password: 'hidden-in-a-file' }

export const users = `<yandex>
<profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks>
<profile>default</profile><quota>default</quota></default>
<${guarded.user}><password>${guarded.password}</password><networks><ip>127.0.0.1</ip></networks>
<profile>default</profile><quota>default</quota></${guarded.user}></users>
<quotas><default></default></quotas></yandex>`

/** `more`: what a server of a cluster needs besides. */
export const configOf = (folder: string, http: number, tcp: number, more = '') => `<yandex>${more}
<logger><level>error</level><log>${folder}/server.log</log><errorlog>${folder}/errors.log</errorlog></logger>
<http_port>${http}</http_port><tcp_port>${tcp}</tcp_port><listen_host>127.0.0.1</listen_host>
<path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path>
<user_files_path>${folder}/files/</user_files_path><format_schema_path>${folder}/files/</format_schema_path>
<users_config>${folder}/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>67108864</mark_cache_size></yandex>`

/** A registry of its own, in memory. */
export async function newRegistry(clock: Clock) {
  const catalog = await Catalog.open({ path: ':memory:', clock, random: seededRandom(1) })
  return { registry: new RegistryAccess(catalog), close: () => catalog.close() }
}

const ignore = () => undefined

/** A store in a database of its own. */
export function clickhouseStores(server: () => Pick<ClickhouseServer, 'newAddress'>): OpenStore {
  return async (clock) => {
    const address = server().newAddress()
    await makeTables(requireAddress(address), ignore)
    const { registry, close } = await newRegistry(clock)
    const open = () => openClickhouse({ address, registry, clock, log: ignore })
    const store = await open()
    return {
      store,
      async reopen() {
        await store.close()
        return open()
      },
      cleanUp: close,
    }
  }
}
