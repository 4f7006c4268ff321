// Bytes that are not what their format says. Decoders know no files: whoever reads one adds its name and where in it
// the bytes lie.

export class DamageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DamageError'
  }
}
