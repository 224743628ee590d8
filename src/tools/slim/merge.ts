import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { git } from './tree.ts'

/** A release that was merged last, or is being merged. */
type Merge = NonNullable<ReturnType<typeof findMerge>>

/** Finds the merge under way, or the last commit if it is a merge without changes by hand. */
export function findMerge(folder: string) {
  const commit = (name: string) => {
    const { status, stdout } = spawnSync('git', ['-C', folder, 'rev-parse', '--verify', '-q', `${name}^{commit}`])
    return status === 0 ? stdout.toString().trim() : null
  }
  const head = commit('HEAD')
  const underWay = commit('MERGE_HEAD')
  if (head && underWay) return { ours: head, release: underWay, isUnderWay: true }
  const ours = commit('HEAD^1')
  const release = commit('HEAD^2')
  if (!ours || !release) return null
  const { stdout } = spawnSync('git', ['merge-tree', '--write-tree', ours, release], { cwd: folder, encoding: 'utf8' })
  const isUntouched = stdout.split('\n', 1)[0] === git(folder, 'rev-parse', 'HEAD^{tree}').trim()
  return isUntouched ? { ours, release, isUnderWay: false } : null
}

/** Returns the files that a person changed in the merge under way: as neither git merge left them nor a side has them. */
export function changedInMerge(folder: string): string[] {
  const [merged, ...sides] = ['AUTO_MERGE', 'HEAD', 'MERGE_HEAD'].map((name) =>
    git(folder, 'diff', '--name-only', name).trim().split('\n').filter(Boolean),
  )
  return (merged ?? []).filter((path) => sides.every((changed) => changed.includes(path)))
}

/**
 * Takes in a release: removes the same parts from the release and from the release before, and merges only the
 * difference. So a file that the fork did not edit has no conflict. The index and the folder get the result.
 * @returns the files with conflicts. If the merge is already committed, a conflict leaves everything as it is.
 */
export async function mergeSlim(
  folder: string,
  keep: readonly string[],
  { ours, release, isUnderWay }: Merge,
): Promise<string[]> {
  const commit = (tree: string, ...parents: string[]) =>
    git(folder, 'commit-tree', '-m', 'slim', ...parents.flatMap((parent) => ['-p', parent]), tree).trim()
  const base = commit(await slimTreeOf(folder, git(folder, 'merge-base', ours, release).trim(), keep))
  const slimRelease = commit(await slimTreeOf(folder, release, keep), base)
  const merged = spawnSync('git', ['merge-tree', '--write-tree', '-z', commit(`${ours}^{tree}`, base), slimRelease], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (merged.status !== 0 && merged.status !== 1) throw new Error(merged.stderr)
  const [tree = '', ...entries] = merged.stdout.split('\0\0', 1)[0]?.split('\0') ?? []
  const conflicts = [...new Set(entries.flatMap((entry) => entry.split('\t')[1] || []))]
  if (conflicts.length > 0 && !isUnderWay) return conflicts
  git(folder, 'read-tree', '--reset', '-u', tree)
  // Git lists these files as unmerged until the person adds them.
  const input = [...conflicts.map((path) => `0 ${'0'.repeat(40)}\t${path}`), ...entries]
    .map((entry) => `${entry}\n`)
    .join('')
  spawnSync('git', ['update-index', '--index-info'], { cwd: folder, input })
  return conflicts
}

/**
 * Returns the tree of a commit without the parts that the fork does not keep. The commit's own program makes it: the fork
 * was made by that of the release before. If that needs a package that is not installed, this program does it.
 */
async function slimTreeOf(folder: string, commit: string, keep: readonly string[]): Promise<string> {
  const copy = mkdtempSync(join(tmpdir(), 'slim-'))
  git(folder, 'worktree', 'add', '--force', '--detach', copy, commit)
  try {
    // Git would not ignore one link in place of the folder.
    spawnSync('sh', ['-c', 'mkdir node_modules; ln -s "$0"/node_modules/* node_modules', folder], { cwd: copy })
    const own: Promise<typeof import('./slim.ts')> = import(join(copy, 'src/tools/slim/slim.ts'))
    const { slimmed, write } = await own.catch(() => import('./slim.ts'))
    write(copy, slimmed(copy, keep))
    git(copy, 'add', '--all')
    return git(copy, 'write-tree').trim()
  } finally {
    git(folder, 'worktree', 'remove', '--force', copy)
  }
}
