import { parseArgs } from 'node:util'
import { type Part, readParts } from '../../../src/tools/slim/parts.ts'
import { slimmed, write } from '../../../src/tools/slim/slim.ts'
import { countLines, readTree } from '../../../src/tools/slim/tree.ts'
import { type Copy, copyOf, ROOT } from './copy.ts'
import { leftWords } from './left-words.ts'

/** Removes each part alone from the last commit, and checks what is left: types, lint, dead code, words of the part. */
const { values, positionals } = parseArgs({ allowPositionals: true, options: { tests: { type: 'boolean' } } })

const parts = readParts(readTree(ROOT)).filter(({ choice, always }) => choice && !always)
const TESTS = 'node_modules/.bin/vitest run --config test/vitest.config.ts --project unit --reporter=dot'
const CHECKS = [
  'node_modules/.bin/tsc',
  'node_modules/.bin/biome check --error-on-warnings .',
  'node_modules/.bin/knip --no-progress',
  values.tests ? TESTS : `${TESTS} test/walls.test.ts`,
]

/** The names of all parts but one, and but those that need it. */
function without(gone: readonly string[]): string[] {
  const needing = parts.filter(({ name, needs }: Part) => {
    const isHelpless = (need: string) => need.split('|').every((one) => gone.includes(one))
    return !gone.includes(name) && needs.some(isHelpless)
  })
  if (needing.length > 0) return without([...gone, ...needing.map(({ name }) => name)])
  return parts.map(({ name }) => name).filter((name) => !gone.includes(name))
}

/** @returns what is wrong with the fork that does not keep a part. */
async function faults(copy: Copy, keep: readonly string[]): Promise<string[]> {
  const fork = slimmed(copy.folder, keep)
  write(copy.folder, fork)
  const found = [...fork.seams, ...leftWords(fork)]
  for (const check of CHECKS) {
    const { ok, output } = await copy.run(check)
    if (!ok) found.push(`${check}\n${output}`)
  }
  return found
}

async function drill(queue: string[]): Promise<void> {
  const copy = await copyOf('HEAD')
  try {
    for (let names = queue.shift(); names !== undefined; names = queue.shift()) {
      const start = performance.now()
      const found = await faults(copy, without(names.split(',')))
      const lines = countLines(readTree(copy.folder), 'src/')
      const seconds = ((performance.now() - start) / 1000).toFixed(0)
      console.log(`without ${names}: ${lines} lines of src, ${found.length === 0 ? 'green' : 'RED'} (${seconds} s)`)
      if (found.length > 0) {
        console.log(found.join('\n'))
        process.exitCode = 1
      }
      await copy.reset()
    }
  } finally {
    copy.remove()
  }
}

const queue = positionals.length > 0 ? positionals : parts.map(({ name }) => name)
await Promise.all([drill(queue), drill(queue)])
