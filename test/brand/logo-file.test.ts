import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { LogoFile } from '../../src/brand/logo-file.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'
import { SVG } from './svg-tricks.ts'

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(data.length)
  named.copy(framed, 4)
  framed.writeUInt32BE(crc32(named), named.length + 4)
  return framed
}

function png(width: number, height: number): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0])
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  const rows = Buffer.alloc((Math.min(width, 100) + 1) * Math.min(height, 100))
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function read(content: string | Buffer) {
  const file = join(temporaryFolder(), 'logo')
  writeFileSync(file, content)
  return LogoFile.safeParse(file)
}

const faultOf = (content: string | Buffer) => read(content).error?.issues[0]?.message

describe('an accepted logo', () => {
  test.each([
    ['an SVG', SVG('<path d="M0 0h9"/>'), 120, 40],
    ['an SVG with a declaration and a comment', `<?xml version="1.0"?><!-- logo -->${SVG()}`, 120, 40],
    ['an SVG with a byte order mark', `\ufeff${SVG()}`, 120, 40],
    ['an SVG with commas in its viewBox', SVG('', 'viewBox="0,0,10,20"'), 10, 20],
    ['an SVG with names of an editor', SVG('<g xmlns:inkscape="http://x" inkscape:label="A &amp; B"/>'), 120, 40],
    ['a PNG', png(200, 50), 200, 50],
  ])('%s is accepted with its size', (_case, content, width, height) => {
    expect(read(content).data).toMatchObject({ width, height, content: Buffer.from(content) })
  })
})

describe('a file that is not a logo', () => {
  const whole = png(10, 10)
  test.each([
    ['a text', 'not a picture', 'neither an SVG nor a PNG'],
    ['an empty file', '', 'neither an SVG nor a PNG'],
    ['a JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0x3c]), 'neither an SVG nor a PNG'],
    ['a GIF', 'GIF89a\0<', 'neither an SVG nor a PNG'],
    ['a web page', '<!doctype html><html><body>x</body></html>', 'neither an SVG nor a PNG'],
    ['another XML file', '<rss version="2.0"></rss>', 'neither an SVG nor a PNG'],
    ['an SVG in UTF-16', Buffer.from(`\ufeff${SVG()}`, 'utf16le'), 'neither an SVG nor a PNG'],
    ['an SVG without viewBox', SVG('', 'width="10" height="10"'), 'viewBox'],
    ['an SVG without a size', SVG('', ''), 'no size'],
    ['an SVG with an empty viewBox', SVG('', 'viewBox="0 0 0 10"'), 'no size'],
    ['an SVG with a viewBox of words', SVG('', 'viewBox="a b c d"'), 'no size'],
    ['the beginning of a PNG', whole.subarray(0, 12), 'neither an SVG nor a PNG'],
    ['a PNG of 10,000 pixels', png(10_000, 10), '10000 x 10 pixels'],
    ['a PNG without a pixel', png(0, 10), 'no size'],
    ['a file of 5 MB', Buffer.alloc(5_000_000, whole), '5000 kB'],
  ])('%s is refused', (_case, content, named) => {
    expect(faultOf(content)).toContain(named)
  })

  test('a missing file and a folder are refused, without the path', () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'logo'))
    expect(LogoFile.safeParse(join(folder, 'missing')).error?.issues[0]?.message).toBe(
      'names a file that does not exist',
    )
    expect(LogoFile.safeParse(join(folder, 'logo')).error?.issues[0]?.message).toBe('names a folder instead of a file')
  })
})
