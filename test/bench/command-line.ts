import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

export interface CommandRun {
  readonly elapsedSeconds: number
  /** The peak of resident memory. */
  readonly peakBytes: number
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Runs the command line as the npm script does, with the same V8 flags, in its own process.
 * @throws Error with its output if it fails.
 */
export async function runCommandLine(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CommandRun> {
  const startedMs = performance.now()
  const words = npmScript('viewer-auth')
  const flags = words.slice(0, -1)
  const program = words.at(-1) ?? ''
  const child = spawn(process.execPath, [...flags, '--import', './test/bench/report-peak.ts', program, ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const [said, peak, status] = await Promise.all([
    text(child.stderr as Readable),
    text(child.stdio[3] as Readable),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ])
  if (status !== 0) throw new Error(`viewer-auth ${args.join(' ')} ended with ${status}:\n${said.slice(-2000)}`)
  return { elapsedSeconds: (performance.now() - startedMs) / 1000, peakBytes: Number(peak) * 1024 }
}

/** Returns the arguments that a script of package.json passes to Node. @throws Error for an unknown script. */
export function npmScript(name: string): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> }
  const script = scripts[name]
  if (script === undefined) throw new Error(`package.json has no script ${name}`)
  const words = script.split(' ')
  return words.slice(words.indexOf('node') + 1)
}
