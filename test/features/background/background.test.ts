import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { PictureFile } from '../../../src/features/background/picture-file.ts'
import { ENTRY_POINT, entryPointAt } from '../../login/entry-point.ts'
import { type Answer, startLoginApp } from '../../login/start-login-app.ts'
import { SETTINGS } from '../../settings.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { BLACK, backgroundOf, WHITE } from './picture.ts'

function fileOf(content: string | Buffer): string {
  const file = join(temporaryFolder(), 'poster')
  writeFileSync(file, content)
  return file
}

/** The beginning of a JPEG of this size. */
function jpeg(width: number, height: number): Buffer {
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0])
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  const start = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, ...Buffer.from('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0])
  return Buffer.concat([start, frame, Buffer.alloc(20)])
}

const sheetsOf = ({ text }: Answer) =>
  [...text.matchAll(/rel="stylesheet" href="([^"?]*)/g)].map(([, address = '']) => address)

test('BRAND_BACKGROUND_FILE is read with its type', () => {
  const read = (content: Buffer) =>
    readConfig({ ...SETTINGS, BRAND_BACKGROUND_FILE: fileOf(content) }).entryPoints[0]?.features.background
  expect(read(WHITE)).toEqual(backgroundOf(WHITE))
  expect(read(jpeg(1920, 1080))).toMatchObject({ ending: 'jpg', type: 'image/jpeg' })
  expect(readConfig(SETTINGS).entryPoints[0]?.features.background).toBeUndefined()
})

test.each([
  ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>', 'not a JPEG, PNG or WebP'],
  ['the beginning of a PNG', WHITE.subarray(0, 12), 'not a JPEG, PNG or WebP'],
  ['a JPEG without a size', jpeg(0, 9), 'has no size'],
  ['a JPEG of 5000 pixels', jpeg(5000, 9), '5000 x 9 pixels'],
  ['a file of 2 MB', Buffer.alloc(2_000_000, WHITE), 'at most 500 kB'],
])('%s is refused as a picture', (_case, content, named) => {
  expect(PictureFile.safeParse(fileOf(content)).error?.issues[0]?.message).toContain(named)
})

test('every screen of the entry point loads the style sheet of its picture, and no other entry point does', async () => {
  const app = await startLoginApp({
    entryPoints: [
      { ...ENTRY_POINT, features: { background: backgroundOf(WHITE) } },
      entryPointAt('night', { features: { background: backgroundOf(BLACK) } }),
      entryPointAt('plain', {}),
    ],
  })
  const sheets = async (path: string) => sheetsOf(await app.get(path))
  const [screen = '', own = ''] = await sheets('/')
  expect(own).toMatch(/^\/assets\/brand-[\w-]{10}\.css$/)
  for (const path of ['/nowhere', '/sign-in', '/account/change-password'])
    expect(await sheets(path)).toEqual([screen, own])
  expect(await sheets('/e/night')).toEqual([screen, expect.not.stringContaining(own)])
  expect(await sheets('/e/plain')).toEqual([screen])
})

test('the style sheet and the picture are served as assets: cached for a year, and nothing in them runs', async () => {
  const app = await startLoginApp({ entryPoints: [{ ...ENTRY_POINT, features: { background: backgroundOf(WHITE) } }] })
  const [, own = ''] = sheetsOf(await app.get('/'))
  const sheet = await app.get(own)
  const [, picture = ''] = /url\("([^"]*)"\)/.exec(sheet.text) ?? []
  for (const [path, type] of [
    [own, 'text/css; charset=utf-8'],
    [picture, 'image/png'],
  ] as const) {
    const { status, headers } = await app.get(path)
    expect([path, status, headers['content-type']]).toEqual([path, 200, type])
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(headers['content-security-policy']).toContain("sandbox; default-src 'none'")
  }
})
