// The types of the parameters that a script reads as `params.name`, as far as the script tells them: it is inferred as
// the body of a function with one parameter, whose type then has a field for each.

import type { File, FunctionExpression, Statement } from '../syntax/ast.js'
import { checkScript } from './check.js'
import type { TypeLibrary } from './library.js'
import { labelOf, type ParameterTerm, resolve, rowOf } from './terms.js'

/** What the interface has names for; of anything else it is said that any value will do. */
const named = new Set(['bool', 'duration', 'float', 'int', 'string', 'time', 'uint'])

const functionName = 'script'

/** Parameter → its type. Those whose type is open are left out. */
export function parameterTypes(file: File, library: TypeLibrary): ReadonlyMap<string, string> {
  const { names } = checkScript(asFunction(file), library)
  const type = names.get(functionName)?.type
  const made = type === undefined ? undefined : resolve(type)
  const types = new Map<string, string>()
  if (made?.kind !== 'function') return types
  for (const [name, found] of fieldsOf(made.required)) {
    const inner = resolve(found)
    if (inner.kind === 'basic' && named.has(inner.name)) types.set(name, inner.name)
  }
  return types
}

function fieldsOf([params]: readonly ParameterTerm[]) {
  const record = resolve(params.type)
  if (record.kind !== 'record') return []
  return rowOf(record).fields.flatMap((field) => {
    const label = labelOf(field)
    return typeof label === 'string' ? [[label, field.type] as const] : []
  })
}

function asFunction(file: File): File {
  const { location } = file
  const identifier = (name: string) => ({ type: 'Identifier', location, name }) as const
  const zero = { type: 'IntegerLiteral', location, value: '0' } as const
  const init: FunctionExpression = {
    type: 'FunctionExpression',
    location,
    params: [{ type: 'Property', location, key: identifier('params'), value: null }],
    body: {
      type: 'Block',
      location,
      body: [...file.body.flatMap(insideOf), { type: 'ReturnStatement', location, argument: zero }],
    },
  }
  const id = identifier(functionName)
  return { ...file, body: [{ type: 'VariableAssignment', location, id, init }] }
}

/** Options stand at the top only: inside they are variables. */
function insideOf(statement: Statement): readonly Statement[] {
  if (statement.type !== 'OptionStatement') return [statement]
  const { assignment } = statement
  return assignment.type === 'VariableAssignment' ? [assignment] : []
}
