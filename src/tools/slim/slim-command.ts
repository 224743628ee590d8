import { parseArgs } from 'node:util'
import { changedInMerge, findMerge, mergeSlim } from './merge.ts'
import { checkNames, isDescription, type Part, readParts, WrongChoice } from './parts.ts'
import { type Slimmed, slimmed, write } from './slim.ts'
import { countLines, git, readTree, type Tree } from './tree.ts'

const USAGE = `Usage: npm run slim -- [--keep NAME,NAME…] [--dry-run] [--yes]

Removes the user stores, features and tools that this fork does not keep. Without --keep, it repeats the choice that
package.json holds, or asks. After \`git merge RELEASE\`, it removes what the release brought back. --yes asks nothing.
`

type Write = (text: string) => void

interface Io {
  readonly out: Write
  readonly err: Write
  /** True if a person can answer questions. */
  readonly isTerminal: boolean
}

class Refused extends Error {}

/**
 * Removes parts from the checkout in a folder.
 * @returns the exit status: 0 done, 1 refused, 2 wrong usage.
 */
export async function slimCommand(args: readonly string[], folder: string, io: Io): Promise<number> {
  try {
    await run(args, folder, (text) => io.out(`${text}\n`), io.isTerminal)
    return 0
  } catch (error) {
    // A release is slimmed by its own program, which has its own class of this name.
    const isWrongChoice = error instanceof Error && error.constructor.name === WrongChoice.name
    const isUsage = isWrongChoice || (error instanceof TypeError && 'code' in error)
    if (!isUsage && !(error instanceof Refused)) throw error
    io.err(`${error.message}\n`)
    return isUsage ? 2 : 1
  }
}

async function run(args: readonly string[], folder: string, print: Write, isTerminal: boolean): Promise<void> {
  const flag = { type: 'boolean' } as const
  const options = { keep: { type: 'string' }, 'dry-run': flag, yes: flag, help: flag } as const
  const { values } = parseArgs({ args: [...args], options })
  if (values.help) return print(USAGE)
  const names = values.keep?.split(',').map((name) => name.trim())
  // Of the last commit, because a merge may have left marks of a conflict in the file.
  const kept: string[] | undefined = JSON.parse(git(folder, 'show', 'HEAD:package.json')).slim?.keep
  const merge = findMerge(folder)
  if (kept) printUnknown(folder, merge?.release ?? 'HEAD', kept, print)
  if (merge?.isUnderWay) {
    if (values['dry-run'] || names || !kept) {
      throw new Refused('A merge is under way. Run this without --keep and --dry-run, or commit the merge first.')
    }
    refuseToLoseWork(folder)
    const conflicts = await mergeSlim(folder, kept, merge)
    if (conflicts.length > 0) throw new Refused(listOf('Resolve these conflicts, then commit', conflicts))
    return printNext(folder, true, print)
  }
  if (git(folder, 'status', '--porcelain') !== '') {
    throw new Refused('There are uncommitted changes. Commit them first, so that you can take everything back.')
  }
  if (!values['dry-run'] && !names && kept && merge && (await mergeSlim(folder, kept, merge)).length === 0)
    return printNext(folder, false, print)
  const parts = readParts(readTree(folder))
  if (names) checkNames(parts, names)
  const left = slimmed(folder, names ?? kept ?? (await ask(parts, isTerminal)))
  printParts(left, print)
  if (values['dry-run']) return printPlan(left, print)
  if (isTerminal && !values.yes && left.removed.some(({ loses }) => loses)) {
    const { confirm } = await import('@clack/prompts')
    if ((await confirm({ message: 'Remove these parts?' })) !== true) throw new Refused('Nothing was changed.')
  }
  write(folder, left)
  if (left.seams.length > 0) throw new Refused(listOf('Mend this code by hand', left.seams))
  printNext(folder, false, print)
}

function listOf(title: string, lines: readonly string[]): string {
  return [`${title}: ${lines.length}`, ...lines.map((line) => `  ${line}`)].join('\n')
}

/** Says which parts go, which stay though the choice does not name them, and what the fork then misses. */
function printParts({ removed, brought }: Slimmed, print: Write): void {
  const going = removed.map(({ name, about }) => `${name}: ${about}`)
  print(listOf('Parts that go', going))
  for (const { part, neededBy } of brought) print(`${part.name} stays: ${neededBy.join(' and ')} needs it.`)
  for (const { name, loses } of removed) if (loses) print(`Without ${name}: ${loses}`)
}

/** Names the kept parts that a release has removed or renamed. */
function printUnknown(folder: string, release: string, kept: readonly string[], print: Write): void {
  const paths = git(folder, 'ls-tree', '-r', '--name-only', release).split('\n')
  const tree = paths.filter(isDescription).map((path) => [path, git(folder, 'show', `${release}:${path}`)] as const)
  const names = readParts(new Map(tree)).map(({ name }) => name)
  const unknown = kept.filter((name) => !names.includes(name)).join(', ')
  if (unknown) print(`The release has no part ${unknown}. Read its notes, and correct slim.keep in package.json.`)
}

/** The merge of the release is done again, so the work of the person in it would be lost. */
function refuseToLoseWork(folder: string): void {
  const changed = changedInMerge(folder).slice(0, 5).join(', ')
  if (changed === '') return
  throw new Refused(
    `Not as git merge left it: ${changed}. If this program ran in this merge already, resolve and commit. ` +
      'Else commit your changes after git merge --abort, merge again, and run this at once.',
  )
}

async function ask(parts: readonly Part[], isTerminal: boolean): Promise<string[]> {
  const choices = parts.filter(({ choice, always }) => choice && !always)
  if (!isTerminal) {
    const names = choices.map(({ name }) => name).join(', ')
    throw new WrongChoice(`Cannot ask without a terminal. Name what you keep: --keep NAME,NAME… of ${names}.`)
  }
  const { groupMultiselect, isCancel } = await import('@clack/prompts')
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

function printPlan({ full, tree, seams }: Slimmed, print: Write): void {
  const packagesOf = (files: Tree) => {
    const { dependencies, devDependencies } = JSON.parse(files.get('package.json') ?? '{}')
    return Object.keys({ ...dependencies, ...devDependencies })
  }
  const staying = packagesOf(tree)
  const packages = packagesOf(full).filter((name) => !staying.includes(name))
  const files = [...full.keys()].filter((path) => !tree.has(path))
  const changed = [...tree.keys()].filter((path) => full.get(path) !== tree.get(path))
  print(listOf('Files that go', files))
  print(listOf('Files that change', changed))
  print(listOf('Packages that go', packages))
  if (seams.length > 0) print(listOf('Code to mend by hand', seams))
  printLines(tree, print)
  print('Nothing was changed.')
}
