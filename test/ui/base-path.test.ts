// The UI below a path, behind a proxy that rewrites `Host`, as many installations have it: pages, files, signing in
// and queries all work there.

import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import {
  chromiumPath,
  isBuilt,
  newContext,
  type Program,
  startBrowser,
  startProgram,
  Watch,
} from './browser.js'

const isPossible = chromiumPath !== undefined && isBuilt
const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo()
})

describe.skipIf(!isPossible)('behind a proxy', () => {
  it('works below a path, also where the proxy takes it off', async () => {
    const program = await startProgram(['--base-path', '/mill/'])
    cleanUp.push(() => program.stop())
    const proxies = [await proxy(program, false), await proxy(program, true)]
    const browser = await startBrowser()
    cleanUp.push(() => browser.close())
    for (const [index, origin] of proxies.entries()) {
      const context = await newContext(browser)
      const watch = new Watch(context, `${origin}/mill/`)
      const page = await context.newPage()
      page.setDefaultTimeout(15_000)
      await page.goto(`${origin}/mill/`)
      await page.getByLabel('Name').fill('me')
      await page.getByLabel('Password', { exact: true }).fill('a long password')
      await page.getByRole('button', { name: index === 0 ? 'Set up' : 'Sign in' }).click()
      if (index === 0) await page.getByRole('button', { name: 'Go on without' }).click()
      await page.getByRole('heading', { name: 'Explore' }).waitFor()
      expect(new URL(page.url()).pathname).toBe('/mill/explore')
      await page.reload()
      await page.getByText('Nothing in this bucket yet').waitFor()
      watch.expectNothing()
      await context.close()
    }
  })
})

/** Forwards to the program under another host's name; the address that it can be reached at. */
async function proxy(program: Program, takesPathOff: boolean): Promise<string> {
  const target = new URL(program.url)
  const server: Server = createServer((incoming, outgoing) => {
    const path = takesPathOff ? incoming.url?.replace(/^\/mill/, '') : incoming.url
    const headers = { ...incoming.headers, host: 'inside.example' }
    const forwarded = httpRequest(
      { host: target.hostname, port: target.port, method: incoming.method, path, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUp.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
