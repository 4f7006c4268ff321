// The pages of the web UI, as they lie in `dist/ui`: files that the manifest names, packed as the browser likes, for a
// year, since their names change with their content; and `index.html`, made for each answer with a nonce for the styles
// that the page makes itself. Whatever is no file and no route is a place within the page, which knows its own paths.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Disk, readFile } from '../../platform/disk.js'
import type { Random } from '../../platform/random.js'

/** Written by `ui/build.mjs`, beside the files. */
interface Manifest {
  readonly files: readonly ManifestFile[]
  /** With places for the nonce, the base path, the variant and what its page loads. */
  readonly index: string
  /** Files that a place within the page needs before it shows, by the beginning of its path. */
  readonly pages: Readonly<Record<UiPlace['variant'], Readonly<Record<string, readonly string[]>>>>
}

interface ManifestFile {
  /** From the base path on: `assets/main-XXXX.js`. */
  readonly path: string
  readonly type: string
  /** Which packed forms lie beside it. */
  readonly encodings: readonly ('br' | 'gzip')[]
}

export interface UiPlace {
  readonly basePath: string
  readonly variant: 'managed' | 'cluster'
}

const manifestName = 'manifest.json'
const endings = { br: '.br', gzip: '.gz' } as const
const nonceBytes = 18

export class UiFiles {
  readonly #disk: Disk
  readonly #folder: string
  readonly #index: string
  /** By the beginning of a path, the longest first. */
  readonly #preloads: readonly (readonly [beginning: string, links: string])[]
  readonly #files: ReadonlyMap<string, ManifestFile>

  private constructor(disk: Disk, folder: string, manifest: Manifest, place: UiPlace) {
    this.#disk = disk
    this.#folder = folder
    this.#index = manifest.index
      .replaceAll('{{base}}', `${place.basePath}/`)
      .replaceAll('{{variant}}', place.variant)
    this.#preloads = Object.entries(manifest.pages[place.variant])
      .toSorted(([a], [b]) => b.length - a.length)
      .map(([beginning, files]) => [beginning, preloadLinks(files)])
    this.#files = new Map(manifest.files.map((file) => [`/${file.path}`, file]))
  }

  /** Undefined where no UI was built, as in a program that runs from its source. */
  static async open(disk: Disk, folder: string, place: UiPlace): Promise<UiFiles | undefined> {
    const path = `${folder}/${manifestName}`
    if (!(await disk.exists(path))) return undefined
    const text = Buffer.from(await readFile(disk, path)).toString()
    return new UiFiles(disk, folder, JSON.parse(text) as Manifest, place)
  }

  /** False: the request is for nothing that the UI has. */
  async answer(request: FastifyRequest, reply: FastifyReply, random: Random): Promise<boolean> {
    if (request.method !== 'GET') return false
    const path = request.url.split('?', 1)[0]
    const file = this.#files.get(path)
    if (file !== undefined) {
      await this.#sendFile(file, request, reply)
      return true
    }
    if (path !== '/' && !wantsPage(request, path)) return false
    this.#sendIndex(path, reply, random)
    return true
  }

  async #sendFile(file: ManifestFile, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { path, type, encodings } = file
    const etag = `"${path}"`
    reply.header('cache-control', 'public, max-age=31536000, immutable')
    reply.header('etag', etag)
    reply.header('vary', 'Accept-Encoding')
    reply.header('x-content-type-options', 'nosniff')
    if (request.headers['if-none-match'] === etag) {
      reply.code(304).send()
      return
    }
    const accepted = request.headers['accept-encoding'] ?? ''
    const encoding = encodings.find((name) => acceptsEncoding(accepted, name))
    if (encoding !== undefined) reply.header('content-encoding', encoding)
    reply.header('content-type', type)
    const ending = encoding === undefined ? '' : endings[encoding]
    reply
      .code(200)
      .send(Buffer.from(await readFile(this.#disk, `${this.#folder}/${path}${ending}`)))
  }

  #sendIndex(path: string, reply: FastifyReply, random: Random): void {
    const nonce = Buffer.from(random.bytes(nonceBytes)).toString('base64')
    reply.header('content-type', 'text/html; charset=utf-8')
    reply.header('cache-control', 'no-store')
    reply.header('content-security-policy', policy(nonce))
    reply.header('x-content-type-options', 'nosniff')
    reply.header('referrer-policy', 'same-origin')
    reply.header('cross-origin-opener-policy', 'same-origin')
    const [, links = ''] = this.#preloads.find(([beginning]) => path.startsWith(beginning)) ?? []
    const page = this.#index.replace('{{preloads}}', links)
    reply.code(200).send(page.replaceAll('{{nonce}}', nonce))
  }
}

/** Else the browser learns of each file from the one that imports it, one after the other. */
function preloadLinks(files: readonly string[]): string {
  return files.map((file) => `<link rel="modulepreload" href="${file}" />`).join('')
}

/** Places within the page are opened by browsers; the service's own paths are never one. */
function wantsPage({ headers }: FastifyRequest, path: string): boolean {
  if (path.startsWith('/api/') || path.startsWith('/assets/')) return false
  return (headers.accept ?? '').includes('text/html')
}

function acceptsEncoding(accepted: string, name: string): boolean {
  return accepted.split(',').some((part) => {
    const [encoding, quality = ''] = part.trim().split(';')
    return encoding === name && !/^\s*q=0(\.0*)?$/.test(quality)
  })
}

function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}
