import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { EMULATOR_TESTS, FEATURE_TOOLS, OWN_FEATURE, WALLS } from './walls.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const ROOMS = Object.keys(WALLS)
const MOST_FILES = 14
/** Static and dynamic imports of other files, types included. */
const IMPORT = /\b(?:from|import) ?\(? ?['"](\.[^'"]+)['"]/g

/** Returns the room of a file: the longest name in the table that contains the file, or the room of a feature. */
function roomOf(path: string): string | undefined {
  const [feature] = /^src\/(?:tools\/)?features\/[^/]+(?=\/)/.exec(path) ?? []
  if (feature !== undefined && !ROOMS.includes(feature)) return feature
  return ROOMS.filter((room) => path === room || path.startsWith(`${room}/`)).sort((a, b) => b.length - a.length)[0]
}

/** Returns the files of src that a file imports. */
function importsOf(path: string, text: string): string[] {
  const targets = [...text.matchAll(IMPORT)].map(([, target = '']) => relative(ROOT, join(ROOT, dirname(path), target)))
  return targets.filter((target) => target.startsWith('src/'))
}

/** Returns the imports that the table does not allow. */
function forbidden(path: string, text: string): string[] {
  const from = roomOf(path)
  return importsOf(path, text).filter((target) => {
    const to = roomOf(target)
    if (from === undefined)
      return to === 'src/tools/emulator' && !EMULATOR_TESTS.some((folder) => path.startsWith(folder))
    const isInList = /^src\/(?:tools\/)?features\.ts$/.test(from) && to !== undefined && !ROOMS.includes(to)
    return to === undefined || !(to === from || isInList || allowedIn(from).includes(to))
  })
}

/** Returns the rooms that a room may import. */
function allowedIn(room: string): readonly string[] {
  if (!room.startsWith('src/tools/features/')) return WALLS[room] ?? OWN_FEATURE
  const inApp = room.replace('src/tools/', 'src/')
  return [...FEATURE_TOOLS, inApp, ...(WALLS[inApp] ?? OWN_FEATURE)]
}

const files = globSync(['src/**/*.ts', 'test/**/*.ts'], { cwd: ROOT })

test('a room imports only the rooms that its row in the table names', () => {
  const found = files.flatMap((path) =>
    forbidden(path, readFileSync(join(ROOT, path), 'utf8')).map((target) => `${path} imports ${target}`),
  )
  expect(found).toEqual([])
})

describe('the map in src/README.md', () => {
  const [, map = ''] = readFileSync(join(ROOT, 'src/README.md'), 'utf8').split('```')
  const inMap = [...map.matchAll(/^src\/\S*[^\s/]/gm)].map(([path]) => path)

  test('has the rooms of the table, in the same order', () => {
    expect(inMap.filter((path) => ROOMS.includes(path))).toEqual(ROOMS)
  })
  test('has a line for every folder of src, and for no other', () => {
    const folders = globSync('src/*/**/', { cwd: ROOT }).map((path) => path.replace(/\/$/, ''))
    // A fork may add a user store or a feature without touching the map.
    const isOwnFeature = (path: string) => !ROOMS.includes(roomOf(`${path}/plant.ts`) ?? 'src/errors.ts')
    const isOptional = (path: string) =>
      /^src\/(users|tools\/(emulator|features))\//.test(path) || path.endsWith('/public') || isOwnFeature(path)
    // The room of services is the place of later ones too.
    const known = [...folders, 'src/services']
    expect(inMap.filter((path) => !path.endsWith('.ts') && !known.includes(path))).toEqual([])
    expect(folders.filter((path) => !isOptional(path) && !inMap.includes(path))).toEqual([])
  })
})

test('every room of the table exists, and every file of src is in a room', () => {
  expect(ROOMS.filter((room) => !files.some((path) => path === room || path.startsWith(`${room}/`)))).toEqual([])
  expect(files.filter((path) => path.startsWith('src/') && roomOf(path) === undefined)).toEqual([])
})

describe('the check refuses', () => {
  test.each([
    ['an import of an upper room', 'src/login/plant.ts', "import { a } from '../app.ts'"],
    ['a type of an upper room', 'src/errors.ts', "import type { A } from './config.ts'"],
    ['a late import of an upper room', 'src/server/log/plant.ts', "await import('../../config.ts')"],
    ['a type named in place', 'src/server/plant.ts', "let a: import('../config.ts').Config"],
    ['the list of features in a command', 'src/tools/cli/doctor/plant.ts', "import { a } from '../../features.ts'"],
    ['the tools of another feature', 'src/tools/features/doors/plant.ts', "import { a } from '../sso/tools.ts'"],
    [
      'a feature of the app in a command',
      'src/tools/cli/doctor/plant.ts',
      "import { a } from '../../../features/sso/x.ts'",
    ],
    ['the emulator in the app', 'src/app.ts', "import { a } from './tools/emulator/app.ts'"],
    ['the emulator in another test', 'test/login/plant.ts', "import { a } from '../../src/tools/emulator/app.ts'"],
  ])('%s', (_name, path, text) => {
    expect(forbidden(path, text)).toHaveLength(1)
  })
})

test(`no folder of src has more than ${MOST_FILES} files`, () => {
  const counts = Map.groupBy(globSync('src/**/*.*', { cwd: ROOT, exclude: ['**/*part.json'] }), (path) => dirname(path))
  expect([...counts].filter(([, { length }]) => length > MOST_FILES).map(([path]) => path)).toEqual([])
})
