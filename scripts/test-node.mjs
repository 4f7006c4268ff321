// `npm run test:node -- 22 [files]`: the suite, or some of it, on another version of Node. The binary is that of npm's
// package `node` for this machine, fetched once beside the installed packages: a test starts the program as another
// user, who reaches the project but not somebody's home. Native packages have one binary for all versions. Whatever
// starts `node` in a test finds the same one. Needs a build, and the first time a registry.

import { execFileSync, spawn } from 'node:child_process'
import { delimiter, dirname } from 'node:path'
import { fetchPackages, nodeIn, nodePackage } from './fetched-packages.mjs'

const [version, ...files] = process.argv.slice(2)
if (!/^\d+(\.\d+\.\d+)?$/.test(version ?? '')) {
  process.stderr.write('Which version of Node? npm run test:node -- 22 [files]\n')
  process.exit(2)
}

const node = nodeIn(fetchPackages(`node/${version}`, [`${nodePackage}@${version}`]))
const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` }
const told = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
process.stdout.write(`Node ${told}\n`)
const child = spawn(node, ['node_modules/vitest/vitest.mjs', 'run', ...files], {
  env,
  stdio: 'inherit',
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
child.on('exit', (code) => process.exit(code ?? 1))
