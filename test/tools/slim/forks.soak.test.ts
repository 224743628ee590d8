import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Copy, copyOf, ROOT } from './copy.ts'
import { addFeature, linesOfRelease } from './forking-page.ts'

/** The kit of this commit, as a fork makes it. */
let copy: Copy
beforeAll(async () => {
  copy = await copyOf('HEAD')
})
afterAll(() => copy.remove())

beforeEach(() => copy.reset())

/** Makes a fork of a commit with its own program, and merges releases by the lines of the page. @returns the conflicts. */
async function takeIn(since: string, releases: readonly string[]): Promise<string[]> {
  const must = async (command: string) => {
    const { ok, output } = await copy.run(command)
    if (!ok) throw new Error(`${command}\n${output}`)
    return output.trim()
  }
  const commit = (message: string) => must(`git add --all && git commit --quiet --allow-empty -m '${message}'`)
  await must(`git checkout --quiet -B fork ${since} && npm run slim -- --keep sqlite,hash`)
  appendFileSync(join(copy.folder, 'public/style.css'), '\n.own {\n  color: teal;\n}\n')
  addFeature(copy.folder)
  await commit('a fork')
  const conflicts: string[] = []
  for (const release of releases) {
    // The remote is there after the first release.
    for (const line of linesOfRelease(ROOT, release)) await copy.run(line)
    const unmerged = await must('git diff --name-only --diff-filter=U')
    if (unmerged !== '') conflicts.push(`${release}: ${unmerged}`)
    await commit(`take in ${release}`)
  }
  expect(await must('git ls-files src/users/ldap')).toBe('')
  expect(await copy.run('tsc')).toMatchObject({ ok: true })
  expect(await copy.run('vitest run --config test/vitest.config.ts --project unit weekdays')).toMatchObject({
    ok: true,
  })
  return conflicts
}

/** Returns the last commits of the main line, the oldest first. */
async function lastCommits(count: number): Promise<string[]> {
  const { output } = await copy.run(`git rev-list --reverse --first-parent -${count} main`)
  return output.trim().split('\n')
}

test('a fork takes in the last 50 commits one by one, without a conflict', async () => {
  const [since = '', ...releases] = await lastCommits(51)
  expect(await takeIn(since, releases)).toEqual([])
}, 3_600_000)

test('a fork of 300 commits ago takes in the last commit, without a conflict', async () => {
  const [since = '', ...releases] = await lastCommits(301)
  expect(await takeIn(since, releases.slice(-1))).toEqual([])
}, 600_000)
