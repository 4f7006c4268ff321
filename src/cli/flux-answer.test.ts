// Annotated CSV as a person and as a program get it from the shell: types, defaults, quoted cells, tables without
// rows, and a script that fails when it has answered something.

import { expect, test } from 'vitest'
import { fluxBoxes, fluxRows, readFluxAnswer } from './flux-answer.js'

const text = `#datatype,string,long,dateTime:RFC3339,double,boolean,unsignedLong
#group,false,false,false,false,true,true
#default,_result,,,,,
,result,table,_time,_value,on,n
,,0,2020-01-01T00:00:00Z,1.5,true,18446744073709551615
,,0,2020-01-01T00:00:01Z,,false,7

#datatype,string,long,string
#group,false,false,true
#default,other,,
,result,table,t
,,1,"a ""b"", c"

#datatype,string,long,string
#group,false,false,true
#default,empty,0,x
,result,table,t
`

test('rows have types, and tables of the same columns are one box', async () => {
  const answer = await readFluxAnswer(text.replaceAll('\n', '\r\n'))
  expect(answer.failure).toBeUndefined()
  const first = { result: '_result', table: 0, _time: '2020-01-01T00:00:00Z' }
  expect(fluxRows(answer)).toEqual([
    { ...first, _value: 1.5, on: true, n: '18446744073709551615' },
    { ...first, _time: '2020-01-01T00:00:01Z', _value: null, on: false, n: 7 },
    { result: 'other', table: 1, t: 'a "b", c' },
  ])
  expect(fluxBoxes(answer).split('\n')).toEqual([
    '+---------+-------+----------------------+--------+-------+----------------------+',
    '| result  | table | _time                | _value | on    | n                    |',
    '+---------+-------+----------------------+--------+-------+----------------------+',
    '| _result | 0     | 2020-01-01T00:00:00Z | 1.5    | true  | 18446744073709551615 |',
    '| _result | 0     | 2020-01-01T00:00:01Z |        | false | 7                    |',
    '+---------+-------+----------------------+--------+-------+----------------------+',
    '',
    '+--------+-------+----------+',
    '| result | table | t        |',
    '+--------+-------+----------+',
    '| other  | 1     | a "b", c |',
    '+--------+-------+----------+',
    '',
  ])
})

test('a script that fails on its way has rows and a reason', async () => {
  const failed = `${text}\n#datatype,string,string\n#group,true,true\n#default,,\n,error,reference\n,too much,897\n`
  const answer = await readFluxAnswer(failed)
  expect(answer.failure).toBe('too much')
  expect(fluxRows(answer)).toHaveLength(3)
  expect(await readFluxAnswer('')).toEqual({ boxes: [], failure: undefined })
})
