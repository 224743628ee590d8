import { belongsTo, type Part, readParts } from '../../../src/tools/slim/parts.ts'
import { slimmed, write } from '../../../src/tools/slim/slim.ts'
import { wordPattern } from '../../../src/tools/slim/texts.ts'
import { countLines, git, readTree } from '../../../src/tools/slim/tree.ts'
import { type Copy, copyOf, ROOT } from './copy.ts'
import { BUDGET, lineCounts } from './lines.ts'

/** What stores keep of viewers stays readable, and no guest may write it: a table of a database is not removed. */
const DATA = /^src\/users\/|^src\/features\/registration\/settings\/field|^src\/tools\/cli\/viewers\/(?:show|sessions)/

/** Finds the lines that still name a removed part, as `file:line: text`. */
function leftWords({ tree, removed }: Pick<ReturnType<typeof slimmed>, 'tree' | 'removed'>): string[] {
  const words = removed.flatMap((part) => part.words.map(wordPattern))
  return [...tree]
    .filter(([path]) => !DATA.test(path) && !/^test\/|^\.ci\/|part\.json$|^package(?:-lock)?\.json$/.test(path))
    .flatMap(([path, text]) =>
      text
        .split('\n')
        .flatMap((line, index) =>
          words.some((word) => word.test(line)) ? `${path}:${index + 1}: ${line.trim()}` : [],
        ),
    )
}

/**
 * Builds the typical forks from the last commit, then removes each part alone, and checks what is left. Arguments: the
 * names of parts that go together, `--keep NAME,…`, or `--pairs`: two parts at once. None: all but the pairs.
 * `--within SECONDS` checks the typical forks in full, starts no other check after that time, and begins with another part
 * after each commit.
 */
const project = readTree(ROOT)
const parts = readParts(project).filter(({ choice, always }) => choice && !always)
/** The unit tests that read the whole project: most differences after the removal of one part are in these. */
const FILES = [
  'test/walls.test.ts',
  'test/config.test.ts',
  'test/asvs',
  'test/settings',
  'test/documentation',
  'test/languages',
  'test/faults',
  'test/tools/slim',
  'test/tools/cli/readme.test.ts',
]
const TYPES = ['tsc', 'knip --no-progress']
const UNIT = 'vitest run --config test/vitest.config.ts --project unit --silent --reporter=minimal'
const CHECKS = [...TYPES, `${UNIT} ${FILES.join(' ')}`]
/** In the typical forks: all unit tests, the format, and the drill as the fork's own `.ci/run` calls it. */
const FORK_CHECKS = [...TYPES, UNIT, 'biome check --error-on-warnings .', 'node test/tools/slim/drill.ts']

interface Fork {
  readonly title: string
  readonly keep: readonly string[]
  readonly most: number
  readonly checks: readonly string[]
}

/** The fork without some parts, nor those that need them. */
function without(...gone: readonly string[]): Fork {
  const needing = parts.filter(({ name, needs }: Part) => {
    const isHelpless = (need: string) => need.split('|').every((one) => gone.includes(one))
    return !gone.includes(name) && needs.some(isHelpless)
  })
  if (needing.length > 0) return without(...gone, ...needing.map(({ name }) => name))
  const keep = parts.map(({ name }) => name).filter((name) => !gone.includes(name))
  return { title: `without ${gone.join(', ')}`, keep, most: Number.POSITIVE_INFINITY, checks: CHECKS }
}

/** The pairs of parts that share a file or a need. Where one brings the other with it, there is nothing to add. */
function pairs(): Fork[] {
  const isJoined = (a: Part, b: Part) =>
    a.needs.some((need) => b.needs.includes(need)) ||
    [...project.keys()].some((path) => belongsTo(a, path) && belongsTo(b, path))
  const isAlone = (a: Part, b: Part) => without(a.name).keep.includes(b.name)
  return parts.flatMap((a, index) =>
    parts
      .slice(index + 1)
      .filter((b) => isJoined(a, b) && isAlone(a, b) && isAlone(b, a))
      .map((b) => ({ ...without(a.name, b.name), checks: TYPES })),
  )
}

function only(keep: string): Fork {
  const most = BUDGET.forks[keep] ?? Number.POSITIVE_INFINITY
  return { title: `only ${keep}`, keep: keep.split(','), most, checks: FORK_CHECKS }
}

/** Makes the fork in the copy. @returns the lines of src, and what is wrong with it. */
async function check(
  { folder, run }: Copy,
  { keep, most, checks }: Fork,
): Promise<{ lines: number; faults: string[] }> {
  const fork = slimmed(folder, keep)
  write(folder, fork)
  const lines = countLines(readTree(folder), 'src/')
  const faults = [...fork.seams, ...leftWords(fork)]
  if (lines > most) faults.push(`The budget of test/tools/slim/budget.json is ${most} lines of src.`)
  for (const command of checks) {
    const { ok, output } = await run(`node_modules/.bin/${command}`)
    if (!ok) faults.push(`${command}\n${output}`)
  }
  return { lines, faults }
}

async function checkAll(queue: Fork[], endsAtMs = Number.POSITIVE_INFINITY): Promise<void> {
  const copy = await copyOf('HEAD')
  try {
    for (let fork = queue.shift(); fork !== undefined; fork = queue.shift()) {
      const start = performance.now()
      if (start > endsAtMs && fork.most === Number.POSITIVE_INFINITY) {
        console.log(`${fork.title}: not checked, for want of time`)
        continue
      }
      const { lines, faults } = await check(copy, fork)
      const seconds = Math.round((performance.now() - start) / 1000)
      console.log(`${fork.title}: ${lines} lines of src, ${faults.length === 0 ? 'green' : 'RED'} (${seconds} s)`)
      if (faults.length > 0) {
        console.log(faults.join('\n'))
        process.exitCode = 1
      }
      await copy.reset()
    }
  } finally {
    copy.remove()
  }
}

/** Begins a list with another item after each commit. */
function inTurn<T>(items: readonly T[]): T[] {
  const from = Number(git(ROOT, 'rev-list', '--count', 'HEAD')) % items.length
  return [...items.slice(from), ...items.slice(0, from)]
}

const [first, ...others] = process.argv.slice(2)
const all = [...Object.keys(BUDGET.forks).map(only), ...inTurn(parts).map(({ name }) => without(name))]
/** The forks that the arguments choose. */
function chosen(): Fork[] {
  if (first === undefined || first === '--within') return all
  if (first === '--keep') return others.map(only)
  return first === '--pairs' ? pairs() : [first, ...others].map((names) => without(...names.split(',')))
}

if ('slim' in JSON.parse(project.get('package.json') ?? '{}')) {
  console.log('This is a slim fork. The drill is for the kit, which has all parts.')
} else {
  for (const { what, lines, most } of lineCounts(project)) {
    console.log(`${what}: ${lines} lines${most < Number.POSITIVE_INFINITY ? ` of at most ${most}` : ''}`)
  }
  const queue = chosen()
  const endsAtMs = first === '--within' ? Number(others[0]) * 1000 : undefined
  await Promise.all([checkAll(queue, endsAtMs), checkAll(queue, endsAtMs)])
}
