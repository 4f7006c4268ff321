// Files in Flux as TypeScript sees them: their text. The bundler puts it into the program, the tests'
// loader does the same.

declare module '*.flux' {
  const text: string
  export = text
}
