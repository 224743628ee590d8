import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'
import { contentOf, DAY, pageOf } from './make-page.ts'
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
        viewer_identifier: name,
        client_id: name,
        country: name,
        city: name,
        view_type: name,
        content_id: name,
        finished_at: `2026-11-20T11:${String(index).padStart(2, '0')}:00Z`,
        device_info: { browser: { family: name }, os: { family: name }, device: { family: name } },
      }),
    )
    const page = await pageOf('views', 'View', rows)
    expect(page.match(/<\/?script/gi)).toEqual(['<script', '</script'])
    const html = contentOf(page)
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
    expect(html).toContain('class=&#34;a&#34; role=&#34;b&#34;')
    expect(html).toContain('(no name)')
    expect(html.length).toBeLessThan(400_000)
    for (const svg of html.match(/<svg.*?<\/svg>/gs) ?? []) expect(XMLValidator.validate(svg)).toBe(true)
  })

  test.each([
    ['a wrong time', viewOf({ started_at: 'yesterday' })],
    ['an unknown type of content', viewOf({ content_type: 'chat' })],
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
  test('the policy of a page allows only its own style and script, and no request', async () => {
    const html = await pageOf('views', 'View', [viewOf()])
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(html) ?? []
    const [, script = ''] = /<script>(.*?)<\/script>/s.exec(html) ?? []
    const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
    const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html) ?? []
    expect(policy.replaceAll('&#39;', "'").split('; ')).toEqual([
      ...["default-src 'none'", `script-src ${hash(script)}`, `style-src ${hash(style)}`],
      ...["base-uri 'none'", "form-action 'none'"],
    ])
    expect(style + script).not.toMatch(/@import|url\(|fetch\(|XMLHttpRequest|innerHTML|eval\(/)
    expect(contentOf(html)).not.toMatch(/<(link|iframe|object|embed|base)\b|style="| on[a-z]+="/)
    expect(contentOf(html).replace(policy, '')).not.toMatch(/https?:|\/\//)
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test.each([['--json'], ['--csv'], ['--output', 'x']])('--html is refused together with %s', async (...option) => {
    const cwd = temporaryFolder()
    const ended = await runHere(['report', 'views', '--html', 'page.html', ...option], { cwd })
    expect(ended).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('--html') })
  })
})
