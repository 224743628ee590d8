import { isIP } from 'node:net'
import type { Response } from 'express'
import { openEvening } from '../../cli/manager/evening/evening.ts'
import { ALL_ROLES, type Answer, page, redirect, UNLOCKERS, type Visit } from '../door/route.ts'
import { chartOf } from '../pages/chart.ts'
import { detailOf } from '../people/viewer-form.ts'
import type { Section, SectionDeps } from '../section.ts'

/** The parts of the page that a stream renews. */
const PARTS = ['figures', 'chart', 'lists', 'health', 'events'] as const
const EVERY_MS = 3_000
const MOST_STREAMS = 50
const PATH = '/evening'

/** The figures of the evening: live with a script; without a script, a reload renews them. */
export const eveningSection: Section = {
  open(deps) {
    const { commands, env, onClose } = deps
    const evening = openEvening(env, () => deps.nowSeconds() * 1000)
    const streams = createStreams(deps, (visit) => modelOf(visit))
    onClose(() => {
      streams.close()
      void evening.close()
    })
    async function modelOf(visit: Visit) {
      const figures = await evening.read(visit.scope.entryPoints)
      return { figures, chart: chartOf(figures.series, visit.words), mayUnlock: UNLOCKERS.includes(visit.manager.role) }
    }
    async function unlockAddress(visit: Visit): Promise<Answer> {
      const address = visit.field('address')
      // The limit of an address is one for all entry points.
      if (isIP(address) === 0 || visit.scope.entryPoints !== null) {
        return redirect(PATH, { tone: 'refused', text: 'evening.notUnlocked' })
      }
      const result = await commands.json(['viewers', 'unlock', `--address=${address}`])
      const subject = { target: address }
      if (result.ok)
        return redirect(PATH, { tone: 'done', text: 'evening.unlocked', values: { name: address } }, subject)
      const detail = detailOf(result.fault) ?? visit.words.t.errors.askEngineer
      return redirect(PATH, { tone: 'refused', text: 'evening.notUnlocked', detail }, subject)
    }
    const all = { roles: ALL_ROLES, subject: 'nothing' } as const
    return {
      tab: { path: PATH, text: 'evening', roles: ALL_ROLES },
      routes: [
        {
          ...{ method: 'get', path: PATH, ...all },
          handle: async (visit) =>
            page('evening', {
              title: visit.words.t.evening.title,
              current: PATH,
              parts: PARTS,
              ...(await modelOf(visit)),
            }),
        },
        { method: 'get', path: `${PATH}/stream`, ...all, handle: streams.open },
        {
          ...{ method: 'post', path: `${PATH}/unlock-address`, roles: UNLOCKERS, subject: 'nothing' },
          ...{ act: 'address-unlocked', handle: unlockAddress },
        },
      ],
    }
  },
}

/** Streams of server-sent events. Each ends with the session of its manager. */
function createStreams({ renderPart }: SectionDeps, modelOf: (visit: Visit) => Promise<object>) {
  const open = new Set<Response>()
  function start(visit: Visit, res: Response): void {
    res.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' })
    open.add(res)
    const sent = new Map<string, string>()
    let isBusy = false
    const end = () => {
      clearInterval(timer)
      open.delete(res)
      res.end()
    }
    async function renew(): Promise<void> {
      // A slow reader gets no further parts until it has read these.
      if (isBusy || res.writableNeedDrain) return
      if (!visit.isSignedIn()) {
        res.write('event: end\ndata: {}\n\n')
        return end()
      }
      isBusy = true
      try {
        const model = await modelOf(visit)
        for (const id of PARTS) {
          const html = renderPart(visit, `evening-${id}`, model)
          if (sent.get(id) === html) continue
          sent.set(id, html)
          res.write(`event: part\ndata: ${JSON.stringify({ id, html })}\n\n`)
        }
        res.write(': here\n\n')
      } catch {
        // The next try may succeed; the page itself shows faults.
        res.write(': fault\n\n')
      } finally {
        isBusy = false
      }
    }
    const timer = setInterval(() => void renew(), EVERY_MS)
    res.once('close', end)
  }
  return {
    open: (visit: Visit): Answer => {
      if (open.size >= MOST_STREAMS)
        return page('message', { title: visit.words.t.errors.title, text: visit.words.t.errors.busy }, 503)
      return { kind: 'stream', open: (res) => start(visit, res) }
    },
    close: () => {
      for (const res of open) res.destroy()
    },
  }
}
