// The package `influxdata/influxdb/tasks`: when the running task last ended well. The service knows it
// of its own tasks; the option lets a script say so itself.

import type { MaybePromise } from '../../../../../platform/pull-stream.js'
import { type Call, constant, type Definitions, native } from '../../../../package/define.js'
import { FluxError } from '../../../../value/error.js'
import { addDuration } from '../../../../value/time.js'
import { typeName } from '../../../../value/type-name.js'
import { Duration, type FluxValue, Time } from '../../../../value/value.js'

function lastSuccess(call: Call): MaybePromise<FluxValue> {
  const known = call.value('lastSuccessTime')
  if (known instanceof Time) return known
  const { lastSuccess: ended } = call.context.scope
  if (ended !== undefined) return new Time(ended)
  const orTime = call.required('orTime')
  if (orTime instanceof Time) return orTime
  if (!(orTime instanceof Duration)) {
    const found = typeName(orTime)
    throw new FluxError(`keyword argument "orTime" should be a time or duration, but got ${found}`)
  }
  const now = call.context.now()
  if (now instanceof Promise) return now.then((at) => new Time(addDuration(at, orTime)))
  return new Time(addDuration(now, orTime))
}

export const tasksBuiltins: Definitions = {
  _zeroTime: constant('time', null),
  _lastSuccess: native('(orTime: T, lastSuccessTime: time) => time where T: Timeable', lastSuccess),
}
