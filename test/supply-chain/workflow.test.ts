import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { load } from 'js-yaml'
import { expect, test } from 'vitest'
import { z } from 'zod'

/** Reads the workflow strictly, so that an unknown or misspelled key is refused. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TEXT = readFileSync(join(ROOT, '.github/workflows/ci.yml'), 'utf8')

const Step = z.strictObject({
  name: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  with: z.record(z.string(), z.union([z.string(), z.boolean(), z.number()])).optional(),
  run: z.string().optional(),
})
const Job = z.strictObject({
  name: z.string(),
  if: z.string().optional(),
  'runs-on': z.literal('ubuntu-latest'),
  'timeout-minutes': z.number(),
  container: z.strictObject({ image: z.string(), options: z.string() }).optional(),
  steps: z.array(Step),
})
const Workflow = z.strictObject({
  name: z.string(),
  on: z.strictObject({
    push: z.strictObject({ branches: z.array(z.string()) }),
    pull_request: z.null(),
    schedule: z.array(z.strictObject({ cron: z.string() })),
    workflow_dispatch: z.null(),
  }),
  permissions: z.record(z.string(), z.string()),
  concurrency: z.strictObject({ group: z.string(), 'cancel-in-progress': z.string() }),
  jobs: z.strictObject({ ci: Job, weekly: Job, image: Job }),
})
const { on, permissions, jobs } = Workflow.parse(load(TEXT))
const STEPS = Object.values(jobs).flatMap(({ steps }) => steps)

function stepOf({ steps }: z.infer<typeof Job>, action: string): Record<string, unknown> {
  return steps.find(({ uses }) => uses?.startsWith(`${action}@`))?.with ?? expect.unreachable(`no ${action}`)
}

test('the workflow runs everything once a week', () => {
  // Minute, hour, any day of any month, one day of the week.
  expect(on.schedule.map(({ cron }) => cron)).toEqual([expect.stringMatching(/^\d+ \d+ \* \* [0-6]$/)])
  expect(jobs.ci.if).toBeUndefined()
  expect(jobs.image.if).toBeUndefined()
  expect(jobs.weekly.if).toContain("github.event_name == 'schedule'")
  const commands = STEPS.flatMap(({ run }) => run ?? [])
  expect(commands).toEqual(expect.arrayContaining(['.ci/run', 'npm run test:soak', 'npm audit --omit=dev']))
})

test('the workflow can read the repository, and nothing else', () => {
  expect(permissions).toEqual({ contents: 'read' })
  for (const { uses, with: settings } of STEPS) {
    if (uses?.startsWith('actions/checkout@')) expect(settings).toEqual({ 'persist-credentials': false })
  }
  // A value of an event, such as a title, would be run as a command.
  for (const { run = '' } of STEPS) expect(run).not.toContain('${{')
})

test('each action is named by a commit, with its version beside it', () => {
  const lines = globSync('.github/workflows/*.yml', { cwd: ROOT }).flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/uses: (.*)/g)].map(([, action]) => action),
  )
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) expect(line).toMatch(/^[\w.-]+\/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})

test('the image is built with provenance, a list of its packages, and the commit in its labels', () => {
  expect(stepOf(jobs.image, 'docker/build-push-action')).toMatchObject({ provenance: 'mode=max', sbom: true })
  const args = String(stepOf(jobs.image, 'docker/build-push-action')['build-args'])
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  for (const [name, label] of [
    ['SOURCE', 'source'],
    ['REVISION', 'revision'],
    ['VERSION', 'version'],
  ]) {
    expect(args).toMatch(new RegExp(`^${name}=`, 'm'))
    expect(dockerfile).toMatch(new RegExp(`^ARG ${name}$`, 'm'))
    expect(dockerfile).toContain(`org.opencontainers.image.${label}="$${name}"`)
  }
})

test('CI keeps the list of packages of every run', () => {
  const [, path] = /npm run -s sbom > (\S+)/.exec(TEXT) ?? []
  expect(stepOf(jobs.ci, 'actions/upload-artifact')).toMatchObject({ path, 'if-no-files-found': 'error' })
})

test('dependabot proposes updates of packages, images and actions every week', () => {
  const Dependabot = z.object({
    updates: z.array(
      z.object({ 'package-ecosystem': z.string(), schedule: z.strictObject({ interval: z.literal('weekly') }) }),
    ),
  })
  const { updates } = Dependabot.parse(load(readFileSync(join(ROOT, '.github/dependabot.yml'), 'utf8')))
  const ecosystems = updates.map(({ 'package-ecosystem': ecosystem }) => ecosystem)
  expect({ ecosystems: ecosystems.toSorted() }).toEqual({
    ecosystems: ['docker', 'docker-compose', 'github-actions', 'npm'],
  })
})

test('SECURITY.md says how to report, and the time to fix for each severity', () => {
  const policy = readFileSync(join(ROOT, '.github/SECURITY.md'), 'utf8')
  expect(policy).toContain('**Report a vulnerability**')
  const times = [...policy.matchAll(/^\| (critical|high|medium|low)\b.*\| (\d+) days \|$/gm)]
  expect(times.map(([, severity]) => severity)).toEqual(['critical', 'high', 'medium', 'low'])
  const days = times.map(([, , number]) => Number(number))
  expect(days).toEqual(days.toSorted((a, b) => a - b))
})
