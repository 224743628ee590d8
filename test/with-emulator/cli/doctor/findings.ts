import { runHere } from '../../../tools/cli/run-here.ts'

export interface Findings {
  readonly status: number | null
  /** The codes of the findings of each level. */
  readonly ok: readonly string[]
  readonly warning: readonly string[]
  readonly unknown: readonly string[]
  readonly failure: readonly string[]
  /** Returns the texts of all findings with this code. */
  readonly textOf: (code: string) => string
  readonly verdict: string
  readonly findings: readonly Finding[]
}

interface Finding {
  readonly state: string
  readonly code: string
  readonly text: string
  readonly entryPoint?: string
}

/** Runs `doctor --json` in this process, with its data below `cwd`. */
export async function runDoctor(
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
): Promise<Findings> {
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
    textOf: (wanted) => findings.flatMap(({ code, text }) => (code === wanted ? [text] : [])).join('\n'),
  }
}
