import { expect, test } from 'vitest'
import { wordOf } from '../../../src/tools/slim/modules.ts'
import { checkNames, partsBrought, partsToRemove, readParts, WrongChoice } from '../../../src/tools/slim/parts.ts'
import { slimTree } from '../../../src/tools/slim/slim-tree.ts'
import type { Tree } from '../../../src/tools/slim/tree.ts'

const PARTS = {
  'src/users/files/part.json': '{ "name": "files", "kind": "user store", "about": "a file" }',
  'src/users/ldap/part.json': '{ "name": "ldap", "kind": "user store", "about": "LDAP", "words": ["LDAP", "LDAP_"] }',
  'src/features/kiosk/part.json':
    '{ "name": "kiosk", "kind": "feature", "about": "provider", "needs": ["panel"], "words": ["kiosk mode"] }',
  'src/services/panel/part.json': '{ "name": "panel", "kind": "feature", "about": "panel", "choice": false }',
  'src/features/keys/part.json':
    '{ "name": "keys", "kind": "feature", "about": "keys", "needs": ["files|ldap", "panel"], "words": ["passkey"] }',
}
const MAIN = { 'src/main.ts': "import { stores } from './stores.ts'\n\nstores()\n" }

/** Removes parts from a project with these files. */
function without(
  names: readonly string[],
  files: Readonly<Record<string, string>>,
): { tree: Tree; seams: readonly string[] } {
  const full: Tree = new Map(Object.entries({ ...PARTS, ...MAIN, ...files }))
  const removed = readParts(full).filter(({ name }) => names.includes(name))
  return slimTree(full, removed)
}

const textWithout = (name: string, path: string, text: string) => without([name], { [path]: text }).tree.get(path)

const keep = (...names: string[]) =>
  partsToRemove(readParts(new Map(Object.entries(PARTS))), names).map(({ name }) => name)

test('parts that are not kept go, and a part brings what it needs', () => {
  expect(keep('files')).toEqual(['keys', 'kiosk', 'panel', 'ldap'])
  expect(keep('files', 'kiosk')).toEqual(['keys', 'ldap'])
  expect(keep('ldap', 'keys')).toEqual(['kiosk', 'files'])
})

test('a part that stays only for others is named, with the parts that need it', () => {
  const part = (name: string, kind: string, needs: readonly string[]) =>
    [`src/${name}/part.json`, JSON.stringify({ name, kind, about: name, needs })] as const
  const parts = readParts(
    new Map([part('files', 'user store', []), part('log', 'feature', []), part('page', 'tool', ['log'])]),
  )
  const brought = partsBrought(parts, ['files', 'page'])
  expect(brought.map((one) => [one.part.name, one.neededBy])).toEqual([['log', ['page']]])
  expect(partsBrought(parts, ['files', 'log', 'page'])).toEqual([])
})

test('a choice without a user store, and an unknown name, are refused', () => {
  expect(() => keep('kiosk')).toThrow(WrongChoice)
  expect(() => checkNames(readParts(new Map(Object.entries(PARTS))), ['files', 'radius'])).toThrow('radius')
})

test('folders and assets with the name of the part go', () => {
  const mine = [
    'src/tools/doctor/kiosk/check.ts',
    'test/features/kiosk/a.test.ts',
    'views/kiosk/x.ejs',
    'public/kiosk.css',
  ]
  const others = ['src/tools/kiosk-like/check.ts', 'views/sign-in.ejs', 'public/kioskid.css']
  const { tree } = without(['kiosk'], Object.fromEntries([...mine, ...others].map((path) => [path, 'x\n'])))
  expect(mine.filter((path) => tree.has(path))).toEqual([])
  expect(others.filter((path) => tree.has(path))).toEqual(others)
})

test.each([
  ['an object', 'export const stores = {\n  files,\n  ldap,\n}\n', 'export const stores = {\n  files,\n}\n'],
  ['an array on one line', 'export const stores = [ldap, files]\n', 'export const stores = [files]\n'],
  ['rows', "const a = [\n  ['x', ldap],\n  ['y', 1],\n]\n", "const a = [\n  ['y', 1],\n]\n"],
  ['spreads', 'const a = [\n  ...ldap(),\n  1,\n]\n', 'const a = [\n  1,\n]\n'],
  ['objects in an array', 'const a = [\n  {\n    b: ldap,\n  },\n  1,\n]\n', 'const a = [\n  1,\n]\n'],
  ['a union', 'type A = ldap | files\n', 'type A = files\n'],
])('the line of a part goes from %s', (_name, before, after) => {
  const file = "import { ldap } from './users/ldap/store.ts'\nimport { files } from './files.ts'\n"
  const { tree, seams } = without(['ldap'], {
    'src/stores.ts': `${file}\n${before}\nuse(stores, a, files)\n`,
    'src/files.ts': 'export const files = 1\n',
    'src/users/ldap/store.ts': 'export const ldap = 1\n',
  })
  expect(tree.get('src/stores.ts')).toContain(after)
  expect(tree.get('src/stores.ts')).not.toContain('ldap')
  expect(seams).toEqual([])
})

test('a late import goes with its line', () => {
  const list =
    "export const stores = {\n  a: () => import('./a.ts'),\n  ldap: () => import('./users/ldap/store.ts'),\n}\n"
  const { tree } = without(['ldap'], { 'src/stores.ts': list, 'src/a.ts': '', 'src/users/ldap/store.ts': '' })
  expect(tree.get('src/stores.ts')).toBe("export const stores = {\n  a: () => import('./a.ts'),\n}\n")
})

test('code that is no item of a list is named for the person', () => {
  const code = "import { ldap } from './users/ldap/store.ts'\n\nexport function stores() {\n  ldap(1)\n}\n"
  const { seams } = without(['ldap'], { 'src/stores.ts': code, 'src/users/ldap/store.ts': 'export const ldap = 1\n' })
  expect(seams).toEqual(['src/stores.ts: ldap'])
})

test('code that only the part used goes, with its tests', () => {
  const { tree } = without(['ldap'], {
    'src/stores.ts': "import { ldap } from './users/ldap/store.ts'\n\nexport const stores = [ldap, shared]\n",
    'src/users/ldap/store.ts':
      "import { breaker } from '../../server/breaker.ts'\nimport { half } from '../names.ts'\n",
    'src/users/names.ts':
      "import z from 'zod'\n\nexport const whole = 1\n\n/** Cuts. */\nexport function half() {\n  return z\n}\n",
    'src/server/breaker.ts': 'export const breaker = 1\n',
    'src/server/README.md': 'About the breaker.\n',
    'src/main.ts': "import { stores } from './stores.ts'\nimport { whole } from './users/names.ts'\n\nstores(whole)\n",
    'test/breaker.test.ts':
      "import { breaker } from '../src/server/breaker.ts'\n\ntest('a', () => {\n  breaker()\n})\n",
  })
  expect([...tree.keys()].filter((path) => /breaker|README/.test(path))).toEqual([])
  expect(tree.get('src/users/names.ts')?.trim()).toBe('export const whole = 1')
})

test.each([
  ['    case LOCKED:', true],
  ['  LOCKED: 1,', false],
  ['  LOCKED?: number', false],
  ['codes.LOCKED', false],
  ['[...LOCKED]', true],
])('slim reads the use of a name in the line "%s": %s', (line, isUse) => {
  expect(wordOf('LOCKED').test(line)).toBe(isUse)
})

test('of a file with several tests, only those that name the part go', () => {
  const kept = "test('b', () => {\n  expect(1).toBe(1)\n})\n"
  const file = `import { ldap } from '../src/users/ldap/store.ts'\n\ntest('a', () => {\n  ldap()\n})\n\n${kept}`
  const { tree } = without(['ldap'], { 'test/a.test.ts': file, 'src/users/ldap/store.ts': 'export const ldap = 1\n' })
  expect(tree.get('test/a.test.ts')?.trim()).toBe(kept.trim())
})

test.each([
  ['a section', '# Stores\n\n## LDAP\n\nIt is far.\n\n## Files\n\nNear.\n', '# Stores\n\n## Files\n\nNear.\n'],
  ['a section with its subsections', '# A\n\n## LDAP\n\n### Far\n\nX.\n\n## B\n\nY.\n', '# A\n\n## B\n\nY.\n'],
  ['a section that is empty then', '# A\n\n## B\n\nAsk LDAP.\n\n## C\n\nNear.\n', '# A\n\n## C\n\nNear.\n'],
  ['a row', '| a | b |\n|---|---|\n| `LDAP_DN` | x |\n| `FILE` | y |\n', '| a | b |\n|---|---|\n| `FILE` | y |\n'],
  ['a table without a row', 'Near.\n\nThese:\n\n| a |\n|---|\n| LDAP |\n\nStop.\n', 'Near.\n\nStop.\n'],
  ['a paragraph', 'LDAP is far. It is\nbig.\n\nFiles are near.\n', 'Files are near.\n'],
  ['an item', '- Files.\n- LDAP, which\n  is far.\n', '- Files.\n'],
  ['an item before a heading', '- Files.\n- LDAP.\n\n## B\n\nY.\n', '- Files.\n\n## B\n\nY.\n'],
  ['an item with its items', '- LDAP:\n  - far\n\n  Text.\n- Files.\n', '- Files.\n'],
  ['an introduction with its example', 'Near.\n\nAsk LDAP:\n\n```sh\nask\n```\n\nStop.\n', 'Near.\n\nStop.\n'],
  ['an example with its introduction', 'Near.\n\nNow ask:\n\n```sh\nldap\n```\n\nStop.\n', 'Near.\n\nStop.\n'],
  ['an item with its example', '1. Stop.\n2. Ask:\n   ```sh\n   ldap\n   ```\n3. Go.\n', '1. Stop.\n3. Go.\n'],
  ['only the second example', 'Run:\n```sh\nx\n```\nAsk:\n```sh\nldap\n```\n', 'Run:\n```sh\nx\n```\n'],
  ['an example alone', 'Near.\n\n```sh\nldap\n```\n\nStop.\n', 'Near.\n\nStop.\n'],
  ['a line of an example', 'Run:\n\n```sh\nx\nldap\n```\n', 'Run:\n\n```sh\nx\n```\n'],
  ['a link', 'See [this](src/users/ldap/part.json).\n\nThen stop.\n', 'Then stop.\n'],
  ['nothing with other words', 'OpenLDAP hashes stay.\n', 'OpenLDAP hashes stay.\n'],
])('of a page, %s goes', (_name, before, after) => {
  expect(textWithout('ldap', 'README.md', before)).toBe(after)
})

test('settings, their comments and texts of the screens go', () => {
  const settings = '# One file.\nFILE=\n\n# The account.\n#LDAP_DN=\n#LDAP_PASSWORD=\n'
  expect(textWithout('ldap', '.env.example', settings)).toBe('# One file.\nFILE=\n')
  const texts = '{ "title": "Log in", "kiosk": { "start": "Go" } }\n'
  expect(textWithout('kiosk', 'views/languages/en.json', texts)).toBe('{\n  "title": "Log in"\n}\n')
  const outcomes = '{ "outcomes": { "failed": "failed", "kiosk mode": "at the kiosk" } }\n'
  expect(JSON.parse(textWithout('kiosk', 'views/manager/texts/en.json', outcomes) ?? '')).toEqual({
    outcomes: { failed: 'failed' },
  })
  const compose = 'services:\n  app:\n    A: 1\n    LDAP_DN: x\n  ldap:\n    image: y\n'
  expect(textWithout('ldap', 'compose.yaml', compose)).toBe('services:\n  app:\n    A: 1\n')
})

test('comments of code stay as they are', () => {
  const code = '/** Opens a store. */\nexport const stores = () => 1 // not LDAP\n'
  expect(textWithout('ldap', 'src/stores.ts', code)).toBe(code)
})
