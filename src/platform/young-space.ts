// The memory for young objects that does not grow (`main.ts` says why), and stays so. V8 sets the factor by which it
// grows back to two with every heap that it makes, for all heaps there are: from the first thread on, that of the
// serving thread grew to 32 MB.

import { setFlagsFromString } from 'node:v8'

let isProgram = false

/** In a program of our own. One that has the service as a library is left as it is. */
export function keepYoungSpaceHeld(): void {
  isProgram = true
}

/** After a thread has begun. */
export function holdYoungSpaceAgain(): void {
  if (isProgram) setFlagsFromString('--semi-space-growth-factor=1')
}
