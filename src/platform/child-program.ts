// A program of ours in a process of its own, for work that may take more memory than it should or crash: the
// kernel bounds what it takes, it gets nothing of this process's environment, and it is the first that a machine
// without memory ends. It writes no files, and has no network where the kernel can take it away. It has two channels:
// one for both directions, and one that it only reads. It ends with this process: the kernel sees to that where it
// can, and a program that finds its channel closed must end itself.

import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { codeRangeBytes } from './code-range.js'
import { lowerProcessPriority } from './thread-priority.js'

/** What the program finds its channels under. */
export const controlDescriptor = 3
export const inputDescriptor = 4

export interface ProgramBounds {
  /** Of everything that the process may write to and shares with nobody; 0: as much as there is. */
  readonly dataBytesMax: number
  /** Of its JavaScript. */
  readonly heapMegabytesMax: number
}

export interface ProgramEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The last that it said, if it said anything. */
  readonly said: string
}

const saidLengthMax = 4096

/**
 * `ulimit -d` counts private writable memory: malloc's, the stacks of threads, and V8's as far as it is used, but for
 * the room that it reserves for code (`code-range.ts`), which is added.
 * Address space (`-v`) would count what V8 only reserves. Where there is no such limit, the program starts without.
 * `-f 0`: no byte goes into any file. A network namespace of its own has nothing in it; who may not make one by right
 * may in a user namespace, where the machine allows these. A program that hangs or is stopped does not see its
 * channel's end; Linux's `setpriv` lets the kernel end it.
 */
const boundedStart = `{ [ "$1" = 0 ] || ulimit -d "$1"; echo 1000 >/proc/self/oom_score_adj
ulimit -c 0; ulimit -f 0; } 2>/dev/null; shift
ends='setpriv --no-new-privs --pdeathsig KILL'
$ends true 2>/dev/null && set -- $ends "$@"
for alone in 'unshare --net' 'unshare --map-root-user --net'; do
  $alone true 2>/dev/null && exec $alone "$@"
done
exec "$@"`

export class ChildProgram {
  readonly control: Socket
  readonly input: Socket
  /** Resolves once it is gone, also where it could not be started. */
  readonly ended: Promise<ProgramEnd>
  readonly #child: ChildProcess
  readonly #handles: readonly { ref(): void; unref(): void }[]
  #said = ''

  /** Does not keep this process alive unless it is held. */
  constructor(program: URL, args: readonly string[], bounds: ProgramBounds) {
    const { dataBytesMax, heapMegabytesMax } = bounds
    const heap = [`--max-old-space-size=${heapMegabytesMax}`, '--max-semi-space-size=2']
    const node = [process.execPath, ...heap, '--v8-pool-size=1', fileURLToPath(program), ...args]
    const counted = dataBytesMax === 0 ? 0 : dataBytesMax + codeRangeBytes()
    const [command, ...rest] =
      process.platform !== 'win32'
        ? ['/bin/sh', '-c', boundedStart, 'sh', String(Math.ceil(counted / 1024)), ...node]
        : node
    this.#child = spawn(command, rest, {
      env: {},
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
      windowsHide: true,
    })
    lowerProcessPriority(this.#child.pid)
    const { stdio, stderr } = this.#child
    this.control = stdio[controlDescriptor] as Socket
    this.input = stdio[inputDescriptor] as Socket
    stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-saidLengthMax)
    })
    this.ended = this.#end()
    // What is written to a process that is gone fails there; its end tells why.
    for (const socket of [this.control, this.input]) socket.on('error', () => undefined)
    this.#handles = [this.#child, this.control, this.input, stderr as Socket]
    this.hold(false)
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Whether this process stays for it. */
  hold(isHeld: boolean): void {
    for (const each of this.#handles) isHeld ? each.ref() : each.unref()
  }

  kill(): void {
    // Who waits for its end gets to see it.
    this.hold(true)
    this.#child.kill('SIGKILL')
  }

  #end(): Promise<ProgramEnd> {
    return new Promise((resolve) => {
      this.#child.on('error', (error) => {
        if (this.pid === undefined) resolve({ code: null, signal: null, said: error.message })
      })
      // Behind 'exit', when everything that it said has been read.
      this.#child.on('close', (code, signal) => resolve({ code, signal, said: this.#said }))
    })
  }
}
