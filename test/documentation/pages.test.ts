import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { commandsOf } from './command-table.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FILES = globSync('{*.md,.github/**/*.md,{src,test,views}/**/*.md}', { cwd: ROOT })
const PAGES = FILES.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')] as const)
const CODE = globSync(['src/**/*.{ts,mjs,yaml}', '*.yaml', '.github/**/*.yaml'], { cwd: ROOT })
  .map((file) => readFileSync(join(ROOT, file), 'utf8'))
  .join('\n')
const OPTIONS = new Map((await commandsOf()).map(({ name, options }) => [name, options]))
const COMMANDS = [...OPTIONS.keys()]
const SCRIPTS = Object.keys(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts)

const prose = (page: string) => page.replaceAll(/^ *```[\s\S]*?^ *```$/gm, 'example')

/** The anchors of the headings of a page, such as `the-log`. */
const anchorsIn = (page: string) =>
  [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\d_ -]/gu, '')
      .replaceAll(' ', '-'),
  )

/** Finds faults in all pages, as `file: fault`. */
const faultsOf = (find: (page: string, file: string) => readonly string[]) =>
  PAGES.flatMap(([file, page]) => find(page, file).map((fault) => `${file}: ${fault}`))

test('links lead to files and headings that exist', () => {
  const isBroken = (file: string, target: string, anchor: string | undefined) => {
    const path = target === '' ? join(ROOT, file) : join(ROOT, dirname(file), target)
    if (!existsSync(path)) return true
    if (anchor === undefined || !path.endsWith('.md')) return false
    return !anchorsIn(readFileSync(path, 'utf8')).includes(anchor)
  }
  const faults = faultsOf((page, file) =>
    [...prose(page).matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(([link, target = '', anchor]) =>
      isBroken(file, target, anchor) ? link : [],
    ),
  )
  expect(faults).toEqual([])
})

test('each table has a head and rows, each section a text, and no example is cut', () => {
  const faults = faultsOf((page) => {
    const text = `\n${prose(page)}`
    const headings = [...text.matchAll(/^(#+) .*\n+(?=(#+) |$(?![\s\S]))/gm)]
    return [
      ...(text.match(/\n(?!\|).*\n\|.*\n(?!\|[-|: ]+\n)/g) ?? []),
      ...(text.match(/^\|[-|: ]+\n(?!\|)/gm) ?? []),
      ...headings.filter(([, own = '', next = '']) => next.length <= own.length).map(([heading]) => heading),
      ...(page.match(/^\s*```\w+\n\s*```$|\\\n\s*```$/gm) ?? []),
    ]
  })
  expect(faults).toEqual([])
})

test('commands and scripts exist', () => {
  const groups = new Set(COMMANDS.filter((name) => name.includes(' ')).map((name) => name.split(' ')[0] ?? ''))
  // The library of the completion adds its command only when it runs.
  const isCommand = (words: string) =>
    words.startsWith('complete ') ||
    COMMANDS.some((name) => `${words} `.startsWith(`${name} `) || `${name} `.startsWith(`${words} `))
  const faults = faultsOf((page, file) => {
    if (file === '.github/RELEASES.md') return []
    const called = [...page.matchAll(/(?<!-)viewer-auth (?:-- )?(?!npm |rm )([a-z][\w-]*(?: [a-z][\w-]*)*)/g)].map(
      ([, words = '']) => words,
    )
    const quoted = [...page.matchAll(/`([a-z-]+) ([a-z-]+)(?: [^`]*)?`/g)].flatMap(([, group = '', name]) =>
      groups.has(group) ? `${group} ${name}` : [],
    )
    const scripts = [...page.matchAll(/npm run (?:-s )?([a-z][\w:-]*)/g)].map(([, name = '']) => name)
    return [
      ...[...called, ...quoted].filter((words) => !isCommand(words)),
      ...scripts.filter((name) => !SCRIPTS.includes(name)),
    ]
  })
  expect(faults).toEqual([])
})

test('options in examples exist', () => {
  const called = /(?:(?<!-)viewer-auth (?:-- )?|`)([a-z][\w-]*(?: [a-z][\w-]*)*)((?:\\\n|[^\n`#|>&;])*)/g
  const faults = faultsOf((page) =>
    [...page.matchAll(called)].flatMap(([, words = '', rest = '']) => {
      const name = COMMANDS.find((command) => `${words} `.startsWith(`${command} `))
      const known = OPTIONS.get(name ?? '') ?? []
      const given = rest.match(/(?<![\w-])--[a-z][\w-]*/g) ?? []
      return name ? given.filter((option) => !known.includes(option)).map((option) => `${name} ${option}`) : []
    }),
  )
  expect(faults).toEqual([])
})

test('routes exist', () => {
  const faults = faultsOf((page) =>
    [...page.matchAll(/`(?:GET|POST) (\/[\w./-]+)[`?]/g)].flatMap(([, path = '']) => (CODE.includes(path) ? [] : path)),
  )
  expect(faults).toEqual([])
})
