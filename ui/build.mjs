// Builds dist/ui: the page's modules with hashed names, each also packed with brotli and gzip, and `manifest.json`, which
// names every file that the service may hand out. Skipped while nothing that goes into it has changed. Fails where the
// page has become heavier than its budget.

import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'esbuild'
import { thirdPartyText } from '../scripts/third-party.mjs'
import { firstInOnePiece, kitFiles, parserParts, reactModules } from './build-plugins.mjs'

const folder = dirname(fileURLToPath(import.meta.url))
const root = dirname(folder)
const out = join(root, 'dist/ui')

/**
 * Packed bytes: what the browser loads before the first page shows, what the explorer takes on top (page, editor,
 * chart), and everything there is. Ten percent above these fail.
 */
const budgets = {
  firstScriptGzip: 200_000,
  styleGzip: 30_000,
  explorerGzip: 220_000,
  everythingBrotli: 700_000,
}
const explorerFiles = ['explore/explore-page.tsx', 'editor/editor.tsx', 'chart/graph.tsx']

const explorer = ['explore/explore-page.tsx']
const clusterPage = 'cluster-pages.tsx'

/** The modules of pages by where they stand: the longest of these beginnings that a path has counts. */
const places = {
  managed: {
    '/': explorer,
    '/explore': explorer,
    '/dashboards': ['dashboards/dashboards-page.tsx'],
    '/dashboards/': ['dashboards/dashboard-page.tsx', 'chart/graph.tsx'],
    '/alerts': ['alerts/alerts-page.tsx'],
    '/alerts/checks/': ['alerts/check-page.tsx'],
    '/tasks': ['tasks/tasks-page.tsx'],
    '/tasks/': ['tasks/task-page.tsx'],
    '/data': ['data/data-page.tsx'],
    '/data/': ['data/bucket-page.tsx'],
    '/access': ['access/access-page.tsx'],
    '/settings': ['settings/settings-page.tsx'],
    '/status': ['status/status-page.tsx'],
  },
  cluster: {
    '/': [clusterPage, ...explorer],
    '/databases': [clusterPage],
    '/tokens': [clusterPage],
    '/status': [clusterPage, 'status/status-page.tsx'],
  },
}

const types = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

export async function buildUi() {
  const source = sourceHash()
  if (builtFrom() === source) return
  rmSync(out, { recursive: true, force: true })
  mkdirSync(join(out, 'assets'), { recursive: true })
  const worker = await bundle({ 'query-worker': 'src/query/worker.ts' }, {})
  const workerFile = Object.keys(worker.outputs).find((name) => name.endsWith('.js'))
  // No module: these wait until the page is read, and for each other.
  const begin = await bundle({ begin: 'src/begin.ts' }, { format: 'iife' })
  const beginFile = Object.keys(begin.outputs).find((name) => name.endsWith('.js'))
  const page = await bundle(
    { main: 'src/main.tsx' },
    {
      splitting: true,
      define: { ...defined, QUERY_WORKER_FILE: JSON.stringify(relative(workerFile)) },
      plugins: [...plugins, firstInOnePiece],
    },
  )
  const icon = writeHashed('icon', 'svg', readFileSync(join(folder, 'icon.svg')))
  const files = []
  for (const name of readdirSync(join(out, 'assets')).sort())
    files.push(await pack(`assets/${name}`))
  const entry = Object.entries(page.outputs).find(([, { entryPoint }]) =>
    entryPoint?.endsWith('src/main.tsx'),
  )
  const [script, { cssBundle }] = entry
  checkBudgets(page, script, relative(cssBundle), files)
  const index = readFileSync(join(folder, 'index.html'), 'utf8')
    .replace('{{begin}}', relative(beginFile))
    .replace('{{script}}', relative(script))
    .replace('{{style}}', relative(cssBundle))
    .replace('{{icon}}', icon)
  const listed = files.map(({ path, type, encodings }) => ({ path, type, encodings }))
  const inputs = [worker, begin, page].flatMap((each) => Object.keys(each.inputs))
  writeFileSync(join(out, 'third-party.txt'), thirdPartyText(inputs))
  writeFileSync(
    join(out, 'manifest.json'),
    JSON.stringify({ source, files: listed, index, pages: pageFiles(page, script) }),
  )
}

const defined = { 'process.env.NODE_ENV': '"production"' }
const plugins = [kitFiles, reactModules, parserParts]

async function bundle(entryPoints, options) {
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints,
    outdir: out,
    entryNames: 'assets/[name]-[hash]',
    chunkNames: 'assets/[name]-[hash]',
    assetNames: 'assets/[name]-[hash]',
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    minify: true,
    metafile: true,
    legalComments: 'none',
    define: defined,
    plugins,
    inject: [join(folder, 'src/query/buffer.ts')],
    logLevel: 'warning',
    ...options,
  })
  return metafile
}

function relative(path) {
  return path.replace(/^.*dist\/ui\//, '')
}

function writeHashed(name, ending, bytes) {
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 8).toUpperCase()
  const path = `assets/${name}-${hash}.${ending}`
  writeFileSync(join(out, path), bytes)
  return path
}

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

async function pack(path) {
  const bytes = readFileSync(join(out, path))
  // Level 9 packs within a few percent of 11 in a tenth of its time.
  const [br, gz] = await Promise.all([
    compressBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    compressGzip(bytes, { level: 9 }),
  ])
  writeFileSync(join(out, `${path}.br`), br)
  writeFileSync(join(out, `${path}.gz`), gz)
  const type = types[path.split('.').at(-1)]
  return { path, type, encodings: ['br', 'gzip'], brotli: br.length, gzip: gz.length }
}

/** What each place of the page loads before it shows, all of which `index.html` names at once. */
function pageFiles(metafile, script) {
  const filesOf = (names) =>
    [...withImports(metafile, [script, ...names.map((name) => entryFile(metafile, name))])]
      .filter((path) => path !== script)
      .map(relative)
  return Object.fromEntries(
    Object.entries(places).map(([variant, pages]) => [
      variant,
      Object.fromEntries(Object.entries(pages).map(([place, names]) => [place, filesOf(names)])),
    ]),
  )
}

function entryFile(metafile, name) {
  const found = Object.keys(metafile.outputs).find((path) =>
    metafile.outputs[path].entryPoint?.endsWith(`src/${name}`),
  )
  if (found === undefined) throw new Error(`${name} is no page`)
  return found
}

function checkBudgets(metafile, script, style, files) {
  const sizes = new Map(files.map((file) => [file.path, file]))
  const gzipOf = (paths) => paths.reduce((sum, path) => sum + sizes.get(relative(path)).gzip, 0)
  const first = withImports(metafile, [script])
  const entries = explorerFiles.map((name) => entryFile(metafile, name))
  const explorer = [...withImports(metafile, entries)].filter((path) => !first.has(path))
  const found = {
    firstScriptGzip: gzipOf([...first]),
    styleGzip: sizes.get(style).gzip,
    explorerGzip: gzipOf(explorer),
    everythingBrotli: files.reduce((sum, file) => sum + file.brotli, 0),
  }
  const told = Object.entries(found).map(
    ([name, bytes]) => `${name} ${Math.round(bytes / 1000)} kB`,
  )
  process.stdout.write(`ui: ${told.join(', ')}\n`)
  for (const [name, bytes] of Object.entries(found)) {
    if (bytes > budgets[name] * 1.1)
      throw new Error(`${name}: ${bytes} bytes, budget ${budgets[name]}`)
  }
}

/** With all that they import before they run. */
function withImports(metafile, paths) {
  const all = new Set(paths)
  // A set hands out what is added to it while it is walked.
  for (const path of all) {
    for (const { path: imported, kind } of metafile.outputs[path].imports) {
      if (kind === 'import-statement') all.add(imported)
    }
  }
  return all
}

/** Of everything that goes into the build. */
function sourceHash() {
  const hash = createHash('sha256')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('node_modules'))
  for (const path of [...names.sort(), ...parserFiles(), join(root, 'package-lock.json')]) {
    hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0')
  }
  return hash.digest('hex')
}

/** What of the program goes into the page. */
function parserFiles() {
  return ['influxql/syntax', 'flux/syntax', 'line-protocol', 'column', 'query'].flatMap((name) => {
    const parsers = join(root, 'src', name)
    return readdirSync(parsers)
      .filter((file) => file.endsWith('.ts'))
      .sort()
      .map((file) => join(parsers, file))
  })
}

function builtFrom() {
  try {
    return JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).source
  } catch {
    return undefined
  }
}
