// What a width is packed by changes when it has come often: both ways give the same words, and unpacking gives the
// values back.

import { expect, it } from 'vitest'
import { seededRandom } from '../../../platform/random.js'
import { loopPacksMax, miniBlockRows, packMiniBlock, unpackPlain } from './bit-packing.js'

it('packs every width by a loop as by code made for it', () => {
  const random = seededRandom(7)
  for (let width = 0; width <= 32; width++) {
    const values = Uint32Array.from({ length: miniBlockRows + 3 }, () => random.below(2 ** width))
    // The largest number of the width next to the smallest: a bit too many would reach the neighbour.
    values.set([2 ** width - 1, 0, 2 ** width - 1], 40)
    const byLoop = new Uint32Array(4 * width + 2)
    const loop = packMiniBlock[width]
    loop(values, 3, byLoop, 1)
    for (let i = 0; i < loopPacksMax; i++) packMiniBlock[width](values, 3, new Uint32Array(129), 0)
    expect(packMiniBlock[width]).not.toBe(loop)
    const byCode = new Uint32Array(4 * width + 2)
    packMiniBlock[width](values, 3, byCode, 1)
    expect(byLoop).toEqual(byCode)
    const unpacked = new Uint32Array(miniBlockRows)
    unpackPlain[width](byLoop, 1, unpacked, 0)
    expect(unpacked).toEqual(values.subarray(3))
  }
})
