// The inner loops of encoding and decoding, for WebAssembly: compiled once when the program is built and by V8 at once,
// where JavaScript needs thousands of rounds and a second of CPU a thread until it is as fast. Written in
// AssemblyScript, which is TypeScript with the numbers of a processor. All memory is handed in as places; nothing is
// allocated here. `codec.ts` is the only caller.

export { faultDetail, faultKind } from './faults'
export { decodeFloats, encodeFloats } from './floats'
export { decodeIntegers, encodeIntegers, lowerBound } from './integers'
export { decodePlanes, encodePlanes } from './planes'
export {
  decodePresence,
  encodePresence,
  gather,
  place,
  presentBefore,
  presentTotal,
  presentWithin,
} from './presence'
export { greatest, least, sum, summarize } from './statistics'
export { addLine, residualsOf } from './times'
