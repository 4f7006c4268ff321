// What the language itself relies on: true and false, the moment of the query, and `yield`, which names
// a result and lets its tables pass.

import { constant, type Definitions, native, transformation } from '../../package/define.js'
import { Time } from '../../value/value.js'

export const core: Definitions = {
  true: constant('bool', true),
  false: constant('bool', false),
  _queryTime: native('() => time', ({ context }) => new Time(context.scope.now)),
  yield: transformation(
    '(<-tables: stream[A], ?name: string) => stream[A] where A: Record',
    (call) => {
      call.string('name', '_result')
      return (input) => input
    },
    true,
  ),
}
