import { parseArgs } from 'node:util'
import { slimmed, write } from '../../../src/tools/slim/slim.ts'
import { wordPattern } from '../../../src/tools/slim/texts.ts'
import { countLines, readTree } from '../../../src/tools/slim/tree.ts'
import { type Copy, copyOf } from './copy.ts'
import {
  adding,
  byChance,
  type Fork,
  inTurn,
  isTypical,
  only,
  pairs,
  project,
  single,
  typical,
  without,
} from './forks.ts'
import { lineCounts } from './lines.ts'

const USAGE = `Builds forks from the last commit and checks each one, two at a time.

  node test/tools/slim/drill.ts                    the typical forks, each part removed alone, each part added alone
  node test/tools/slim/drill.ts --within SECONDS   the typical forks; then others as long as there is time, in turn
  node test/tools/slim/drill.ts NAME,… …           without these parts
  node test/tools/slim/drill.ts --keep NAME,… …    with these parts
  node test/tools/slim/drill.ts --add NAME …       the smallest fork with this part
  node test/tools/slim/drill.ts --random COUNT [--seed NUMBER]
  node test/tools/slim/drill.ts --pairs            without two parts that share something, types only
`

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

/** The unit tests that read the whole project: most differences are in these. */
const PROJECT_TESTS = [
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
const VITEST = 'vitest run --config test/vitest.config.ts --silent --reporter=minimal --project'
const TYPES = ['tsc', 'knip --no-progress']
const BIOME = 'biome check --error-on-warnings .'
const WAYS_IN = `${VITEST} app ways-in.app.test.ts`

/** The commands that check a fork. A fork that was slimmed changes the tests that name what went. */
function commandsFor({ checks }: Fork, { full, tree }: ReturnType<typeof slimmed>): string[] {
  if (checks === 'types') return TYPES
  // The last is the drill as the fork's own `.ci/run` calls it.
  if (checks === 'full') return [...TYPES, BIOME, `${VITEST} unit`, WAYS_IN, 'node test/tools/slim/drill.ts']
  const changed = [...tree].filter(([path, text]) => path.endsWith('.test.ts') && full.get(path) !== text)
  const tests = [...PROJECT_TESTS, ...changed.map(([path]) => path)].filter((path) => !isGone(tree, path))
  return [...TYPES, BIOME, `${VITEST} unit ${tests.join(' ')}`, WAYS_IN]
}

function isGone(tree: ReadonlyMap<string, string>, path: string): boolean {
  return ![...tree.keys()].some((file) => file === path || file.startsWith(`${path}/`))
}

/** Makes the fork in the copy. @returns the lines of src, and what is wrong with it. */
async function check({ folder, run, install }: Copy, fork: Fork): Promise<{ lines: number; faults: string[] }> {
  const left = slimmed(folder, fork.keep)
  write(folder, left)
  install()
  const lines = countLines(readTree(folder), 'src/')
  const faults = [...left.seams, ...leftWords(left)]
  if (lines > fork.most) faults.push(`The budget of test/tools/slim/budget.json is ${fork.most} lines of src.`)
  for (const command of commandsFor(fork, left)) {
    const { ok, output } = await run(command)
    if (!ok) faults.push(`${command}\n${output}`)
  }
  return { lines, faults }
}

const counts = { green: 0, red: 0, 'not checked': 0 }

async function checkAll(queue: Fork[], endsAtMs: number): Promise<void> {
  const copy = await copyOf('HEAD')
  try {
    for (let fork = queue.shift(); fork !== undefined; fork = queue.shift()) {
      const start = performance.now()
      if (start > endsAtMs && !isTypical(fork)) {
        counts['not checked']++
        continue
      }
      const { lines, faults } = await check(copy, fork)
      const seconds = Math.round((performance.now() - start) / 1000)
      const isGreen = faults.length === 0
      counts[isGreen ? 'green' : 'red']++
      console.log(`${fork.title}: ${lines} lines of src, ${isGreen ? 'green' : 'RED'} (${seconds} s)`)
      if (!isGreen) console.log(faults.join('\n'))
      await copy.reset()
    }
  } finally {
    copy.remove()
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    within: { type: 'string' },
    keep: { type: 'boolean' },
    add: { type: 'boolean' },
    random: { type: 'string' },
    seed: { type: 'string' },
    pairs: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})

/** The forks that the arguments choose. */
function chosen(): Fork[] {
  if (values.pairs) return pairs()
  if (values.random !== undefined) {
    const seed = Number(values.seed ?? Date.now() % 1_000_000)
    console.log(`--seed ${seed}`)
    return byChance(Number(values.random), seed)
  }
  if (values.add) return positionals.map(adding)
  if (values.keep) return positionals.map(only)
  if (positionals.length > 0) return positionals.map((names) => without(...names.split(',')))
  return [...typical, ...inTurn(single)]
}

if (values.help) {
  console.log(USAGE)
} else if ('slim' in JSON.parse(project.get('package.json') ?? '{}')) {
  console.log('This is a slim fork. The drill is for the kit, which has all parts.')
} else {
  for (const { what, lines, most } of lineCounts(project)) {
    console.log(`${what}: ${lines} lines${most < Number.POSITIVE_INFINITY ? ` of at most ${most}` : ''}`)
  }
  const queue = chosen()
  const endsAtMs = values.within === undefined ? Number.POSITIVE_INFINITY : Number(values.within) * 1000
  await Promise.all([checkAll(queue, endsAtMs), checkAll(queue, endsAtMs)])
  console.log(
    Object.entries(counts)
      .map(([what, count]) => `${count} ${what}`)
      .join(', '),
  )
  if (counts.red > 0) process.exitCode = 1
}
