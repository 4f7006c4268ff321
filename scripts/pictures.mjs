// Pictures of every page of the web UI, as its journeys come by: light, dark, and as a phone shows it. All of them go
// into `pictures/`, those that the documents show also into `docs/pictures/`. Needs a build and a browser.

import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = join(root, 'pictures')

/** Names in the documents, and the pictures that they are. */
const shown = {
  explore: 'explore-light',
  dashboard: 'dashboard-light',
  'dashboard-dark': 'dashboard-dark',
  alerts: 'alerts-trial-light',
  status: 'status-light',
  phone: 'dashboard-phone',
}

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const { status } = spawnSync(process.execPath, [vitest, 'run', 'test/ui', '--maxWorkers=1'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, MILLRACE_SCREENSHOTS: folder },
})
const taken = readdirSync(folder)
for (const [name, picture] of Object.entries(shown)) {
  const from = join(folder, `${picture}.png`)
  if (existsSync(from)) copyFileSync(from, join(root, `docs/pictures/${name}.png`))
  else process.stdout.write(`there is no ${picture}: docs/pictures/${name}.png stays as it is\n`)
}
process.stdout.write(`${taken.length} pictures in ${folder}\n`)
process.exitCode = taken.length === 0 ? 1 : (status ?? 1)
