import { isDeepStrictEqual, parseArgs } from 'node:util'
import { findMerge, mergeSlim } from './merge.ts'
import { checkNames, type Part, partsBrought, readParts, WrongChoice } from './parts.ts'
import { type Slimmed, slimmed, write } from './slim.ts'
import { countLines, git, readTree, type Tree } from './tree.ts'

const USAGE = `Usage: npm run slim -- [--keep NAME,NAME…] [--dry-run]

Removes the user stores, features and tools that this fork does not keep. Without --keep, it repeats the choice that
package.json holds, or asks. After \`git merge RELEASE\`, it removes what the release brought back.
`

type Write = (text: string) => void

class Refused extends Error {}

/**
 * Removes parts from the checkout in a folder.
 * @returns the exit status: 0 done, 1 refused, 2 wrong usage.
 */
export async function slimCommand(
  args: readonly string[],
  folder: string,
  { out, err }: { readonly out: Write; readonly err: Write },
): Promise<number> {
  const print = (text: string) => out(`${text}\n`)
  try {
    await run(args, folder, print)
    return 0
  } catch (error) {
    const isUsage = error instanceof WrongChoice || (error instanceof TypeError && 'code' in error)
    if (!isUsage && !(error instanceof Refused)) throw error
    err(`${error.message}\n`)
    return isUsage ? 2 : 1
  }
}

async function run(args: readonly string[], folder: string, print: Write): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { keep: { type: 'string' }, 'dry-run': { type: 'boolean' }, help: { type: 'boolean' } },
  })
  if (values.help) return print(USAGE)
  const merge = findMerge(folder)
  if (!merge?.isUnderWay && git(folder, 'status', '--porcelain') !== '') {
    throw new Refused('There are uncommitted changes. Commit them first, so that you can take everything back.')
  }
  const full = readTree(folder)
  const parts = readParts(full)
  const names = values.keep?.split(',').map((name) => name.trim())
  if (names) checkNames(parts, names)
  // Before the merge, because that may have left marks of a conflict in package.json.
  const kept = keptNames(git(folder, 'show', 'HEAD:package.json'))
  const keep = names ?? kept ?? (await ask(parts))
  const isKept = kept !== null && isDeepStrictEqual(wholeChoice(parts, keep), wholeChoice(parts, kept))
  if (!values['dry-run'] && merge?.isUnderWay) refuseToLoseWork(folder, isKept)
  if (!values['dry-run'] && merge && isKept) {
    const conflicts = mergeSlim(folder, keep, merge)
    if (conflicts.length > 0 && merge.isUnderWay) {
      throw new Refused(`Resolve these conflicts, then commit:\n${conflicts.map((path) => `  ${path}`).join('\n')}`)
    }
    if (conflicts.length === 0) return printNext(folder, merge.isUnderWay, print)
  }
  const left = slimmed(folder, keep)
  if (values['dry-run']) return printPlan(left, print)
  write(folder, left)
  printBrought(left, print)
  if (left.seams.length > 0)
    throw new Refused(`Mend this code by hand:\n${left.seams.map((seam) => `  ${seam}`).join('\n')}`)
  printNext(folder, false, print)
}

/** Returns the names of a choice, with those of the parts that they need. */
function wholeChoice(parts: readonly Part[], keep: readonly string[]): Set<string> {
  return new Set([...keep, ...partsBrought(parts, keep).map(({ part }) => part.name)].toSorted())
}

/** Says which parts stay, though the choice does not name them. */
function printBrought({ brought }: Slimmed, print: Write): void {
  for (const { part, neededBy } of brought) print(`${part.name} stays: ${neededBy.join(' and ')} needs it.`)
}

/** The merge of the release is done again, so the work of the person in it would be lost. */
function refuseToLoseWork(folder: string, isKept: boolean): void {
  if (!isKept) throw new Refused('A merge is under way. Commit it first. Then choose other parts.')
  const [changed, ...others] = git(folder, 'diff', '--name-only', 'AUTO_MERGE').trim().split('\n')
  if (!changed) return
  const more = others.length > 0 ? ` and ${others.length} more` : ''
  throw new Refused(
    `Not as git merge left it: ${changed}${more}. If this program ran in this merge already, resolve and commit. ` +
      'Else commit your changes after git merge --abort, merge again, and run this at once.',
  )
}

function keptNames(packageJson: string): string[] | null {
  const manifest: { slim?: { keep: string[] } } = JSON.parse(packageJson)
  return manifest.slim?.keep ?? null
}

async function ask(parts: readonly Part[]): Promise<string[]> {
  const { groupMultiselect, isCancel } = await import('@clack/prompts')
  const choices = parts.filter(({ choice, always }) => choice && !always)
  const kinds = Map.groupBy(choices, ({ kind }) => kind)
  const options = [...kinds].map(([kind, some]) => [
    kind,
    some.map(({ name, about }) => ({ value: name, label: name, hint: about })),
  ])
  const answer = await groupMultiselect({
    message: 'Keep which parts? Everything else is deleted.',
    options: Object.fromEntries(options),
    initialValues: choices.map(({ name }) => name),
  })
  if (isCancel(answer)) throw new Refused('Nothing was changed.')
  return answer
}

function printLines(tree: Tree, print: Write): void {
  const all = countLines(tree, 'src/')
  const tools = countLines(tree, 'src/tools/')
  print(`Lines of src: ${all} (app ${all - tools}, tools ${tools})`)
}

function printNext(folder: string, isMergeUnderWay: boolean, print: Write): void {
  printLines(readTree(folder), print)
  const isChanged = isMergeUnderWay || git(folder, 'status', '--porcelain') !== ''
  print(isChanged ? 'Now: npm ci && npm run check && npm run test:unit, then commit.' : 'Nothing was changed.')
}

function printPlan(left: Slimmed, print: Write): void {
  const { full, tree, removed, seams } = left
  const list = (title: string, lines: readonly string[]) =>
    print([`${title}: ${lines.length}`, ...lines.map((line) => `  ${line}`)].join('\n'))
  const packagesOf = (files: Tree) => {
    const { dependencies, devDependencies } = JSON.parse(files.get('package.json') ?? '{}')
    return Object.keys({ ...dependencies, ...devDependencies })
  }
  const packages = packagesOf(tree)
  list(
    'Parts that go',
    removed.map(({ name, about }) => `${name}: ${about}`),
  )
  printBrought(left, print)
  list(
    'Files that go',
    [...full.keys()].filter((path) => !tree.has(path)),
  )
  list(
    'Files that change',
    [...tree].filter(([path, text]) => full.get(path) !== text).map(([path]) => path),
  )
  list(
    'Packages that go',
    packagesOf(full).filter((name) => !packages.includes(name)),
  )
  if (seams.length > 0) list('Code to mend by hand', seams)
  printLines(tree, print)
  print('Nothing was changed.')
}
