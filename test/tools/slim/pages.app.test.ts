import { extname } from 'node:path'
import { expect, test } from 'vitest'
import { type Block, blocksOf } from '../../../src/tools/slim/page.ts'
import { belongsTo, type Part, readParts } from '../../../src/tools/slim/parts.ts'
import { wordPattern } from '../../../src/tools/slim/texts.ts'
import { readTree } from '../../../src/tools/slim/tree.ts'
import { ROOT } from './copy.ts'

const PROJECT = readTree(ROOT)
const PARTS = readParts(PROJECT)
/** The rows of these pages have proofs, and release notes tell of the past. */
const ANY_ROW = /asvs\.md$|advisories\.md$|wcag\.md$|RELEASES\.md$/
const SENTENCE_END = /[.?!](?=[\s*)`"]*\s)/

/** The parts that stay with a part, its own name first. */
function neededBy(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found
  found.add(name)
  for (const part of PARTS) if (part.name === name) for (const need of part.needs) neededBy(need, found)
  return found
}

/** Finds the parts that a text names and its file can be without. */
function namersAt(path: string): (text: string) => readonly Part[] {
  const own = new Set(PARTS.filter((part) => belongsTo(part, path)).flatMap(({ name }) => [...neededBy(name)]))
  const others = PARTS.filter(({ name }) => !own.has(name)).map((part) => ({
    part,
    words: part.words.map(wordPattern),
  }))
  return (text) => others.filter(({ words }) => words.some((word) => word.test(text))).map(({ part }) => part)
}

/** The text of a block by which its reader knows what it is about: the first sentence or cell, each line of an example. */
function subjectsOf({ kind, lines }: Block, isGenerated: boolean): readonly (readonly [string, string])[] {
  if (kind === 'example') return []
  if (kind === 'table') return isGenerated ? [] : lines.map((line) => [line, line.split(' | ')[0] ?? ''])
  const text = lines
    .map((line) => line.trim())
    .join(' ')
    .replace(/^(?:[-*]|\d+\.) /, '')
  return [[text, text.split(SENTENCE_END)[0] ?? '']]
}

function faultsOfPage(path: string, text: string): string[] {
  const named = namersAt(path)
  const blocks = blocksOf(text)
  return blocks.flatMap((block, index) => {
    const isGenerated = ANY_ROW.test(path) || blocks[index - 1]?.lines.at(-1)?.endsWith('npm run docs -->') === true
    return subjectsOf(block, isGenerated).flatMap(([whole, subject]) => {
      const inSubject = named(subject)
      return named(whole)
        .filter((part) => !inSubject.includes(part))
        .map(({ name }) => `${path}: ${name}: ${whole}`)
    })
  })
}

/** A comment goes with the settings below it, so these must be of the same part. */
function faultsOfSettings(path: string, text: string): string[] {
  const named = namersAt(path)
  return text.split('\n\n').flatMap((block) => {
    const settings = block.split('\n').filter((line) => /^#?[A-Z][A-Z0-9_]*=/.test(line))
    return named(block.replaceAll(/^#?[A-Z][A-Z0-9_]*=.*$/gm, ''))
      .filter(({ name }) => settings.some((line) => !named(line).some((part) => neededBy(part.name).has(name))))
      .map(({ name }) => `${path}: ${name}: ${settings.join(' ')}`)
  })
}

function faultsOfComments(path: string, text: string): string[] {
  const named = namersAt(path)
  return text
    .split('\n')
    .filter((line) => /^\s*(?:\/\/|\/?\*)/.test(line))
    .flatMap((line) => named(line).map(({ name }) => `${path}: ${name}: ${line.trim()}`))
}

const READERS: Readonly<Record<string, (path: string, text: string) => string[]>> = {
  '.md': faultsOfPage,
  '.example': faultsOfSettings,
  '.ts': faultsOfComments,
  '.js': faultsOfComments,
  '.cjs': faultsOfComments,
  '.css': faultsOfComments,
}

test.each(Object.entries(READERS))(
  'slim need not edit English in a file %s: a text about a part begins with it',
  (end, faultsOf) => {
    const files = [...PROJECT].filter(([path]) => extname(path) === end && !/^test\/|^src\/tools\/slim\//.test(path))
    expect(files.flatMap(([path, text]) => (path === '.github/RELEASES.md' ? [] : faultsOf(path, text)))).toEqual([])
  },
)
