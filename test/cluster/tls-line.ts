// A server behind TLS: a line that speaks TLS with whoever comes, with a certificate made for the occasion, and plainly
// with the server.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { createServer } from 'node:tls'
import { onTestFinished } from 'vitest'

export interface TlsLine {
  readonly port: number
  /** By which it is trusted. */
  readonly certificate: string
}

/** The files lie in the folder. */
export async function tlsLineTo(target: number, folder: string): Promise<TlsLine> {
  const [key, certificate] = [`${folder}/key.pem`, `${folder}/certificate.pem`]
  const kind = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=store']
  const files = ['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate]
  execFileSync('openssl', [...kind, ...files], { stdio: 'ignore' })
  const options = { key: readFileSync(key), cert: readFileSync(certificate) }
  const server = createServer(options, (near) => {
    const far = createConnection(target, '127.0.0.1')
    near.pipe(far).pipe(near)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.on('error', () => other.destroy())
      socket.on('close', () => other.destroy())
    }
  })
  // Who does not trust it hangs up.
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return { port: typeof address === 'object' && address !== null ? address.port : 0, certificate }
}
