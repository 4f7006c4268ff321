// Flatbuffers, as much of the format as Arrow's messages need: tables, vectors of tables, of 32-bit
// numbers and of structs of 64-bit numbers, texts. A buffer is written from its end to its start, so that
// whatever is pointed at is there before its pointer; places are therefore counted from the end.
//
//   table  = int32 distance back to its vtable, then its fields
//   vtable = uint16 own bytes, uint16 bytes of the table, uint16 per slot: where the field is, 0 for absent
//   vector = uint32 number of elements, then the elements; text = the same of bytes, and a zero behind

/** A place in the buffer, counted from its end. */
export type Place = number

export type TableField =
  | { readonly slot: number; readonly kind: 'int8' | 'int16' | 'int32'; readonly value: number }
  | { readonly slot: number; readonly kind: 'int64'; readonly value: number }
  | { readonly slot: number; readonly kind: 'place'; readonly value: Place }

const widths = { int8: 1, int16: 2, int32: 4, int64: 8, place: 4 } as const

const encoder = new TextEncoder()

export class FlatBuffer {
  #bytes = new Uint8Array(1024)
  #view = new DataView(this.#bytes.buffer)
  #size = 0

  /**
   * Fields that are absent have their defaults. A 64-bit number that is 0 is left out: that is its default in all
   * tables of Arrow, and one that is there must lie on a multiple of 8, which arrow-rs demands of schemas inside of
   * other messages too.
   */
  table(given: readonly TableField[]): Place {
    const fields = given.filter(({ kind, value }) => kind !== 'int64' || value !== 0)
    const start = this.#size
    const slots = fields.reduce((count, { slot }) => Math.max(count, slot + 1), 0)
    const places = new Uint32Array(slots)
    for (const field of fields) places[field.slot] = this.#field(field)
    const table = this.#int32(0)
    for (let slot = slots - 1; slot >= 0; slot--) {
      this.#int16(places[slot] === 0 ? 0 : table - places[slot])
    }
    this.#int16(table - start)
    const vtable = this.#int16(2 * slots + 4)
    this.#view.setInt32(this.#bytes.length - table, vtable - table, true)
    return table
  }

  #field(field: TableField): Place {
    this.#align(widths[field.kind], 0)
    switch (field.kind) {
      case 'int8':
        return this.#int8(field.value)
      case 'int16':
        return this.#int16(field.value)
      case 'int32':
        return this.#int32(field.value)
      case 'int64':
        return this.#int64(field.value)
      case 'place':
        return this.#pointer(field.value)
    }
  }

  text(text: string): Place {
    const bytes = encoder.encode(text)
    this.#align(4, bytes.length + 1)
    this.#int8(0)
    const at = this.#take(bytes.length)
    this.#bytes.set(bytes, at)
    return this.#int32(bytes.length)
  }

  places(places: readonly Place[]): Place {
    this.#align(4, 4 * places.length)
    for (let i = places.length - 1; i >= 0; i--) this.#pointer(places[i])
    return this.#int32(places.length)
  }

  int32s(values: readonly number[]): Place {
    this.#align(4, 4 * values.length)
    for (let i = values.length - 1; i >= 0; i--) this.#int32(values[i])
    return this.#int32(values.length)
  }

  /** Structs of two 64-bit numbers each: first, second, first, second ... */
  pairs(values: readonly number[]): Place {
    this.#align(4, 8 * values.length)
    this.#align(8, 8 * values.length)
    for (let i = values.length - 1; i >= 0; i--) this.#int64(values[i])
    return this.#int32(values.length / 2)
  }

  /** The whole, a multiple of 8 bytes long. Nothing can be added behind it. */
  finish(root: Place): Uint8Array {
    this.#align(8, 4)
    this.#pointer(root)
    return this.#bytes.subarray(this.#bytes.length - this.#size)
  }

  /** Zeros, so that what is `bytes` further is aligned. */
  #align(width: number, bytes: number): void {
    const padding = -(this.#size + bytes) & (width - 1)
    const at = this.#take(padding)
    this.#bytes.fill(0, at, at + padding)
  }

  #int8(value: number): Place {
    const at = this.#take(1)
    this.#view.setInt8(at, value)
    return this.#size
  }

  #int16(value: number): Place {
    this.#align(2, 0)
    const at = this.#take(2)
    this.#view.setUint16(at, value, true)
    return this.#size
  }

  #int32(value: number): Place {
    this.#align(4, 0)
    const at = this.#take(4)
    this.#view.setInt32(at, value, true)
    return this.#size
  }

  /** Not negative, at most 2^53: lengths and offsets. */
  #int64(value: number): Place {
    const at = this.#take(8)
    this.#view.setUint32(at, value >>> 0, true)
    this.#view.setUint32(at + 4, Math.floor(value / 2 ** 32), true)
    return this.#size
  }

  #pointer(place: Place): Place {
    return this.#int32(this.#size + 4 - place)
  }

  /** Makes room in front; returns where it begins. The memory may be another one afterwards. */
  #take(count: number): number {
    this.#size += count
    if (this.#size > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(2 * this.#bytes.length, 2 * this.#size))
      larger.set(this.#bytes, larger.length - this.#bytes.length)
      this.#bytes = larger
      this.#view = new DataView(larger.buffer)
    }
    return this.#bytes.length - this.#size
  }
}
