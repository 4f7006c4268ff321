// Where the values of names are while a script runs: one frame for each call of a function, one for
// each file's top level. Which place a name has was settled when the script was compiled.

import type { CallSite, FluxValue } from '../value/value.js'
import type { Run } from './run.js'

export class Frame {
  /** undefined: not assigned yet. */
  readonly slots: (FluxValue | undefined)[]
  readonly parent: Frame | undefined
  readonly run: Run
  /** The innermost call in the text of the script itself that led here; library code has no places to show. */
  readonly site: CallSite | undefined

  constructor(size: number, parent: Frame | undefined, run: Run, site: CallSite | undefined) {
    this.slots = new Array(size)
    this.parent = parent
    this.run = run
    this.site = site
  }
}
