#!/usr/bin/env node
// The command line: hands the arguments to a command and ends with its exit code. Everything else
// is in `cli/`. The one flag of V8 that differs from its default is set here, before anything else is
// loaded: none is changed while the program runs.

import { setFlagsFromString } from 'node:v8'

// The memory for young objects does not grow. The pieces in which bodies arrive are small objects with much memory
// behind them, and the larger that space is, the more of them wait in it: with V8's default a load of two million rows
// takes 3.6 s of CPU per million instead of 3.1, and 25 MB more at its peak (Node 20). Queries take the same time.
setFlagsFromString('--semi-space-growth-factor=1')

const { runCommand } = await import('./cli/command.js')

process.exitCode = await runCommand(process.argv.slice(2))
