// The sources as tests run them: compiled once a run, each to a file of its own, and loaded by Node like a dependency.
// Vitest's own way of loading takes ten times as long, and each process with a thousand modules pays for it. A plugin
// of Vitest; test files, and what lies in `test/`, go its own way.
//
// `import.meta.url` stays that of the source, so that the program knows that it has no workers beside it.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type { Plugin } from 'vitest/config'
import { compileKernels, moduleText } from '../scripts/kernels.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const sources = `${root}src/`

/** Those with DuckDB in them, which are started as processes. */
const programs = {
  'sql-engine': `${sources}sql/engine/sql-engine.ts`,
  'parquet-reader': `${sources}sql/parquet/parquet-reader.ts`,
}

export function compiledSources(): Plugin {
  let compiled: Promise<string> | undefined
  return {
    name: 'compiled-sources',
    // Vite would find the source.
    enforce: 'pre',
    async resolveId(path, importer) {
      if (importer === undefined || !/^\..*\.js$/.test(path)) return undefined
      const source = resolve(dirname(importer), path)
      if (!source.startsWith(sources) || source.endsWith('.test.js')) return undefined
      compiled ??= compile()
      return `${await compiled}${relative(root, source)}`
    },
  }
}

function isCompiled(path: string): boolean {
  return path.endsWith('.ts') && !/\.(test|d)\.ts$|\/kernels\//.test(path)
}

/** Gives the folder: under node_modules, where dependencies are found and Vitest leaves what it loads to Node. */
async function compile(): Promise<string> {
  const folder = `${mkdtempSync(`${root}node_modules/.sources-`)}/`
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(`${folder}package.json`, '{ "type": "module" }')
  await build({
    entryPoints: programs,
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
  const paths = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  const { outputFiles } = await build({
    entryPoints: paths.filter(isCompiled).map((path) => sources + path),
    outdir: folder,
    outbase: root,
    sourcemap: 'inline',
    sourcesContent: false,
    write: false,
  })
  for (const { path, text } of outputFiles) write(path, asModule(text, path, folder))
  for (const path of paths) {
    const [text, module] = [`${sources}${path}`, `${folder}src/${path}`]
    if (path.endsWith('.flux')) {
      write(`${module}.js`, `export default ${JSON.stringify(readFileSync(text, 'utf8'))}`)
    }
    if (basename(path) === 'kernels') {
      write(`${module}.wasm.js`, moduleText(await compileKernels(text)))
    }
  }
  return folder
}

/** `path` as the bundler has written it. */
function asModule(text: string, path: string, folder: string): string {
  const source = `${root}${relative(folder, path).replace(/\.js$/, '.ts')}`
  return text
    .replace(/ from "([^"]+\.(flux|wasm))"/g, ' from "$1.js"')
    .replace(
      /new URL\("\.\/(sql-engine|parquet-reader)\.js", import\.meta\.url\)/g,
      `new URL("${pathToFileURL(folder).href}$1.js")`,
    )
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(source).href))
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
