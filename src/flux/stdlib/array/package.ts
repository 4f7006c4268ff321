// The package `array`, and `experimental/array`, which has the same functions and conversions of whole
// arrays.

import type { PackageDefinition } from '../define.js'
import { arrays } from './arrays.js'

export const arrayPackage: PackageDefinition = { path: 'array', name: 'array', builtins: arrays }

export const experimentalArrayPackage: PackageDefinition = {
  path: 'experimental/array',
  name: 'array',
  builtins: arrays,
  source: `package array

toBool = (arr=<-) => map(arr: arr, fn: (x) => bool(v: x))
toDuration = (arr=<-) => map(arr: arr, fn: (x) => duration(v: x))
toFloat = (arr=<-) => map(arr: arr, fn: (x) => float(v: x))
toInt = (arr=<-) => map(arr: arr, fn: (x) => int(v: x))
toString = (arr=<-) => map(arr: arr, fn: (x) => string(v: x))
toTime = (arr=<-) => map(arr: arr, fn: (x) => time(v: x))
toUInt = (arr=<-) => map(arr: arr, fn: (x) => uint(v: x))
`,
}
