import { slimCommand } from './slim-command.ts'

process.exitCode = await slimCommand(process.argv.slice(2), process.cwd(), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  isTerminal: process.stdin.isTTY && process.stdout.isTTY,
})
