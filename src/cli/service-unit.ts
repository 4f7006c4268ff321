// `millrace service install`: prints a unit for systemd with the flags that follow, and what to do with it. It prints
// and changes nothing: whoever runs the machine looks at it first.

import { parseFlags, serveFlags } from '../config.js'
import { judgeArguments, UsageError } from './arguments.js'

export function serviceText(args: readonly string[], program: readonly string[]): string {
  const [action, ...flags] = args
  if (action !== 'install') throw new UsageError('service: what to do is missing, one of install')
  const given = judgeArguments(() => parseFlags(flags, serveFlags))
  const folder = given.has('data-dir') ? [] : ['--data-dir', '/var/lib/millrace']
  const command = [...program, 'serve', ...folder, ...flags].map(quoted).join(' ')
  return `# millrace service install > /etc/systemd/system/millrace.service
# useradd --system --home-dir /var/lib/millrace --shell /usr/sbin/nologin millrace
# systemctl daemon-reload && systemctl enable --now millrace
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
CacheDirectory=millrace
ExecStart=${command}
Restart=on-failure
TimeoutStartSec=600
TimeoutStopSec=120
LimitNOFILE=65536
NoNewPrivileges=true
PrivateTmp=true
ProtectHome=true
ProtectSystem=strict
ReadWritePaths=/var/lib/millrace

[Install]
WantedBy=multi-user.target
`
}

/** As systemd reads a command line. */
function quoted(word: string): string {
  const escaped = word.replaceAll('%', '%%').replaceAll('$', '$$$$')
  return /^[\w@%+=:,./$-]+$/.test(escaped) ? escaped : `"${escaped.replace(/["\\]/g, '\\$&')}"`
}
