// The unit for systemd, judged by systemd's own programs: `systemd-analyze` reads it, and `systemd-notify`, which the
// service starts, reaches whoever waits on the socket that `Type=notify` gives it.

import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const program = new URL('../../dist/main.js', import.meta.url).pathname
const has = (command: string) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0

function temporaryFolder(): string {
  const folder = mkdtempSync(`${tmpdir()}/millrace-unit-`)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

it.skipIf(!has('systemd-analyze'))('prints a unit that systemd can read', () => {
  const args = [program, 'service', 'install', '--http-address', ':8086', '--udp-bucket', 'a b']
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(status).toBe(0)
  expect(stdout).toContain('Type=notify\n')
  const file = join(temporaryFolder(), 'millrace.service')
  writeFileSync(file, stdout)
  const judged = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
  const about = judged.stderr.split('\n').filter((line) => line.includes('millrace.service'))
  // The user is made by whoever installs it.
  expect(about.filter((line) => !/user|Failed to resolve/i.test(line))).toEqual([])
})

/** Node has no datagrams over Unix sockets. */
const listener = `import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print('bound', flush=True)
while True:
    data = s.recv(4096).decode()
    print(data, flush=True)
    if 'READY=1' in data: break
`

it.skipIf(!has('systemd-notify') || !has('python3'))('tells systemd when it serves', async () => {
  const socket = join(temporaryFolder(), 'notify')
  const python = spawn('python3', ['-c', listener, socket], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void python.kill('SIGKILL'))
  let heard = ''
  python.stdout.on('data', (text) => (heard += text))
  await expect.poll(() => heard, { timeout: 10_000 }).toContain('bound')
  const args = [program, 'serve', '--memory', '--http-address', '127.0.0.1:0']
  const environment = { ...process.env, NOTIFY_SOCKET: socket }
  const server = spawn(process.execPath, args, { env: environment, stdio: 'ignore' })
  onTestFinished(() => void server.kill('SIGKILL'))
  await expect.poll(() => heard, { timeout: 20_000 }).toContain('READY=1')
})
