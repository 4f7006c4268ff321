// `npm run try-package`: packs the program, installs it into an empty folder as somebody would who found it in npm's
// registry, tells what that takes on the disk, and starts it there with `npx millrace`. Fails where the installation is
// too large, or where one of the three languages does not find the point that was written. Needs a registry.

import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const megabytesMax = 120
const folder = mkdtempSync(join(tmpdir(), 'millrace-try-'))
const run = (command, args, cwd = folder) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

try {
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], process.cwd())
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  run('npm', ['init', '--yes'])
  run('npm', ['install', '--no-audit', '--no-fund', `./${archive}`])
  rmSync(join(folder, archive))
  const megabytes = Number(run('du', ['-sm', 'node_modules']).split('\t')[0])
  process.stdout.write(`installed: ${megabytes} MB of ${megabytesMax}\n`)
  if (megabytes > megabytesMax) throw new Error('the installation is too large')
  await tryServer()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function tryServer() {
  // A process group of its own: npx starts a shell, which starts the program.
  const child = spawn('npx', ['--no-install', 'millrace'], {
    cwd: folder,
    detached: true,
    env: { ...process.env, MILLRACE_HTTP_ADDRESS: '127.0.0.1:0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await askAll(await listening(child))
    if (!readdirSync(folder).includes('millrace-data')) throw new Error('no ./millrace-data')
    process.stdout.write('npx millrace serves in ./millrace-data; three languages find a point\n')
  } finally {
    const ended = new Promise((resolve) => child.once('close', resolve))
    process.kill(-child.pid, 'SIGTERM')
    await ended
  }
}

function listening(child) {
  let said = ''
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => {
      said += text
      const found = /Listening on (http:\S+)\n/.exec(said)
      if (found !== null) resolve(found[1])
    })
    child.once('close', (code) => reject(new Error(`ended with ${code}: ${said}`)))
  })
}

async function askAll(url) {
  const setup = { username: 'u', org: 'o', bucket: 'b' }
  const { auth } = JSON.parse(await ask(`${url}/api/v2/setup`, JSON.stringify(setup)))
  const headers = { authorization: `Token ${auth.token}` }
  await ask(`${url}/api/v2/write?org=o&bucket=b`, 'm,host=web1 f=1.5', headers)
  const flux = { ...headers, 'content-type': 'application/vnd.flux' }
  const answers = [
    await ask(`${url}/query?db=b&q=SELECT+f+FROM+m`, '', headers),
    await ask(`${url}/api/v2/query?org=o`, 'from(bucket: "b") |> range(start: -1h)', flux),
    await ask(`${url}/api/v3/query_sql`, '{"db": "b", "q": "SELECT f FROM m"}', headers),
  ]
  for (const answer of answers) if (!answer.includes('1.5')) throw new Error(answer)
}

async function ask(url, body, headers = {}) {
  const answer = await fetch(url, { method: 'POST', body, headers })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`)
  return text
}
