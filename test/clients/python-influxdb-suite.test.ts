// The tests that Debian ships inside `python3-influxdb` and that need a server, unmodified, each class or test with an
// empty server, as they want it: one that another left is emptied, which takes a fraction of a start. What starts the
// server and signs in is ours, and takes off what is there on purpose and was not in InfluxDB 1.8: the databases of the
// set-up, and two columns of retention policies. Skipped without the package; tests of data frames are left out by the
// package's own switch where pandas is missing.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { type RunningServer, startServer } from '../../src/index.js'
import { send } from '../api/client.js'
import { runProgram, runs } from './clients-v1.js'

const python = '/usr/bin/python3'
const suite = 'influxdb.tests.server_tests.client_test_with_server'
const isInstalled = runs(python, '-c', 'import influxdb.tests.server_tests')
if (!isInstalled) console.warn('skipped: the apt package python3-influxdb is missing')

interface Place {
  readonly server: RunningServer
  readonly token: string
}

/** Gives an empty server to whoever asks, with its port and a token; takes it back when asked with the port. */
async function serverMaker(): Promise<string> {
  const places = new Map<string, Place>()
  const free: Place[] = []
  const maker = createServer(async (request, response) => {
    const known = places.get(request.url ?? '')
    if (known !== undefined) {
      await empty(known)
      free.push(known)
      response.end()
      return
    }
    const place = free.pop() ?? (await newPlace())
    places.set(`/${place.server.port}`, place)
    response.end(JSON.stringify({ port: place.server.port, token: place.token }))
  })
  await new Promise<void>((resolve) => {
    maker.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(async () => {
    maker.close()
    for (const { server } of places.values()) await server.close()
  })
  return `http://127.0.0.1:${(maker.address() as AddressInfo).port}`
}

async function newPlace(): Promise<Place> {
  const server = await startServer({ jobs: 'inline' })
  const body = JSON.stringify({ username: 'u', org: 'o', bucket: 'b' })
  const made = await send(`${server.url}/api/v2/setup`, { method: 'POST', body })
  return { server, token: made.json.auth.token }
}

/** What a test can have made: databases with everything in them, and users. */
async function empty({ server, token }: Place): Promise<void> {
  const ask = async (text: string): Promise<string[]> => {
    const headers = { authorization: `Token ${token}` }
    const answer = await send(`${server.url}/query?q=${encodeURIComponent(text)}`, {
      method: 'POST',
      headers,
    })
    const rows: string[][] = answer.json.results[0].series?.[0].values ?? []
    return rows.map(([name]) => name)
  }
  const databases = await ask('SHOW DATABASES')
  for (const name of databases) {
    if (!own.includes(name)) await ask(`DROP DATABASE ${JSON.stringify(name)}`)
  }
  for (const name of await ask('SHOW USERS')) await ask(`DROP USER ${JSON.stringify(name)}`)
  expect(await ask('SHOW DATABASES')).toHaveLength(own.length)
}

/** Of the set-up. */
const own = ['_tasks', '_monitoring', 'b']

const runner = `
import json, os, sys, unittest, urllib.request
try:
    import pandas
except ImportError:
    sys.pypy_version_info = None
from influxdb.tests.server_tests import base
from influxdb import InfluxDBClient
maker = os.environ['MAKER']
token = None
class Instance:
    def __init__(self, conf_template, udp_enabled=False):
        global token
        if udp_enabled:
            raise unittest.SkipTest('points over UDP are not taken')
        made = json.load(urllib.request.urlopen(maker + '/'))
        self.http_port, token = made['port'], made['token']
    def close(self, remove_tree=True):
        urllib.request.urlopen(maker + '/%d' % self.http_port).read()
class Client(InfluxDBClient):
    def __init__(self, host, port, user, password, **more):
        super().__init__(host, port, 'anybody', token, **more)
    def get_list_database(self):
        return [each for each in super().get_list_database() if each['name'] not in own]
    def get_list_continuous_queries(self):
        return [each for each in super().get_list_continuous_queries() if not own.intersection(each)]
    def get_list_retention_policies(self, database=None):
        policies = super().get_list_retention_policies(database)
        return [{key: policy[key] for key in policy if key not in later} for policy in policies]
own = {${own.map((name) => `'${name}'`).join(', ')}}
later = {'futureWriteLimit', 'pastWriteLimit'}
base.InfluxDbInstance, base.InfluxDBClient = Instance, Client
program = unittest.main(module='${suite}', argv=['suite'], exit=False, verbosity=2)
result = program.result
print(json.dumps({
    'run': result.testsRun,
    'failed': [case.id().split('.')[-1] + ': ' + text[-900:] for case, text in result.failures + result.errors],
    'skipped': sorted(reason for _, reason in result.skipped),
}))
`

it.skipIf(!isInstalled)('passes', { timeout: 120_000 }, async () => {
  const environment = { MAKER: await serverMaker() }
  const args = ['-W', 'ignore', '-c', runner]
  const { stdout, stderr } = await runProgram(python, args, environment, 110_000)
  expect(stdout, stderr).toContain('"run"')
  const { run, failed, skipped } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  expect(failed).toEqual([])
  expect(run - skipped.length).toBeGreaterThanOrEqual(76)
})
