// Keys of batches with tags that are dropped or get another name; what would give two tags one name
// is refused.

import { expect, test } from 'vitest'
import { LineProtocolParser } from '../../line-protocol/parser.js'
import { printWriteBatch } from '../../line-protocol/printer.js'
import { TagChanges } from './tag-changes.js'

function batchOf(lines: string) {
  return new LineProtocolParser().parse(Buffer.from(lines), { precision: 'ns', now: 0n }).batch
}

test('tags go, or get another name, in their order', () => {
  const changes = new TagChanges(new Set(['dc']), new Map([['host', 'a server']]))
  const changed = changes.applyTo(batchOf('m,dc=x,host=a,z=1 f=1 1\nm,dc=y f=2 2\nm,zone=b f=3 3'))
  expect(printWriteBatch(changed).trim().split('\n')).toEqual([
    'm,a\\ server=a,z=1 f=1 1',
    'm f=2 2',
    'm,zone=b f=3 3',
  ])
})

test('series that differ in a dropped tag only become one', () => {
  const changed = new TagChanges(new Set(['dc']), new Map()).applyTo(
    batchOf('m,dc=x,h=a f=1 1\nm,dc=y,h=a f=2 2'),
  )
  expect([...changed.tables[0].series]).toEqual([0, 0])
  expect(changed.tables[0].keys.count).toBe(1)
})

test('two tags of one name are refused', () => {
  const changes = new TagChanges(new Set(), new Map([['a', 'b']]))
  expect(() => changes.applyTo(batchOf('m,a=1,b=2 f=1 1'))).toThrow(
    'a tag of "m,a=1,b=2" would get the name of another of its tags',
  )
})
