// A small server that speaks as much of S3 as backups need, over objects in memory. It trusts nobody: every signature
// is computed again from the request as it came over the wire, and bodies are compared with the hash that was signed.

import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const accessKeyId = 'AKIDEXAMPLE'
export const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'

export interface S3Server {
  readonly url: string
  /** By bucket and key. */
  readonly objects: Map<string, Buffer>
  /** Method and path of each request that was answered. */
  readonly requests: string[]
  /** Called before a request is answered: a status to answer with instead, or `cut` to break the answer off. */
  disturb: (request: string) => number | 'cut' | undefined
  close(): void
}

const pageKeys = 3

export async function startS3(): Promise<S3Server> {
  const objects = new Map<string, Buffer>()
  const uploads = new Map<string, Map<number, Buffer>>()
  const requests: string[] = []
  const s3: Pick<S3Server, 'disturb'> = { disturb: () => undefined }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const wrong = await mistake(request, body)
    if (wrong !== undefined) return refuse(response, 403, 'SignatureDoesNotMatch', wrong)
    const what = `${request.method} ${request.url}`
    const disturbed = s3.disturb(what)
    requests.push(what)
    if (typeof disturbed === 'number') return refuse(response, disturbed, 'SlowDown', 'later')
    answer(request, response, body, { objects, uploads, isCut: disturbed === 'cut' })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return Object.assign(s3, { url, objects, requests, close })
}

interface State {
  readonly objects: Map<string, Buffer>
  readonly uploads: Map<string, Map<number, Buffer>>
  readonly isCut: boolean
}

function answer(
  { method, url = '', headers }: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  { objects, uploads, isCut }: State,
): void {
  const { pathname, searchParams: query } = new URL(url, 'http://s3')
  const path = decodeURIComponent(pathname.slice(1))
  const uploadId = query.get('uploadId')
  const parts = uploadId === null ? undefined : uploads.get(uploadId)
  if (uploadId !== null && parts === undefined) return refuse(response, 404, 'NoSuchUpload', '')
  if (query.has('list-type')) return void response.end(listing(objects, path, query))
  if (method === 'POST' && query.has('uploads')) {
    const id = `id&${uploads.size}`
    uploads.set(id, new Map())
    return void response.end(`<r><UploadId>${id.replace('&', '&amp;')}</UploadId></r>`)
  }
  if (method === 'PUT' && parts !== undefined) {
    parts.set(Number(query.get('partNumber')), body)
    return void response.setHeader('etag', `"${md5(body)}"`).end()
  }
  if (method === 'POST' && parts !== undefined) {
    const numbers = Array.from(body.toString().matchAll(/<PartNumber>(\d+)</g), ([, n]) => +n)
    const tags = Array.from(body.toString().matchAll(/<ETag>&#34;(\w+)&#34;</g), ([, tag]) => tag)
    const chosen = numbers.map((number) => parts.get(number) ?? Buffer.alloc(0))
    const isRight = chosen.every((part, i) => md5(part) === tags[i])
    if (!isRight) return void response.end('<Error><Code>InvalidPart</Code></Error>')
    objects.set(path, Buffer.concat(chosen))
    uploads.delete(uploadId ?? '')
    return void response.end('<CompleteMultipartUploadResult/>')
  }
  if (method === 'DELETE') {
    if (uploadId !== null) uploads.delete(uploadId)
    else objects.delete(path)
    return void response.writeHead(204).end()
  }
  if (method === 'PUT') {
    objects.set(path, body)
    return void response.end()
  }
  const found = objects.get(path)
  if (found === undefined) return refuse(response, 404, 'NoSuchKey', 'The key does not exist.')
  const start = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0)
  const bytes = found.subarray(start)
  response.writeHead(start > 0 ? 206 : 200, { 'content-length': bytes.length })
  if (method === 'HEAD') return void response.end()
  if (!isCut) return void response.end(bytes)
  response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy())
}

/** In pages. */
function listing(objects: Map<string, Buffer>, path: string, query: URLSearchParams): string {
  const bucket = path.endsWith('/') ? path : `${path}/`
  const prefix = query.get('prefix') ?? ''
  const delimiter = query.get('delimiter')
  const entries = new Set<string>()
  for (const full of [...objects.keys()].sort()) {
    if (!full.startsWith(bucket + prefix)) continue
    const key = full.slice(bucket.length)
    const end = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length)
    entries.add(
      end < 0 ? `<Contents><Key>${key}</Key></Contents>` : prefixed(key.slice(0, end + 1)),
    )
  }
  const start = Number(query.get('continuation-token')?.slice(2) ?? 0)
  const page = [...entries].slice(start, start + pageKeys).join('')
  const next = start + pageKeys
  const more = next < entries.size ? `<NextContinuationToken>+/${next}</NextContinuationToken>` : ''
  return `<ListBucketResult><Prefix>${prefix}</Prefix>${more}${page}</ListBucketResult>`
}

function prefixed(prefix: string): string {
  return `<CommonPrefixes><Prefix>${prefix}</Prefix></CommonPrefixes>`
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status)
  response.end(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`)
}

/** From the words of the specification, over the request as it came. */
async function mistake(request: IncomingMessage, body: Buffer): Promise<string | undefined> {
  const { method, url = '', headers } = request
  const [credential = '', list = '', sign = ''] = (headers.authorization ?? '').split(', ')
  const from = /^AWS4-HMAC-SHA256 Credential=(\w+)\/(\d{8})\/([\w-]+)\/s3\/aws4_request$/
  const [, key, day, region] = from.exec(credential) ?? []
  const names = /^SignedHeaders=([\w;-]+)$/.exec(list)?.[1] ?? ''
  const signature = /^Signature=([\da-f]{64})$/.exec(sign)?.[1]
  if (key !== accessKeyId) return 'who is that?'
  const at = String(headers['x-amz-date'])
  if (!at.startsWith(day) || !/^\d{8}T\d{6}Z$/.test(at)) return 'no such moment'
  if (headers['x-amz-content-sha256'] !== sha256(body)) return 'another body'
  if (!names.split(';').includes('host')) return 'host is not signed'
  const [path, query = ''] = url.split('?')
  const pairs =
    query === '' ? [] : query.split('&').map((pair) => (pair.includes('=') ? pair : `${pair}=`))
  const lines = names.split(';').map((name) => `${name}:${headers[name]}\n`)
  const canonical = `${method}\n${path}\n${pairs.sort().join('&')}\n${lines.join('')}\n${names}\n${sha256(body)}`
  const scope = `${day}/${region}/s3/aws4_request`
  const text = `AWS4-HMAC-SHA256\n${at}\n${scope}\n${sha256(Buffer.from(canonical))}`
  const keyOf = (from: Buffer, part: string) => createHmac('sha256', from).update(part).digest()
  const signing = scope.split('/').reduce(keyOf, Buffer.from(`AWS4${secretAccessKey}`))
  return keyOf(signing, text).toString('hex') === signature ? undefined : 'another signature'
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function md5(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex')
}
