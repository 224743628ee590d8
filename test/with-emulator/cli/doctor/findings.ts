import { vi } from 'vitest'
import { runHere } from '../../../tools/cli/run-here.ts'
import { slowClock } from './slow-clock.ts'

export type Findings = Awaited<ReturnType<typeof runDoctor>>

interface Finding {
  readonly state: string
  readonly code: string
  readonly text: string
  readonly entryPoint?: string
}

/** Runs `doctor --json` in this process, with its data below `cwd` and a slow clock. */
export async function runDoctor(
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
) {
  if (!vi.isMockFunction(performance.now)) void slowClock()
  const { status, stdout, stderr } = await runHere(['doctor', '--json', ...args], { cwd, env })
  if (stdout === '') throw new Error(stderr)
  const { findings, verdict } = JSON.parse(stdout) as { findings: Finding[]; verdict: string }
  const codesOf = (level: string) => findings.flatMap(({ state, code }) => (state === level ? [code] : []))
  return {
    status,
    verdict,
    findings,
    ok: codesOf('ok'),
    warning: codesOf('warning'),
    unknown: codesOf('unknown'),
    failure: codesOf('failure'),
    /** Returns the texts of all findings with this code. */
    textOf: (wanted: string) => findings.flatMap(({ code, text }) => (code === wanted ? [text] : [])).join('\n'),
  }
}
