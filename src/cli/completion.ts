// Completion for shells: `millrace completion bash|zsh|fish` prints a script that knows every command, its actions and
// its flags. Values of flags are completed as names of files.

import { UsageError } from './arguments.js'
import { commandTable } from './command-table.js'

export function completionText(shell: string | undefined): string {
  if (shell === 'bash') return bash()
  if (shell === 'zsh')
    return `#compdef millrace\nautoload -U +X bashcompinit && bashcompinit\n${bash()}`
  if (shell === 'fish') return fish()
  throw new UsageError('completion: which shell? One of bash, zsh, fish')
}

function bash(): string {
  const names = commandTable.map(({ name }) => name).join(' ')
  const cases = commandTable.map(({ name, words, flags }) => {
    const all = [...words, ...flags.map(({ flag }) => `--${flag}`)].join(' ')
    return `    ${name}) words='${all}' ;;\n`
  })
  return `_millrace() {
  local words='' current="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${names}' -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('')}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _millrace millrace
`
}

function fish(): string {
  const lines = commandTable.flatMap(({ name, summary, words, flags }) => {
    const inside = `-n '__fish_seen_subcommand_from ${name}'`
    return [
      `complete -c millrace -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
      ...words.map((word) => `complete -c millrace ${inside} -f -a ${word}`),
      ...flags.map(({ flag, placeholder, help }) => {
        const value = placeholder === '' ? '' : ' -r'
        return `complete -c millrace ${inside} -l ${flag}${value} -d ${quoted(help)}`
      }),
    ]
  })
  return `${lines.join('\n')}\n`
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
