import { expect, test } from 'vitest'
import { readPageHtml } from '../../../../../src/tools/cli/doctor/page/page-html.ts'

const ADDRESS = new URL('https://www.customer.example/live/today')
const framesOf = (html: string) => readPageHtml(html, ADDRESS).frames
const addressesOf = (html: string) => framesOf(html).map(({ content }) => String(content))

test('frames are found as a browser finds them', () => {
  const html = `<!doctype html><p>&lt;iframe src="https://text.example/"&gt;
    <IFRAME SRC=https://player.example/embed/7?a=1&amp;b=2></IFRAME>
    <iframe src=" //player.example/two "></iframe><iframe src="../three"></iframe>
    <!-- <iframe src="https://comment.example/"></iframe> -->
    <noscript><iframe src="https://noscript.example/"></iframe></noscript>
    <template><iframe src="https://template.example/"></iframe></template>
    <script>document.write('<iframe src="https://script.example/"></iframe>')</script>
    <iframe></iframe><iframe src="about:blank"></iframe><iframe src="javascript:0"></iframe><iframe src="http://["></iframe>`
  expect(addressesOf(html)).toEqual([
    'https://player.example/embed/7?a=1&b=2',
    'https://player.example/two',
    'https://www.customer.example/three',
  ])
})

test('the base element changes the address of frames', () => {
  expect(addressesOf('<base target=_top><base href="/b/"><base href="/c/"><iframe src="x">')).toEqual([
    'https://www.customer.example/b/x',
  ])
})

test('a frame has the flags of its sandbox, and its own HTML', () => {
  expect(
    framesOf('<iframe src=/a sandbox allow=autoplay></iframe><iframe srcdoc="<p>x" sandbox="Allow-Forms  b">'),
  ).toEqual([
    { content: new URL('/a', ADDRESS), sandbox: [], allow: 'autoplay' },
    { content: '<p>x', sandbox: ['allow-forms', 'b'], allow: '' },
  ])
})

test('only a meta element in the head has a policy', () => {
  const meta = (policy: string) => `<meta http-equiv="Content-Security-Policy" content="${policy}">`
  expect(readPageHtml(`<head>${meta('a')}</head><body>${meta('b')}`, ADDRESS).policies).toEqual(['a'])
})

test('a page of very deep elements is read', () => {
  expect(addressesOf(`${'<div>'.repeat(50_000)}<iframe src="/deep">`)).toHaveLength(1)
})
