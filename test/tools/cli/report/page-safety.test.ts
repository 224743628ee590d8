import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'
import { DAY, drawingsOf, pageOf } from './make-page.ts'
import { serviceWithRows, viewOf } from './report-service.ts'

describe('untrusted names on a page', () => {
  const NAMES = [
    '<script>alert(1)</script>',
    '</title></style></svg><img src=x onerror=alert(1)>',
    `"'><a href="javascript:alert(1)">x</a>`,
    '&lt;b&gt;&amp;',
    '{{constructor}} <%= process.env %> datum.value',
    '\u202egnitrever\u0000\u001b[2J\nline',
    'שלום עולם',
    '👩‍👩‍👧‍👦'.repeat(40),
    'x'.repeat(1_000),
    '   ',
    '__proto__',
    'class="a" role="b"',
  ]

  test('an untrusted name is only text, wherever it is shown', async () => {
    const rows = NAMES.map((name, index) =>
      viewOf({
        ...{ viewer_identifier: name, client_id: name, country: name, city: name, view_type: name },
        ...{ content_id: name, finished_at: `2026-11-20T11:${String(index).padStart(2, '0')}:00Z` },
        device_info: { browser: { family: name }, os: { family: name }, device: { family: name } },
      }),
    )
    const html = await pageOf('views', 'View', rows)
    const elements = new Set([...html.matchAll(/<([a-z!][a-z0-9]*)/gi)].map(([, name]) => name))
    expect(
      [...elements].filter((name) =>
        ['script', 'img', 'a', 'b', 'iframe', 'image', 'foreignObject'].includes(name ?? ''),
      ),
    ).toEqual([])
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    const tags = html.match(/<[a-z][^>]*>/gi) ?? []
    expect(tags.filter((tag) => /\s(?:on[a-z]+|href|src)\s*=/i.test(tag))).toEqual([])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    expect(html).not.toMatch(/[\u202e\u0000\u001b]/)
    expect(html).toContain('class="a" role="b"')
    expect(html).toContain('(no name)')
    expect(html.length).toBeLessThan(400_000)
    for (const svg of drawingsOf(html)) expect(XMLValidator.validate(svg)).toBe(true)
  })

  test('a long name is cut to its line', async () => {
    const html = await pageOf('views', 'View', [viewOf({ viewer_identifier: 'W'.repeat(1_000) })])
    const texts = drawingsOf(html).flatMap((svg) =>
      [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text]) => text ?? ''),
    )
    expect(texts.some((text) => /^W+…$/.test(text))).toBe(true)
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(110)
  })

  test.each([
    ['a wrong time', viewOf({ started_at: 'yesterday' })],
    ['a number as a name', viewOf({ viewer_identifier: 7 })],
  ])('a page is not written for %s', async (_case, row) => {
    const cwd = temporaryFolder()
    const env = await serviceWithRows('View', [row])
    const args = ['report', 'views', ...DAY, '--html', join(cwd, 'page.html')]
    const { status, stderr } = await runHere(args, { cwd, env })
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^Failed: The service sent .*\n$/)])
    expect(() => readFileSync(join(cwd, 'page.html'))).toThrow('ENOENT')
  })
})

describe('the page as a document', () => {
  test('a page has no scripts and requests, and its charts have descriptions', async () => {
    const html = await pageOf('views', 'View', [viewOf()])
    expect(html).toMatch(
      /http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-[\w+/]{43}='; /,
    )
    expect(html).not.toMatch(/<(script|link|iframe|object|embed|base)\b|@import|url\(|style="/)
    // A hash in base64 can contain two slashes.
    expect(html.replaceAll('http://www.w3.org/2000/svg', '').replace(/sha256-[^']+/, '')).not.toMatch(/https?:|\/\//)
    const parser = new XMLParser({ ignoreAttributes: false })
    for (const svg of drawingsOf(html)) {
      const { svg: root } = parser.parse(svg)
      expect(root['@_aria-labelledby']).toBe(`${root.title['@_id']} ${root.desc['@_id']}`)
      expect(root.title['#text'].length * root.desc['#text'].length).toBeGreaterThan(0)
    }
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test.each([['--json'], ['--csv'], ['--output', 'x']])('--html is refused together with %s', async (...option) => {
    const cwd = temporaryFolder()
    const ended = await runHere(['report', 'views', '--html', 'page.html', ...option], { cwd })
    expect(ended).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('--html') })
  })

  test.each(['viewers', 'views', 'total-views', 'unique-devices', 'authenticated-viewers', 'peak-viewer-numbers'])(
    'the help of report %s shows --html with an example',
    async (report) => {
      const { stdout } = await runHere(['report', report, '--help'], { cwd: temporaryFolder() })
      expect(stdout).toMatch(/--html <FILE>/)
      expect(stdout).toMatch(new RegExp(`\\$ viewer-auth report ${report} .*--html \\S+\\.html`))
    },
  )
})
