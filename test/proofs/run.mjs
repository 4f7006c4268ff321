// Proofs that take as long as one lets them: `npm run torture -- --kills 200`, `npm run soak -- --minutes 30`,
// `npm run fuzz -- --minutes 20 --only NAME`, `npm run simulate -- --minutes 20`, `npm run churn -- --days 30`,
// `npm run faults -- --seconds 60` (or `--minutes`).
// Each prints what it did and ends with 1 where something was wrong. Bundled first, as the benchmarks are.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { kernelsPlugin } from '../../scripts/kernels.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const [name, ...args] = process.argv.slice(2)
const { values } = parseArgs({
  args,
  options: {
    kills: { type: 'string', default: '20' },
    minutes: { type: 'string', default: '2' },
    seconds: { type: 'string' },
    days: { type: 'string', default: '30' },
    series: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string' },
  },
})
const options = {
  kills: Number(values.kills),
  minutes: values.seconds === undefined ? Number(values.minutes) : Number(values.seconds) / 60,
  days: Number(values.days),
  series: Number(values.series),
  seed: Number(values.seed),
  only: values.only,
  tell: (text) => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`),
}

const folder = mkdtempSync(`${here}../../node_modules/.proof-`)
try {
  await build({
    entryPoints: { proof: `${here}${name}.ts` },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    loader: { '.flux': 'text' },
    plugins: [kernelsPlugin],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
  await build({
    entryPoints: { 'sql-engine': `${here}../../src/sql/engine/sql-engine.ts` },
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
  writeFileSync(`${folder}/package.json`, '{ "type": "module" }')
  const proof = await import(pathToFileURL(`${folder}/proof.mjs`).href)
  options.tell(`${name} with --seed ${options.seed}`)
  const report = await proof[name](options)
  console.dir(report, { depth: null })
  if (report.wrong?.length > 0) process.exitCode = 1
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
