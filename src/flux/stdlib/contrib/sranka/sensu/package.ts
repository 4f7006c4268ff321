// The package `contrib/sranka/sensu`: events for Sensu Go, whose names have but few characters.
// The entity is a proxy: nothing runs there that Sensu knows.

import { type Definitions, native } from '../../../../package/define.js'

export const sensuBuiltins: Definitions = {
  toSensuName: native('(v: string) => string', (call) => sensuName(call.string('v'))),
}

function sensuName(text: string): string {
  return text === '' ? '_' : text.replace(/[^\w.-]/gu, '_')
}
