// `npm run test:clickhouse [-- files]`: the store's contract, its model, the corpora and the service, or the named tests,
// on a newer ClickHouse than Debian's. It is the engine of npm's package `chdb-wasm` in a Node of its own (see
// `test/store/newer-clickhouse.mjs`). Needs a build, and the first time a registry.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fetchPackages, nodeIn, nodePackage } from './fetched-packages.mjs'

const engine = 'chdb-wasm@0.4.0'
const given = process.argv.slice(2)
const all = [
  'store/clickhouse',
  'store/clickhouse-model',
  'store/clickhouse-corpora',
  'cluster/clickhouse',
]
const files = given.length > 0 ? given : all.map((name) => `test/${name}.test.ts`)

const folder = fetchPackages(engine, [engine, `${nodePackage}@24`])
const server = spawn(nodeIn(folder), ['test/store/newer-clickhouse.mjs', folder], {
  stdio: ['pipe', 'pipe', 'inherit'],
})
const [address] = await Promise.race([
  once(createInterface({ input: server.stdout }), 'line'),
  once(server, 'exit').then(() => process.exit(1)),
])
process.stdout.write(`ClickHouse of ${engine}: ${address}\n`)
// One file after the other: the engine does one statement at a time.
const options = ['node_modules/vitest/vitest.mjs', 'run', '--no-file-parallelism', ...files]
const env = { ...process.env, MILLRACE_TEST_CLICKHOUSE: address }
const tests = spawn(process.execPath, options, { env, stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => tests.kill(signal))
const [code] = await once(tests, 'exit')
server.kill()
process.exit(code ?? 1)
