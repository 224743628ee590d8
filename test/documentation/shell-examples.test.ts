import { existsSync, globSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { slimCommand } from '../../src/tools/slim/slim-command.ts'
import { runHere } from '../tools/cli/run-here.ts'
import { commandsOf } from './command-table.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const PAGES = globSync('{*.md,.github/**/*.md,{src,test,views}/**/*.md}', { cwd: ROOT })
const SCRIPTS: Readonly<Record<string, string>> = JSON.parse(textOf('package.json')).scripts

interface Line {
  /** The page, or the command whose help has the line. */
  readonly from: string
  /** The line with those that continue it, and without its comment. */
  readonly text: string
}

const linesOf = (from: string, example: string): Line[] =>
  example
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((text) => ({ from, text: text.replace(/(?:^|\s)#.*/, '').trim() }))

/** The lines of all examples of a kind, such as `sh`. */
const examples = (...kinds: string[]) =>
  PAGES.flatMap((page) =>
    [...textOf(page).matchAll(/^ *```(\w*)\n([\s\S]*?)^ *```/gm)].flatMap(([, kind = '', example = '']) =>
      kinds.includes(kind) ? linesOf(page, example) : [],
    ),
  )

async function helpExamples(): Promise<Line[]> {
  const commands = await commandsOf()
  const lines = commands.map(async ({ name }) => {
    const { stdout } = await runHere([...name.split(' '), '--help'], { cwd: tmpdir() })
    return [...stdout.matchAll(/^ {2}\$ (.*)/gm)].flatMap(([, example = '']) => linesOf(name, example))
  })
  return (await Promise.all(lines)).flat()
}

/** Splits the rest of a line into words, up to the end of the command. */
function wordsOf(rest: string): string[] {
  const [command = ''] = /^(?:'[^']*'|"[^"]*"|[^'"|&;<>()])*/.exec(rest) ?? []
  return (command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []).map((word) => word.replaceAll(/['"]/g, ''))
}

async function parse(args: readonly string[]): Promise<string> {
  const { status, stderr } = await runHere(args, { cwd: tmpdir() })
  return status === 2 ? stderr : ''
}

/** Parses the arguments of each script that takes some. Returns what is wrong with them. */
const PARSERS: Readonly<Record<string, (args: readonly string[]) => string | Promise<string>>> = {
  'viewer-auth': parse,
  setup: (args) => parse(['setup', ...args]),
  // A test of its own room parses these.
  emulator: () => '',
  async slim(args) {
    const errors: string[] = []
    const io = { out: () => {}, err: (text: string) => void errors.push(text), isTerminal: false }
    await slimCommand([...args, '--help'], ROOT, io)
    return errors.join('')
  },
}

/** The calls of the command line in a container are calls of `viewer-auth` too. */
const CALL =
  /npm run (?:-s )?([a-z][\w:-]*)(?: --(?= ))?|node src\/tools\/cli\/main\.ts|run --rm(?= viewers )|(?<=^|\| |=\S+ )viewer-auth(?= [a-z])/g

async function faultsOf({ from, text }: Line): Promise<string[]> {
  const calls = [...text.matchAll(CALL)].map(async (call) => {
    const script = call[1] ?? 'viewer-auth'
    const args = wordsOf(text.slice(call.index + call[0].length))
    if (SCRIPTS[script] === undefined) return `There is no script ${script}.`
    if (args.length === 0 && script !== 'viewer-auth') return ''
    return (await PARSERS[script]?.(args)) ?? `${script} takes no arguments.`
  })
  return (await Promise.all(calls)).filter(Boolean).map((fault) => `${from}: ${text}: ${fault}`)
}

/** No command does its work. */
beforeAll(() => {
  const { action } = Command.prototype
  vi.spyOn(Command.prototype, 'action').mockImplementation(function (this: Command) {
    return action.call(this, () => {})
  })
})
afterAll(() => void vi.restoreAllMocks())

test.each([
  ['of a page', examples('', 'sh')],
  ['in the help of a command', await helpExamples()],
])('the program understands its arguments in an example %s', async (_where, lines) => {
  expect(lines.some(({ text }) => text.search(CALL) !== -1)).toBe(true)
  expect((await Promise.all(lines.map(faultsOf))).flat()).toEqual([])
})

test('a file of the project in an example exists', () => {
  const faults = examples('', 'sh').flatMap(({ from, text }) =>
    (text.match(/(?<![\w/.:-])[\w.][\w./-]*(?:\.(?:yaml|conf|service|ts)|\.env\.example)\b|\bCaddyfile\b/g) ?? [])
      .filter((path) => ![ROOT, join(ROOT, dirname(from))].some((folder) => existsSync(join(folder, path))))
      .map((path) => `${from}: ${path}`),
  )
  expect(faults).toEqual([])
})

test('a setting in an example exists', () => {
  const files = globSync(['src/**/*.{ts,example}', '*.yaml', '.env.example'], { cwd: ROOT })
  const code = files.map(textOf).join('\n')
  const isKnown = (name: string) =>
    [name, name.replace(/_FILE$/, '')].some((one) => new RegExp(`\\b${one}\\b`).test(code))
  const faults = examples('', 'sh', 'ini').flatMap(({ from, text }) =>
    [...text.matchAll(/^(?:export |echo "|.*; do )?([A-Z][A-Z\d_]*)=/g)].flatMap(([, name = '']) =>
      isKnown(name) ? [] : `${from}: ${name}`,
    ),
  )
  expect(faults).toEqual([])
})
