#!/usr/bin/env node
// The command line: hands the arguments to a command and ends with its exit code. Everything else
// is in `cli/`.

import { runCommand } from './cli/command.js'

process.exitCode = await runCommand(process.argv.slice(2))
