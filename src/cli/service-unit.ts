// `millrace service install`: prints a unit for systemd with the flags that follow, and what to do with it. It prints
// and changes nothing: whoever runs the machine looks at it first.

import { type Flags, parseFlags, serveFlags } from '../config.js'
import { judgeArguments, UsageError } from './arguments.js'

const stateFolder = '/var/lib/millrace'
/** Flags that name folders which are written to. */
const writtenFlags = ['data-dir', 'wal-archive', 'flux-sqlite-dir']

export function serviceText(args: readonly string[], program: readonly string[]): string {
  const [action, ...flags] = args
  if (action !== 'install') throw new UsageError('service: what to do is missing, one of install')
  const given = judgeArguments(() => parseFlags(flags, serveFlags))
  const folder = given.has('data-dir') ? [] : ['--data-dir', stateFolder]
  const command = [...program, 'serve', ...folder, ...flags]
  const written = writtenFolders(given)
  const own = written.filter((path) => path !== stateFolder).map(quoted)
  const made = own.length === 0 ? '' : `# install -d -o millrace -g millrace ${own.join(' ')}\n`
  return `# millrace service install > /etc/systemd/system/millrace.service
# useradd --system --home-dir /var/lib/millrace --shell /usr/sbin/nologin millrace
${made}# systemctl daemon-reload && systemctl enable --now millrace
[Unit]
Description=Millrace, a time series data service
After=network-online.target
Wants=network-online.target

[Service]
# Ready is told by systemd-notify, which the program starts: Node has no sockets of that kind.
Type=notify
NotifyAccess=all
User=millrace
Group=millrace
StateDirectory=millrace
ExecStart=${command.map(quoted).join(' ')}
Restart=on-failure
TimeoutStartSec=600
TimeoutStopSec=120
LimitNOFILE=65536
# glibc gives memory back that queries have used: it keeps up to 64 MB in each of its arenas otherwise.
Environment=MALLOC_TRIM_THRESHOLD_=131072
NoNewPrivileges=true
PrivateTmp=true
ProtectHome=${command.some(isHome) ? 'read-only' : 'true'}
ProtectSystem=strict
ReadWritePaths=${written.map(quoted).join(' ')}

[Install]
WantedBy=multi-user.target
`
}

/** What the service writes to: everything else is read-only for it. */
function writtenFolders(given: Flags): string[] {
  const folders = writtenFlags.flatMap((flag) => {
    const path = given.get(flag)
    if (path === undefined) return []
    if (path.startsWith('/')) return [path]
    throw new UsageError(`flag --${flag}: "${path}" must begin with /: a service is in no folder`)
  })
  return given.has('data-dir') ? folders : [stateFolder, ...folders]
}

/** Hidden from services unless somebody says otherwise; a program or a folder may lie there. */
function isHome(word: string): boolean {
  return /^(--[\w-]+=)?\/(home|root|run\/user)\//.test(word)
}

/** As systemd reads a command line. */
function quoted(word: string): string {
  const escaped = word.replaceAll('%', '%%').replaceAll('$', '$$$$')
  return /^[\w@%+=:,./$-]+$/.test(escaped) ? escaped : `"${escaped.replace(/["\\]/g, '\\$&')}"`
}
