import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Copy, copyOf, ROOT } from './copy.ts'

/** The kit of this commit, as a fork makes it. */
let copy: Copy
beforeAll(async () => {
  copy = await copyOf('HEAD')
})
afterAll(() => copy.remove())

beforeEach(() => copy.reset())

test('a fork takes in the last 50 commits by merges, with conflicts only in files that it edited', async () => {
  const must = async (command: string) => {
    const { ok, output } = await copy.run(command)
    if (!ok) throw new Error(`${command}\n${output}`)
    return output.trim()
  }
  // The history starts where this could be removed first.
  const since = await must('git log --format=%H --diff-filter=A -- src/tools/slim/merge.ts')
  const history = (await must(`git rev-list --reverse --first-parent ${since}..HEAD`)).split('\n')
  const releases = history.slice(-50)
  const commit = (message: string) => must(`git add --all && git commit --quiet --allow-empty -m '${message}'`)
  const slim = `node '${ROOT}/src/tools/slim/main.ts'`
  await must(`git checkout --quiet -B fork ${releases[0]}^`)
  await copy.run(`${slim} --keep sqlite,hash`)
  appendFileSync(join(copy.folder, 'public/style.css'), '\n.own {\n  color: teal;\n}\n')
  await commit('a fork')
  const conflicts: string[] = []
  for (const release of releases) {
    await copy.run(`git merge --quiet --no-edit ${release}`)
    await copy.run(slim)
    const unmerged = await must('git diff --name-only --diff-filter=U')
    if (unmerged !== '') conflicts.push(`${release}: ${unmerged}`)
    await commit(`take in ${release}`)
  }
  expect(conflicts).toEqual([])
  expect(await must('git ls-files src/features src/users/ldap')).toBe('')
  expect(await copy.run('tsc')).toMatchObject({ ok: true })
}, 3_600_000)
