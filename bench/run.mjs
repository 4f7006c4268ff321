// Runs the benchmarks, each in a process of its own, and prints their figures: `npm run bench [-- name ...]`.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { buildJobThread } from '../scripts/job-thread.mjs'
import { kernelsPlugin } from '../scripts/kernels.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const [only, compiled] =
  process.argv[2] === '--compiled' ? [[], process.argv[3]] : [process.argv.slice(2)]

if (compiled !== undefined) {
  const { run } = await import(pathToFileURL(compiled).href)
  const { name, figures, check } = await run('large')
  const texts = Object.entries(figures).map(([figure, value]) => {
    const text = value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)
    return `  ${figure.padEnd(36)} ${text}`
  })
  console.log(`${name} (${check})\n${texts.join('\n')}`)
} else {
  const names = readdirSync(here)
    .filter((file) => file.endsWith('.bench.ts'))
    .map((file) => file.replace('.bench.ts', ''))
    .filter((name) => only.length === 0 || only.includes(name))
  const folder = mkdtempSync(`${here}../node_modules/.bench-`)
  try {
    await build({
      entryPoints: [
        ...names.map((name) => `${here}${name}.bench.ts`),
        `${here}load-client.mjs`,
        `${here}overload-client.mjs`,
      ],
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      loader: { '.flux': 'text' },
      plugins: [kernelsPlugin],
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
    })
    // Beside them, where `engines.ts` looks for it.
    await build({
      entryPoints: { 'sql-engine': `${here}../src/sql/engine/sql-engine.ts` },
      outdir: folder,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
    })
    await buildJobThread(folder)
    writeFileSync(`${folder}/package.json`, '{ "type": "module" }')
    for (const name of names) {
      const file = `${folder}/${name}.bench.mjs`
      execFileSync(process.execPath, [fileURLToPath(import.meta.url), '--compiled', file], {
        stdio: 'inherit',
      })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
