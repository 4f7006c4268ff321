// The image's health check: asks the server of this container where its environment says that it listens, and ends with
// 0 where it is well and 1 otherwise. The certificate is not judged: it is made out to another name than this machine's.

import http from 'node:http'
import https from 'node:https'

const address = process.env.MILLRACE_HTTP_ADDRESS || ':8086'
const port = address.slice(address.lastIndexOf(':') + 1)
const host = address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '')
const isAnywhere = host === '' || host === '0.0.0.0' || host === '::'
const isSecure = Boolean(process.env.MILLRACE_TLS_CERT)
const base = (process.env.MILLRACE_BASE_PATH || '').replace(/\/$/, '')

const options = {
  host: isAnywhere ? 'localhost' : host,
  port,
  path: `${base}/health`,
  timeout: 4000,
  rejectUnauthorized: false,
}
const sent = (isSecure ? https : http).get(options, ({ statusCode }) => {
  process.exit(statusCode === 200 ? 0 : 1)
})
sent.on('timeout', () => sent.destroy(new Error('no answer within 4 seconds')))
sent.on('error', (error) => {
  process.stderr.write(`${error.message || error.code}\n`)
  process.exit(1)
})
