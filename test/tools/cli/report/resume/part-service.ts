import { sendJson } from '../../../video-service/test-service.ts'
import { startReportService, viewOf } from '../report-service.ts'

const PAGES = 5
const ROWS = 3

interface State {
  cutAt: number | null
  asked: string[]
  onPage: (number: number) => void
}

/**
 * Starts a service with five pages of three views. From page `cutAt` on it answers as `cut` does, until `cutAt` is set to
 * null. The pages that were asked for are in `asked`.
 */
export async function startPartService(cut: () => { status: number } | null = () => ({ status: 400 })) {
  const state: State = { cutAt: 3, asked: [], onPage: () => {} }
  const env = await startReportService((req, res) => {
    const address = new URL(req.url ?? '', 'http://localhost')
    const number = Number(address.searchParams.get('_page'))
    state.onPage(number)
    state.asked.push(`${address.searchParams.get('date_time_from')} ${number}`)
    if (state.cutAt !== null && number >= state.cutAt) {
      const answer = cut()
      if (answer === null) return
      res.statusCode = answer.status
      return sendJson(res, { error: 'bad_request' })
    }
    const data = Array.from({ length: ROWS }, (_, row) => ({
      type: 'View',
      attributes: viewOf({ view_id: `${number}-${row}`, city: 'Győr', ...(row === 0 && { view_type: 7 }) }),
    }))
    sendJson(res, { data, pagination: { next: number === PAGES ? null : { href: `?_page=${number + 1}` } } })
  })
  return { env, state }
}
