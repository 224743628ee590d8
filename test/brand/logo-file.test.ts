import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { LogoFile } from '../../src/brand/logo-file.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'

const SVG = (inner = '', attributes = 'viewBox="0 0 120 40"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inner}</svg>`

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
    [
      'an SVG with a gradient',
      SVG('<linearGradient id="a"/><rect fill="url(#a)" style="stroke:url(&quot;#a&quot;)"/>'),
      120,
      40,
    ],
    [
      'an SVG with a style sheet',
      SVG('<style>.a{fill:red;mask:url(#b)}</style><use xlink:href="#c" href="#c"/>'),
      120,
      40,
    ],
    ['an SVG with names of an editor', SVG('<g xmlns:inkscape="http://x" inkscape:label="A &amp; B"/>'), 120, 40],
    ['a PNG', png(200, 50), 200, 50],
  ])('%s is accepted with its size', (_case, content, width, height) => {
    expect(read(content).data).toMatchObject({ width, height, content: Buffer.from(content) })
  })
})

describe('a refused SVG', () => {
  test.each([
    ['a script', SVG('<script>alert(1)</script>'), '<script>'],
    [
      'a script in another name space',
      SVG('<h:script xmlns:h="http://www.w3.org/1999/xhtml">1</h:script>'),
      '<h:script>',
    ],
    ['an event handler', SVG('<path onclick="alert(1)"/>'), 'onclick'],
    ['an event handler of its root', SVG('', 'viewBox="0 0 1 1" onload="alert(1)"'), 'onload'],
    ['an event handler in capital letters', SVG('<path ONCLICK="alert(1)"/>'), 'ONCLICK'],
    ['foreign content', SVG('<foreignObject><p/></foreignObject>'), '<foreignObject>'],
    ['a link', SVG('<a href="https://evil.example/"/>'), '<a>'],
    ['a picture', SVG('<image href="https://evil.example/x.png"/>'), '<image>'],
    ['an embedded picture', SVG('<image href="data:image/png;base64,x"/>'), '<image>'],
    ['an animation', SVG('<animate attributeName="href" to="javascript:1"/>'), '<animate>'],
    ['a foreign reference', SVG('<use href="https://evil.example/x.svg#a"/>'), '<use>'],
    ['a foreign reference by xlink', SVG('<use xlink:href="//evil.example/x.svg#a"/>'), '<use>'],
    ['a reference hidden by a character number', SVG('<rect fill="u&#114;l(//evil.example)"/>'), '<rect>'],
    ['a foreign fill', SVG('<rect fill="url(https://evil.example/x)"/>'), '<rect>'],
    ['a foreign picture in a style', SVG(`<rect style="mask:url( 'https://evil.example')"/>`), '<rect>'],
    ['an escaped reference in a style', SVG('<rect style="mask:u\\72l(//evil.example)"/>'), '<rect>'],
    ['an imported style sheet', SVG('<style>@import "//evil.example/x.css";</style>'), '<style>'],
    ['a foreign font', SVG('<style><![CDATA[@font-face{src:url(//evil.example)}]]></style>'), '<style>'],
    ['a base', SVG('<g xml:base="https://evil.example/"/>'), '<g>'],
    ['another default name space', SVG('<g xmlns="http://www.w3.org/1999/xhtml"/>'), '<g>'],
    ['an entity', `<!DOCTYPE svg [<!ENTITY a "b">]>${SVG('<text>&a;</text>')}`, 'DOCTYPE'],
    ['a style sheet of another file', `<?xml-stylesheet href="//evil.example"?>${SVG()}`, 'processing instruction'],
    ['no viewBox', SVG('', 'width="10" height="10"'), 'viewBox'],
    ['an empty viewBox', SVG('', 'viewBox="0 0 0 10"'), 'viewBox'],
    ['a viewBox of words', SVG('', 'viewBox="a b c d"'), 'viewBox'],
    ['a viewBox of five numbers', SVG('', 'viewBox="0 0 1 1 1"'), 'viewBox'],
    ['no name space', '<svg viewBox="0 0 1 1"></svg>', 'xmlns'],
    ['an element that is not closed', SVG('<g>'), 'XML'],
    ['thousands of levels', SVG(`${'<g>'.repeat(5_000)}${'</g>'.repeat(5_000)}`), 'XML'],
    ['two roots', SVG() + SVG(), 'XML'],
  ])('an SVG with %s is refused', (_case, content, named) => {
    expect(faultOf(content)).toContain(named)
  })
})

describe('a file that is no logo', () => {
  const whole = png(10, 10)
  test.each([
    ['a text', 'not a picture', 'neither an SVG nor a PNG'],
    ['an empty file', '', 'neither an SVG nor a PNG'],
    ['a JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0x3c]), 'neither an SVG nor a PNG'],
    ['a GIF', 'GIF89a\0<', 'neither an SVG nor a PNG'],
    ['a web page', '<!doctype html><html><body>x</body></html>', 'DOCTYPE'],
    ['another XML file', '<rss version="2.0"></rss>', 'not an SVG'],
    ['an SVG in UTF-16', Buffer.from(`\ufeff${SVG()}`, 'utf16le'), 'UTF-8'],
    ['an SVG in another encoding', Buffer.from(SVG('<title>é</title>'), 'latin1'), 'UTF-8'],
    ['a PNG cut short', whole.subarray(0, -4), 'not a complete PNG'],
    [
      'a PNG with a changed byte',
      Buffer.from(whole.map((byte, index) => (index === 45 ? byte ^ 1 : byte))),
      'not a complete PNG',
    ],
    ['a PNG with something behind it', Buffer.concat([whole, Buffer.from('<script>')]), 'not a complete PNG'],
    ['the beginning of a PNG', whole.subarray(0, 8), 'not a complete PNG'],
    ['a PNG of 10,000 pixels', png(10_000, 10), '10000 x 10 pixels'],
    ['a PNG without a pixel', png(0, 10), '0 x 10 pixels'],
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
