import { expect, test } from 'vitest'
import { ENTRY_POINT } from '../../../../login/entry-point.ts'
import { startManager } from '../../../manager/start-manager.ts'

test('registrations are approved by the names that are ticked, one that fails is said, and the page asks before it forgets', async () => {
  const entryPoint = { ...ENTRY_POINT, name: 'gold', features: { registration: {} } }
  const row = {
    address: 'ada@example.com',
    state: 'waiting-for-approval',
    registeredAt: '2026-11-24T20:00:00Z',
    attributes: { company: '<b>x</b>' },
  }
  const listed = { most: 10, counts: { 'waiting-for-approval': 1 }, registrations: [row], next: null }
  const commands = (args: string) =>
    args.startsWith('registrations list')
      ? listed
      : args.startsWith('registrations approve')
        ? { changed: 1, faults: [] }
        : undefined
  const manager = await startManager({ entryPoints: [entryPoint, { ...entryPoint, name: 'silver' }], commands })
  const browser = await manager.signedIn('event-manager', ['gold'])
  expect((await browser.get('/registrations')).location).toBe('/registrations/gold')
  const { text } = await browser.get('/registrations/gold')
  expect(text).toContain('waits for approval')
  expect(text).not.toContain('<b>')
  // No button of the list forgets before the page has asked.
  expect(text).toContain('formaction="/registrations/gold/forget"')
  expect(text).not.toContain('value="forget"')
  const act = (fields: Record<string, string | string[]>) => browser.act('/registrations/gold', fields)
  expect((await act({ step: 'approve', address: 'ada@example.com' })).text).toContain('1 person is approved')
  expect((await act({ step: 'approve', address: ['ada@example.com', 'bob@example.com'] })).text).toContain(
    '1 of 2 were changed',
  )
  const asked = await browser.act('/registrations/gold/forget', { address: ['ada@example.com', '<i>'] })
  expect(asked.text).toContain('2 registrations will be deleted, with all personal data. This cannot be undone.')
  expect(asked.text).toContain('<input type="hidden" name="address" value="ada@example.com">')
  expect(asked.text).not.toContain('<i>')
  expect((await browser.act('/registrations/gold/forget')).text).toContain('Choose people in the list first')
  expect((await browser.post('/registrations/silver/forget', { address: 'x' })).status).toBe(404)
  expect((await act({ step: 'export', address: 'ada@example.com' })).text).toContain('Choose people in the list first')
  expect((await browser.post('/registrations/silver', { step: 'approve', address: 'x' })).status).toBe(404)
  expect((await browser.get('/registrations/silver')).status).toBe(404)
})
