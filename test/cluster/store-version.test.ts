// What a server of the store says of itself before anything is sent to it: versions that are not supported are refused
// in words, and the password stands in no address, text or log.

import { createServer, type IncomingMessage } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/platform/clock.js'
import { dialectOf } from '../../src/store/clickhouse/dialect.js'
import { openClickhouse } from '../../src/store/clickhouse/open.js'
import { newRegistry } from '../store/clickhouse-servers.js'

const secret = 'pass word%2F'

/** Answers every statement with this text. */
async function serverOf(status: number, text: string) {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    request.resume()
    response.writeHead(status).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  return { address: `clickhouse://u@127.0.0.1:${port}/d`, requests }
}

async function failure(address: string): Promise<{ message: string; logged: string }> {
  const { registry, close } = await newRegistry(systemClock)
  onTestFinished(close)
  let logged = ''
  const log = (...line: unknown[]) => {
    logged += JSON.stringify(line, (_, value) => (value instanceof Error ? value.stack : value))
  }
  const opened = openClickhouse({ address, password: secret, registry, clock: systemClock, log })
  const error = await opened.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(Error)
  return { message: (error as Error).message, logged }
}

it.each(['24.8.4.13', '26.2.1.1', '19.17.5.18'])('refuses ClickHouse %s', async (version) => {
  const { address } = await serverOf(200, `${version}\n`)
  const { message } = await failure(address)
  expect(message).toBe(`a server of the store is ClickHouse ${version}: 26.3 or newer is needed`)
})

it.each(['26.3.1.9', '27.1.2.3'])('takes ClickHouse %s, whose tables merge rows', (version) => {
  const dialect = dialectOf([version])
  expect(dialect.name).toBe('modern')
  expect(dialect.merged('t', 'series, time', ['v0'], 'm = 1')).toContain('FINAL')
  // What later versions have switched on by themselves.
  expect(dialect.insertSettings).toMatchObject({ insert_deduplicate: 0, async_insert: 0 })
})

it('sends the password in a header, and tells it nobody', async () => {
  const refusal = 'Code: 516. DB::Exception: u: Authentication failed: password is incorrect\nmore'
  const { address, requests } = await serverOf(403, refusal)
  const { message, logged } = await failure(address)
  expect(message).toContain('code 516')
  const [{ headers, url = '' }] = requests
  expect(Buffer.from(`${headers.authorization}`.slice(6), 'base64').toString()).toBe(`u:${secret}`)
  for (const text of [message, logged, decodeURIComponent(url)]) expect(text).not.toContain(secret)
})

it('says that nobody answers', async () => {
  const { message } = await failure('clickhouse://u@127.0.0.1:9/d')
  expect(message).toBe('the store cannot be reached')
})
