// Compiled kernels as TypeScript sees them: their bytes. The bundler compiles the folder of the same
// name and puts them into the program, the tests' loader does the same. Node has what runs them; its types do not.

declare module '*.wasm' {
  const bytes: Uint8Array<ArrayBuffer>
  export = bytes
}

declare namespace WebAssembly {
  class Memory {
    constructor(size: { readonly initial: number })
    readonly buffer: ArrayBuffer
  }
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>)
  }
  class Instance {
    constructor(module: Module, imports: { readonly env: { readonly memory: Memory } })
    readonly exports: object
  }
}
