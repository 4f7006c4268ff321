// A bucket by what a person wrote: its id comes before its name, and where a name stands for several nothing is
// guessed.

import { expect, test } from 'vitest'
import { namedBucket } from './named-bucket.js'

const buckets = [
  { id: '0a', name: 'one', org: 'x' },
  { id: '0b', name: 'one', org: 'y' },
  { id: '0c', name: '0a', org: 'x' },
  { id: '0d', name: 'two', org: 'x' },
]

test('an id comes before a name', () => {
  expect(namedBucket(buckets, '0a').id).toBe('0a')
  expect(namedBucket(buckets, 'two').id).toBe('0d')
})

test('a name of none or of several is refused', () => {
  expect(() => namedBucket(buckets, 'three')).toThrow('bucket "three" not found')
  expect(() => namedBucket(buckets, 'one')).toThrow(
    'bucket "one" exists several times, name its id: 0a (x), 0b (y)',
  )
})
