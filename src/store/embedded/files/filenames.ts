// Every name that the engine gives to a file or folder, in one place.
//
//   MANIFEST                          what is valid: shards, segments, deletes; see manifest.ts
//   wal/0000000007.wal                writes since the last flush
//   <bucket>/index.log                series and fields of the bucket
//   <bucket>/<start>/0000000009.seg   segments of the shard that starts then (nanoseconds since 1970)

const digits = 10

export const manifestName = 'MANIFEST'

export function walFolder(root: string): string {
  return `${root}/wal`
}

export function walPath(root: string, number: number): string {
  return `${walFolder(root)}/${padded(number)}.wal`
}

/** The number of a WAL file, or undefined for a name that is none. */
export function walNumber(name: string): number | undefined {
  const match = /^(\d{10,})\.wal$/.exec(name)
  return match === null ? undefined : Number(match[1])
}

export function bucketFolder(root: string, bucket: string): string {
  return `${root}/${bucket}`
}

export function indexPath(root: string, bucket: string): string {
  return `${bucketFolder(root, bucket)}/index.log`
}

export function shardFolder(root: string, bucket: string, start: bigint): string {
  return `${bucketFolder(root, bucket)}/${start}`
}

export function segmentName(number: number): string {
  return `${padded(number)}.seg`
}

export function segmentNumber(name: string): number | undefined {
  const match = /^(\d{10,})\.seg$/.exec(name)
  return match === null ? undefined : Number(match[1])
}

function padded(number: number): string {
  return String(number).padStart(digits, '0')
}
