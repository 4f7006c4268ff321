// What tests use of kernels.mjs.

import type { Plugin } from 'esbuild'

export const kernelsPlugin: Plugin
export function compileKernels(folder: string): Promise<Uint8Array>
export function moduleText(bytes: Uint8Array): string
