import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { importsOf } from '../../../src/tools/slim/modules.ts'
import { belongsTo, type Part, readParts } from '../../../src/tools/slim/parts.ts'
import { ROOT } from './copy.ts'

/** A file that a part names, or that the core names, lies in this part, in the core, or in a part that it needs. */

const PATHS = globSync('{src,test,views,public}/**/*.*', { cwd: ROOT }).filter((path) =>
  statSync(join(ROOT, path)).isFile(),
)
const TREE = new Map(PATHS.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]))
const PARTS = readParts(TREE)

function ownersOf(path: string): Part[] {
  return PARTS.filter((part) => belongsTo(part, path))
}

/** Returns the parts that are there in every fork with some parts. */
function withNeeds(parts: readonly Part[]): Set<Part> {
  const found = new Set([...parts, ...PARTS.filter(({ always }) => always)])
  for (const { needs } of found) for (const part of PARTS) if (needs.includes(part.name)) found.add(part)
  return found
}

/** Returns the parts that must go for a file to go, and that a fork with the other file may lack. */
function missingParts(user: string, used: string): string[] {
  const there = withNeeds(ownersOf(user))
  return ownersOf(used)
    .filter((part) => !there.has(part))
    .map(({ name }) => name)
}

/** Returns the uses that a fork may lack, as `file uses file of part`. */
function faults(uses: readonly (readonly [user: string, used: string])[]): string[] {
  return uses.flatMap(([user, used]) => {
    if (!TREE.has(used)) return [`${user} uses ${used}, which does not exist`]
    return missingParts(user, used).map((part) => `${user} uses ${used} of ${part}`)
  })
}

/** Finds what a pattern's first group names in the files of some folders. */
function named(files: RegExp, pattern: RegExp, toPath: (name: string, user: string) => string) {
  return PATHS.filter((path) => files.test(path)).flatMap((path) =>
    [...(TREE.get(path) ?? '').matchAll(pattern)].map(([, name = '']) => [path, toPath(name, path)] as const),
  )
}

/** The login app: the page for managers, the emulator and the command line have files of their own. */
const APP = /^(?:src\/(?!tools\/)|views\/(?!manager\/)).*\.(?:ts|ejs)$/

test('a style sheet, script or picture is there wherever the app names it', () => {
  const inCode = named(
    APP,
    /(?:\basset(?:Address)?\(|stylesheet: |script: )'([\w.-]+\.\w+)'/g,
    (name) => `public/${name}`,
  )
  const inStyles = named(/^public\/.*\.css$/, /url\(['"]?([\w.-]+)['"]?\)/g, (name) => `public/${name}`)
  const uses = [...inCode, ...inStyles].filter(([, used]) => used !== 'public/screen.css')
  expect(uses.length).toBeGreaterThan(0)
  expect(faults(uses)).toEqual([])
})

test('a template is there wherever a template or code names it', () => {
  const included = named(/^views\/.*\.ejs$/, /include\('([\w./-]+)'/g, (name, user) =>
    normalize(join(dirname(user), `${name}.ejs`)),
  )
  const compiled = named(/^src\/.*\.ts$/, /(?<=compileView\(|template: )'([\w./-]+)'/g, (name) => `views/${name}.ejs`)
  const byPath = named(/^src\/.*\.ts$/, /'([\w-]+\/[\w-]+)'/g, (name) => `views/${name}.ejs`)
  const others = byPath.filter(([, used]) => TREE.has(used))
  expect(faults([...included, ...compiled, ...others])).toEqual([])
})

test('a service is there wherever code uses it', () => {
  const uses = PATHS.filter((path) => /^src\/.*\.ts$/.test(path)).flatMap((path) =>
    importsOf(path, TREE.get(path) ?? '').map(({ target }) => [path, target] as const),
  )
  expect(faults(uses.filter(([, used]) => /^src\/services\/[^/]+\/[^/]+$/.test(used)))).toEqual([])
})

test('a class of a template is in a style sheet that each fork with the template has, if it is in any', () => {
  const styled = new Map<string, string[]>()
  for (const [sheet, name] of named(/^public\/.*\.css$/, /\.([a-z][\w-]*)(?=[^}]*\{)/g, (one) => one)) {
    styled.set(name, [...(styled.get(name) ?? []), sheet])
  }
  const classes = named(/^views\/(?!manager\/|mail\/).*\.ejs$/, /class="([^"]*)"/g, (names) => names)
  const lost = classes.flatMap(([template, names]) =>
    names.split(/[^\w-]+/).flatMap((name) => {
      const sheets = styled.get(name) ?? []
      const isThere = sheets.length === 0 || sheets.some((sheet) => missingParts(template, sheet).length === 0)
      return isThere ? [] : [`${basename(template)}: .${name} is only in ${sheets.join(', ')}`]
    }),
  )
  expect(lost).toEqual([])
})

test('a package that code loads by name is one that slim sees', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const packages = Object.keys({ ...dependencies, ...devDependencies })
  // The guard of the unit tests does without the package.
  const loaded = named(/^(?!test\/unit-guard).*\.[cm]?[jt]s$/, /\)\('([@\w][\w./-]*)'\)/g, (name) => name)
  expect(loaded.filter(([, name]) => packages.some((one) => name === one || name.startsWith(`${one}/`)))).toEqual([])
})
