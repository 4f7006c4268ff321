// A table of a flat buffer, read by its slots: what is absent is zero, empty or undefined. Only what
// Arrow's descriptions need.

export class FlatTable {
  readonly #view: DataView
  readonly #at: number

  constructor(view: DataView, at: number) {
    this.#view = view
    this.#at = at
  }

  /** The table that a buffer from there on begins with. */
  static root(view: DataView, at: number): FlatTable {
    return new FlatTable(view, at + view.getUint32(at, true))
  }

  byte(slot: number): number {
    const at = this.#place(slot)
    return at === 0 ? 0 : this.#view.getUint8(at)
  }

  short(slot: number): number {
    const at = this.#place(slot)
    return at === 0 ? 0 : this.#view.getInt16(at, true)
  }

  int(slot: number): number {
    const at = this.#place(slot)
    return at === 0 ? 0 : this.#view.getInt32(at, true)
  }

  long(slot: number): number {
    const at = this.#place(slot)
    return at === 0 ? 0 : Number(this.#view.getBigInt64(at, true))
  }

  table(slot: number): FlatTable | undefined {
    const at = this.#place(slot)
    return at === 0 ? undefined : FlatTable.root(this.#view, at)
  }

  text(slot: number): string {
    const { start, count } = this.#list(slot)
    const { buffer, byteOffset } = this.#view
    return new TextDecoder().decode(new Uint8Array(buffer, byteOffset + start, count))
  }

  tables(slot: number): FlatTable[] {
    const { start, count } = this.#list(slot)
    return Array.from({ length: count }, (_, i) => FlatTable.root(this.#view, start + i * 4))
  }

  /** Of structures of two long integers. */
  pairs(slot: number): (readonly [number, number])[] {
    const { start, count } = this.#list(slot)
    const long = (at: number) => Number(this.#view.getBigInt64(at, true))
    return Array.from({ length: count }, (_, i) => {
      const at = start + i * 16
      return [long(at), long(at + 8)] as const
    })
  }

  #list(slot: number): { start: number; count: number } {
    const at = this.#place(slot)
    if (at === 0) return { start: 0, count: 0 }
    const start = at + this.#view.getUint32(at, true)
    return { start: start + 4, count: this.#view.getUint32(start, true) }
  }

  /** 0: the table has nothing there. */
  #place(slot: number): number {
    const slots = this.#at - this.#view.getInt32(this.#at, true)
    const entry = 4 + slot * 2
    if (entry >= this.#view.getUint16(slots, true)) return 0
    const offset = this.#view.getUint16(slots + entry, true)
    return offset === 0 ? 0 : this.#at + offset
  }
}
