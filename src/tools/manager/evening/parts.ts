import type { EveningSource } from '../../cli/manager/evening/evening.ts'
import type { Evening } from '../../cli/manager/evening/figures.ts'
import { UNLOCKERS, type Visit } from '../door/route.ts'
import type { SectionDeps } from '../section.ts'

/** The parts of the page that a stream renews. */
const PARTS = ['figures', 'chart', 'lists', 'health', 'events'] as const
type PartId = (typeof PARTS)[number]

export interface RenderedPart {
  readonly id: PartId
  readonly html: string
}

/**
 * Renders the parts of the page. Managers with the same figures, language and time zone share their HTML; a part with forms
 * has the token of the manager.
 */
export function createParts({ renderPart }: Pick<SectionDeps, 'renderPart'>, evening: EveningSource) {
  const rendered = new WeakMap<Evening, Map<string, string>>()

  return async (visit: Visit): Promise<{ readonly figures: Evening; readonly parts: readonly RenderedPart[] }> => {
    const figures = await evening.read(visit.scope.shown)
    const mayUnlock = UNLOCKERS.includes(visit.manager.role)
    const known = rendered.get(figures) ?? new Map<string, string>()
    rendered.set(figures, known)

    const render = (id: PartId): string => renderPart(visit, `evening-${id}`, { figures, mayUnlock })
    function shared(id: PartId): string {
      const key = `${visit.words.language} ${visit.words.zone} ${id}`
      const html = known.get(key) ?? render(id)
      known.set(key, html)
      return html
    }
    const hasForms = (id: PartId) => id === 'lists' && mayUnlock
    return { figures, parts: PARTS.map((id) => ({ id, html: hasForms(id) ? render(id) : shared(id) })) }
  }
}
