// What is made of the table of commands, judged by those who read it: bash, and a unit's command line.
// A flag that is added to a command has to appear in completion and man page by itself.

import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { options } from '../config.js'
import { commandTable } from './command-table.js'
import { completionText } from './completion.js'
import { helpText } from './help.js'
import { manPage } from './man-page.js'
import { serviceText } from './service-unit.js'

function completed(...words: string[]): string[] {
  const array = words.map((word) => `'${word}'`).join(' ')
  const script = `${completionText('bash')}
COMP_WORDS=(${array}); COMP_CWORD=${words.length - 1}; _millrace; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr, status } = spawnSync('bash', ['-c', script], { encoding: 'utf8' })
  expect([stderr, status]).toEqual(['', 0])
  return stdout.split('\n').filter((line) => line !== '')
}

it('completes commands, actions and flags in bash', () => {
  expect(completed('millrace', 'mi')).toEqual(['migrate'])
  expect(completed('millrace', 'token', 're')).toEqual(['revoke'])
  expect(completed('millrace', 'serve', '--udp')).toContain('--udp-address')
})

it('knows every flag in every form', () => {
  const page = manPage()
  for (const { flag } of options) {
    expect(page).toContain(`\\-\\-${flag.replaceAll('-', '\\-')} `)
    expect(completionText('fish')).toContain(` -l ${flag} `)
  }
  const overview = helpText(undefined)
  for (const { name } of commandTable) {
    if (name !== 'help') expect(overview).toContain(`millrace ${name}`)
  }
  expect(completionText('zsh')).toMatch(/^#compdef millrace\n/)
  expect(() => completionText('tcsh')).toThrow('bash, zsh, fish')
})

it('prints a unit with the flags that it was given', () => {
  const unit = serviceText(
    ['install', '--http-address', ':8086', '--udp-bucket', 'a b%'],
    ['/usr/bin/node', '/m.js'],
  )
  expect(unit).toContain('Type=notify\n')
  expect(unit).toContain(
    'ExecStart=/usr/bin/node /m.js serve --data-dir /var/lib/millrace --http-address :8086 --udp-bucket "a b%%"\n',
  )
  expect(unit).toContain('ReadWritePaths=/var/lib/millrace\n')
  expect(unit).toContain('ProtectHome=true\n')
  const own = ['--data-dir=/srv/m', '--wal-archive', '/mnt/logs']
  const other = serviceText(['install', ...own], ['/home/me/bin/node', '/m.js'])
  expect(other).toContain('ReadWritePaths=/srv/m /mnt/logs\n')
  expect(other).toContain('# install -d -o millrace -g millrace /srv/m /mnt/logs\n')
  expect(other).toContain('ProtectHome=read-only\n')
  expect(() => serviceText(['install', '--data-dir', 'here'], [])).toThrow('must begin with /')
  expect(() => serviceText(['install', '--nonsense'], [])).toThrow('unknown flag --nonsense')
  expect(() => serviceText([], [])).toThrow('install')
})
