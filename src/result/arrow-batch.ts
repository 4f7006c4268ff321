// Record batches of Arrow's IPC format: vectors in, a header that says where each buffer lies, and a body
// of the buffers one behind the other, each starting at a multiple of 8 bytes.

import { FlatBuffer } from './arrow-flatbuffer.js'
import { messageBytes } from './arrow-schema.js'

/** The values of one field, in Arrow's own layout: which buffers there are follows from the field's type. */
export interface ArrowVector {
  readonly rowCount: number
  readonly nullCount: number
  readonly buffers: readonly Uint8Array[]
  readonly children?: readonly ArrowVector[]
}

export interface ArrowBatch {
  readonly rowCount: number
  /** One per field, for encodings that are made of them. */
  readonly vectors: readonly ArrowVector[]
  readonly header: Uint8Array
  readonly bodyBytes: number
  /** The buffers are those of the vectors: valid as long as they are. */
  writeBody(target: Uint8Array, at: number): void
}

export function arrowBatch(rowCount: number, vectors: readonly ArrowVector[]): ArrowBatch {
  const nodes: number[] = []
  const buffers: Uint8Array[] = []
  for (const vector of vectors) addVector(vector, nodes, buffers)
  const places: number[] = []
  let bodyBytes = 0
  for (const { length } of buffers) {
    places.push(bodyBytes, length)
    bodyBytes += paddedBytes(length)
  }
  return {
    rowCount,
    vectors,
    header: batchMessage(rowCount, nodes, places, bodyBytes),
    bodyBytes,
    writeBody: (target, at) => writeBuffers(buffers, target, at),
  }
}

/** Depth first, as the fields stand in the schema. */
function addVector(vector: ArrowVector, nodes: number[], buffers: Uint8Array[]): void {
  nodes.push(vector.rowCount, vector.nullCount)
  buffers.push(...vector.buffers)
  for (const child of vector.children ?? []) addVector(child, nodes, buffers)
}

function batchMessage(
  rowCount: number,
  nodes: readonly number[],
  places: readonly number[],
  bodyBytes: number,
): Uint8Array {
  const buffer = new FlatBuffer()
  const placeList = buffer.pairs(places)
  const nodeList = buffer.pairs(nodes)
  const batch = buffer.table([
    { slot: 0, kind: 'int64', value: rowCount },
    { slot: 1, kind: 'place', value: nodeList },
    { slot: 2, kind: 'place', value: placeList },
  ])
  return messageBytes(buffer, 'recordBatch', batch, bodyBytes)
}

function writeBuffers(buffers: readonly Uint8Array[], target: Uint8Array, at: number): void {
  let place = at
  for (const bytes of buffers) {
    target.set(bytes, place)
    const end = place + paddedBytes(bytes.length)
    target.fill(0, place + bytes.length, end)
    place = end
  }
}

function paddedBytes(count: number): number {
  return Math.ceil(count / 8) * 8
}
