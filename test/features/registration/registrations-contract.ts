import { beforeEach, describe, expect, test } from 'vitest'
import type { Notice } from '../../../src/features/registration/book/book.ts'
import type { Registration } from '../../../src/features/registration/book/registration.ts'
import { createRegistrations } from '../../../src/features/registration/book/registrations.ts'
import type { RecordWrite } from '../../../src/services/guests/guest-records.ts'
import type { Opened } from '../../services/guests/records-contract.ts'
import { readSettings } from './registration-settings.ts'

export const START_SECONDS = 1_800_000_000
const MAIL = 'test-mail'

const guest = (address: string) => ({ address, attributes: { company: 'Acme' }, consents: [], language: 'de' })
const isoAt = (seconds: number) => new Date((START_SECONDS + seconds) * 1000).toISOString().replace('.000', '')
const guests = (count: number) => Array.from({ length: count }, (_one, index) => `guest${index + 10}@example.com`)

/** Creates the parts of tests with registrations. @param opened returns the store of the test. */
export function createParts(opened: () => Opened, clock: { readonly seconds: number }) {
  function registrations(given: object, records: Pick<Opened['store'], 'read' | 'list' | 'write'> = opened().store) {
    const mailOf = ({ address }: Registration, notice: Notice): RecordWrite[] => [
      { kind: MAIL, key: `${address}/${notice}`, text: '' },
    ]
    const deps = {
      records,
      entryPoint: 'gold',
      settings: readSettings(given),
      nowSeconds: () => clock.seconds,
      mailOf,
    }
    return createRegistrations(deps)
  }
  const mails = async () => (await opened().store.list(MAIL, { limit: 1_000 })).map(({ key }) => key)
  async function registerAll(given: object, addresses: readonly string[]) {
    const all = registrations(given)
    for (const address of addresses) await all.register(guest(address))
    return all
  }

  /** Returns the records of two copies. None writes before both are about to write: the bad moment. */
  async function heldCopies() {
    const barrier = Promise.withResolvers<void>()
    let waiting = 0
    return [opened().store, await opened().openOther()].map((records) => ({
      ...records,
      async write(writes: readonly RecordWrite[]) {
        waiting += 1
        if (waiting === 2) barrier.resolve()
        await barrier.promise
        return await records.write(writes)
      },
    }))
  }
  return { registrations, mails, registerAll, heldCopies }
}

/** The promise of registrations. @param open opens a new store, until the test ends. */
export function registrationsContract(name: string, open: (nowSeconds: () => number) => Promise<Opened>): void {
  describe(`registrations contract: ${name}`, () => {
    const clock = { seconds: START_SECONDS }
    let opened: Opened

    beforeEach(async () => {
      clock.seconds = START_SECONDS
      opened = await open(() => clock.seconds)
    })

    const { registrations, mails, registerAll, heldCopies } = createParts(() => opened, clock)

    test('a registration is stored with attributes, consents and times', async () => {
      const all = registrations({})
      const consents = [{ name: 'terms', version: '1', atSeconds: START_SECONDS }]
      const result = await all.register({ ...guest('ada@example.com'), consents })
      const stored = {
        entryPoint: 'gold',
        address: 'ada@example.com',
        state: 'approved',
        attributes: { company: 'Acme' },
        consents,
        language: 'de',
        registeredAtSeconds: START_SECONDS,
        changedAtSeconds: START_SECONDS,
        turn: null,
      }
      expect(result).toEqual({ ok: true, isNew: true, registration: stored })
      expect(await all.find('ada@example.com')).toEqual(stored)
      expect(await registrations({}, await opened.openOther()).find('ada@example.com')).toEqual(stored)
      expect(await mails()).toEqual(['ada@example.com/approved'])
    })

    test('an address that is registered stays as it is, and gets no second mail', async () => {
      const all = await registerAll({}, ['ada@example.com'])
      const again = await all.register({ ...guest('ada@example.com'), attributes: { company: 'Evil' } })
      expect(again).toMatchObject({ ok: true, isNew: false, registration: { attributes: { company: 'Acme' } } })
      expect([await mails(), (await all.counts()).approved]).toEqual([['ada@example.com/approved'], 1])
    })

    test.each([
      ['without approval', {}, 'approved'],
      ['by hand', { approval: 'by-hand' }, 'waiting-for-approval'],
      ['by its domain', { approval: 'domains', domains: ['example.com'] }, 'approved'],
      ['by another domain', { approval: 'domains', domains: ['ample.com'] }, 'waiting-for-approval'],
    ])('a guest who is approved %s has the state of the settings', async (_case, given, state) => {
      const result = await registrations(given).register(guest('ada@example.com'))
      expect(result).toMatchObject({ ok: true, registration: { state } })
      expect(await mails()).toEqual([`ada@example.com/${state}`])
    })

    test('the most guests are kept, also while they wait for approval', async () => {
      const all = await registerAll({ most: 2, approval: 'by-hand' }, guests(2))
      expect(await all.openness()).toBe('full')
      expect(await all.register(guest('late@example.com'))).toEqual({ ok: false, reason: 'full' })
      expect(await all.find('late@example.com')).toBeNull()
    })

    test('a registration closes at its second', async () => {
      const all = registrations({ closesAt: new Date((START_SECONDS + 60) * 1000).toISOString().replace('.000', '') })
      clock.seconds += 59
      expect(await all.openness()).toBe('open')
      clock.seconds += 1
      expect(await all.openness()).toBe('closed')
      expect(await all.register(guest('ada@example.com'))).toEqual({ ok: false, reason: 'closed' })
    })

    test('the last place goes to one guest, if two copies decide at the same moment', async () => {
      // Both copies have read that one place is free, before either of them writes.
      const copies = (await heldCopies()).map((records) => registrations({ most: 1 }, records))
      const results = await Promise.all(copies.map((copy, index) => copy.register(guest(`guest${index}@example.com`))))
      expect(results.map(({ ok }) => ok).toSorted()).toEqual([false, true])
      expect(await registrations({ most: 1 }).counts()).toMatchObject({ approved: 1 })
      expect((await opened.store.list('registration', { limit: 10 })).length).toBe(1)
    })

    test('forty guests of two copies get ten places, and the others wait in order', async () => {
      const given = { most: 10, waitingList: 'on' }
      const copies = [registrations(given), registrations(given, await opened.openOther())]
      await Promise.all(guests(40).map((address, index) => copies[index % 2]?.register(guest(address))))
      const { registrations: all } = await registrations(given).page({ limit: 100 })
      const turns = all.flatMap(({ turn }) => turn ?? []).toSorted((one, next) => one - next)
      expect(all.filter(({ state }) => state === 'approved').length).toBe(10)
      expect(turns).toEqual(Array.from({ length: 30 }, (_one, index) => index))
      expect(await registrations(given).counts()).toMatchObject({ approved: 10, 'on-waiting-list': 30 })
    })

    test.each(['cancel', 'refuse', 'forget'] as const)('%s frees a place for the first who waits', async (step) => {
      const [first = '', second = '', third = ''] = guests(3)
      const all = await registerAll({ most: 1, waitingList: 'on' }, [first, third, second])
      await all[step](first)
      expect(await all.find(third)).toMatchObject({ state: 'approved', turn: null })
      expect(await all.find(second)).toMatchObject({ state: 'on-waiting-list' })
      const told = { cancel: [`${first}/cancelled`], refuse: [`${first}/refused`], forget: [] }[step]
      expect(await mails()).toContain(`${third}/place-free`)
      expect((await mails()).filter((mail) => mail.startsWith(first))).toEqual([`${first}/approved`, ...told])
      expect(await opened.store.count('registration-waiting-list')).toBe(1)
    })

    test('a new guest does not pass those who wait, when more places are given', async () => {
      const [first = '', second = '', third = '', fourth = ''] = guests(4)
      await registerAll({ most: 1, waitingList: 'on' }, [first, second, third])
      const more = registrations({ most: 2, waitingList: 'on' })
      expect(await more.openness()).toBe('waiting-list')
      await more.register(guest(fourth))
      expect((await more.moveOn()).map(({ address }) => address)).toEqual([second])
      expect(await more.find(fourth)).toMatchObject({ state: 'on-waiting-list' })
    })

    test('a guest who moves up waits for approval, if the approval is by hand', async () => {
      const [first = '', second = ''] = guests(2)
      const all = await registerAll({ most: 1, waitingList: 'on', approval: 'by-hand' }, [first, second])
      await all.refuse(first)
      expect(await all.find(second)).toMatchObject({ state: 'waiting-for-approval' })
    })

    test('an approval from the waiting list needs a free place', async () => {
      const [first = '', second = ''] = guests(2)
      const all = await registerAll({ most: 1, waitingList: 'on' }, [first, second])
      expect(await all.approve(second)).toEqual({ ok: false, reason: 'full' })
      expect(await all.approve('unknown@example.com')).toEqual({ ok: false, reason: 'unknown' })
      expect(await all.approve(first)).toEqual({ ok: false, reason: 'same' })
    })

    test('an approved guest gets one mail, and no place twice', async () => {
      const all = await registerAll({ most: 1, approval: 'by-hand' }, ['ada@example.com'])
      expect(await all.approve('ada@example.com')).toMatchObject({ ok: true, registration: { state: 'approved' } })
      expect(await mails()).toEqual(['ada@example.com/approved', 'ada@example.com/waiting-for-approval'])
      expect(await all.counts()).toMatchObject({ approved: 1, 'waiting-for-approval': 0 })
    })

    test('a forgotten guest leaves a number, and nothing else', async () => {
      const all = await registerAll({ most: 1, waitingList: 'on' }, ['ada@example.com', 'bob@example.com'])
      expect([await all.forget('bob@example.com'), await all.forget('bob@example.com')]).toEqual([true, false])
      expect(await opened.store.list('registration-waiting-list', { limit: 10 })).toEqual([])
      expect(await all.find('bob@example.com')).toBeNull()
      expect(await all.counts()).toMatchObject({ approved: 1, forgotten: 1, 'on-waiting-list': 0 })
    })

    test('registrations are deleted at their time', async () => {
      const all = await registerAll({ deletesAt: '2027-01-15T09:00Z' }, ['ada@example.com'])
      clock.seconds = Date.parse('2027-01-15T08:59:59Z') / 1000
      expect(await all.find('ada@example.com')).not.toBeNull()
      clock.seconds += 1
      expect(await all.find('ada@example.com')).toBeNull()
    })

    test('the form is closed from deletesAt on, also without closesAt', async () => {
      const all = registrations({ deletesAt: isoAt(60) })
      clock.seconds += 59
      expect(await all.openness()).toBe('open')
      clock.seconds += 1
      expect([await all.openness(), await all.register(guest('ada@example.com'))]).toEqual([
        'over',
        { ok: false, reason: 'closed' },
      ])
      expect(await opened.store.count('registration-counts')).toBe(0)
    })

    describe.each<[string, (given: (deletesAt: string) => object) => Promise<void>]>([
      [
        'after the first is deleted',
        async () => {
          clock.seconds = START_SECONDS + 60
          expect(await opened.store.count('registration-counts')).toBe(0)
        },
      ],
      [
        'after numbers without an end, of an earlier release',
        async () => {
          clock.seconds = START_SECONDS + 60
          const text = JSON.stringify({ approved: 2, 'on-waiting-list': 3, forgotten: 4, nextTurn: 5 })
          await opened.store.write([{ kind: 'registration-counts', key: 'gold', text }])
        },
      ],
      [
        'after deletesAt of the first moved to a later time',
        async (given) => {
          const later = registrations(given(isoAt(120)))
          await later.followDeletesAt()
          clock.seconds = START_SECONDS + 60
          expect(await later.counts()).toMatchObject({ approved: 2, 'on-waiting-list': 3, forgotten: 1 })
          expect((await later.page({ limit: 10 })).registrations.length).toBe(5)
          expect(await later.register(guest('late@example.com'))).toMatchObject({ registration: { turn: 4 } })
          clock.seconds = START_SECONDS + 120
        },
      ],
      [
        'after deletesAt of the first moved to an earlier time',
        async (given) => {
          await registrations(given(isoAt(30))).followDeletesAt()
          expect(await registrations(given(isoAt(60))).find(guests(1)[0] ?? '')).not.toBeNull()
          clock.seconds = START_SECONDS + 30
          expect(await registrations(given(isoAt(60))).find(guests(1)[0] ?? '')).toBeNull()
        },
      ],
    ])('a second event %s', (_case, goOn) => {
      const given = (deletesAt: string) => ({ most: 2, waitingList: 'on', deletesAt })

      beforeEach(async () => {
        const first = await registerAll(given(isoAt(60)), [...guests(5), 'forgotten@example.com'])
        await first.forget('forgotten@example.com')
        expect(await first.openness()).toBe('waiting-list')
        await goOn(given)
      })

      test('begins with all places, and no waiting list', async () => {
        const second = registrations(given(isoAt(600)))
        await second.followDeletesAt()
        expect(Object.values(await second.counts()).every((count) => count === 0)).toBe(true)
        expect([await second.openness(), (await second.page({ limit: 10 })).registrations]).toEqual(['open', []])
        expect(await second.moveOn()).toEqual([])
        for (const address of guests(3)) await second.register(guest(address))
        const { registrations: all } = await second.page({ limit: 10 })
        expect(all.map(({ state, turn }) => [state, turn])).toEqual([
          ['approved', null],
          ['approved', null],
          ['on-waiting-list', 0],
        ])
        expect(await second.counts()).toMatchObject({ approved: 2, 'on-waiting-list': 1, forgotten: 0, nextTurn: 1 })
        clock.seconds = START_SECONDS + 600
        await opened.store.prune()
        expect(await opened.store.count('registration')).toBe(0)
        expect(await opened.store.count('registration-counts')).toBe(0)
        expect(await opened.store.count('registration-waiting-list')).toBe(0)
      })
    })

    test('registrations of a copy that knows an earlier deletesAt end with the others', async () => {
      const [first = '', second = ''] = guests(2)
      await registerAll({ deletesAt: isoAt(600) }, [first])
      await registerAll({ deletesAt: isoAt(60) }, [second])
      clock.seconds += 60
      const all = registrations({ deletesAt: isoAt(600) })
      expect([(await all.counts()).approved, await all.find(second)]).toMatchObject([2, { address: second }])
    })

    test('pages have each registration once, by state and domain, and of one entry point', async () => {
      const all = await registerAll({ approval: 'domains', domains: ['a.example'] }, [
        ...['1@a.example', '2@b.example', '3@a.example', '4@a.example', '5@b.example'],
      ])
      const foreign = { ...registrationDeps(opened, clock), entryPoint: 'gold-2' }
      await createRegistrations(foreign).register(guest('6@a.example'))
      const addresses: string[] = []
      let after: string | undefined
      do {
        const page = await all.page({ state: 'approved', limit: 2, after })
        addresses.push(...page.registrations.map(({ address }) => address))
        after = page.next ?? undefined
      } while (after !== undefined)
      expect(addresses).toEqual(['1@a.example', '3@a.example', '4@a.example'])
      const ofDomain = await all.page({ domain: 'b.example', limit: 10 })
      expect(ofDomain.registrations.map(({ address }) => address)).toEqual(['2@b.example', '5@b.example'])
    })
  })
}

function registrationDeps({ store }: Opened, clock: { readonly seconds: number }) {
  return { records: store, settings: readSettings({}), nowSeconds: () => clock.seconds, mailOf: () => [] }
}
