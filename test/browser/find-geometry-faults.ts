/** A page or frame of any browser. */
export interface LoadedPage {
  evaluate(expression: string): Promise<unknown>
}

export interface GeometryRules {
  /** The least width and height of a target, in CSS pixels. */
  readonly leastTarget: number
  /** The most that a page may scroll, in CSS pixels. */
  readonly mostScroll: number
  /** Also focuses every target, and checks its ring. */
  readonly withFocus?: boolean
}

/**
 * Shows pages in the loaded page, one after the other, and checks what a viewer sees: nothing scrolls, is cut off or
 * overlaps, labels are at their fields, and targets are large enough. User names, and names and titles of brands, may end
 * in an ellipsis.
 * @param pages HTML of the app that has the loaded page. Their scripts do not run. `LOADED` is the loaded page.
 * @returns the faults of each page.
 */
export async function findGeometryFaults(
  page: LoadedPage,
  pages: readonly string[],
  rules: GeometryRules,
): Promise<string[][]> {
  const addresses = pages.flatMap((html) => [...html.matchAll(STYLE)].map(([, address]) => address))
  await page.evaluate(`(${KEEP_STYLES})(${JSON.stringify([...new Set(addresses)])})`)
  const faults = await page.evaluate(`(${CHECK_PAGES})(${JSON.stringify(pages)}, ${JSON.stringify(rules)})`)
  return faults as string[][]
}

/** The page as its scripts have changed it. */
export const LOADED = ''

const STYLE = /<link rel="stylesheet" href="(\/assets\/[^"]+)"/g

/** Moves stylesheets out of the body, which the pages replace, and adds those that only other pages have. */
const KEEP_STYLES = `(addresses) => {
  const known = Array.from(document.querySelectorAll('link'), (link) => link.getAttribute('href'))
  const added = addresses.filter((address) => !known.includes(address)).map((href) =>
    Object.assign(document.createElement('link'), { rel: 'stylesheet', href }))
  return Promise.all([...document.querySelectorAll('body link'), ...added].map((link) => new Promise((resolve) => {
    link.addEventListener('load', resolve)
    document.head.append(link)
  })))
}`

/** Runs in the page. It is text, so that the tests need no types of a page. */
const CHECK_PAGES = `(pages, { leastTarget, mostScroll, withFocus = false }) => {
  const TARGETS = 'a, button, input:not([type="hidden"]), summary, label:has(input)'
  const NAMES = '.primary bdi, .brand span, .own, .viewer'
  const root = document.documentElement

  function remember(find) {
    const known = new WeakMap()
    return (element) => {
      if (!known.has(element)) known.set(element, find(element))
      return known.get(element)
    }
  }
  function show(html) {
    if (html === '') return
    const shown = new DOMParser().parseFromString(html, 'text/html')
    for (const name of ['lang', 'dir']) root.setAttribute(name, shown.documentElement.getAttribute(name))
    for (const link of shown.querySelectorAll('body link, script')) link.remove()
    document.body.replaceWith(document.adoptNode(shown.body))
    scrollTo(0, 0)
  }
  function nameOf(element) {
    return [element.localName, ...element.classList].join('.') + ' ' + (element.textContent.trim() || element.name || '')
  }
  /** Texts for screen readers alone have a clip-path. An element with display: contents has no box, but its children have. */
  const isSeen = remember((element) => {
    if (element === document.body) return true
    const { clipPath, display } = getComputedStyle(element)
    const hasBox = element.checkVisibility() || display === 'contents'
    return hasBox && clipPath === 'none' && isSeen(element.parentElement)
  })
  function overlap(one, other) {
    const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left)
    return Math.min(wide, Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top))
  }
  function linesOfText() {
    const lines = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement
      if (walker.currentNode.data.trim() === '' || !isSeen(element)) continue
      range.selectNodeContents(walker.currentNode)
      for (const box of range.getClientRects()) if (box.width > 0) lines.push([element, box])
    }
    return lines
  }
  /** The part of the page where the text of an element has to be. */
  const roomOf = remember((element) => {
    if (element === document.body) {
      return { left: 0, right: root.clientWidth, top: 0, bottom: Math.max(innerHeight, root.scrollHeight) }
    }
    const room = roomOf(element.parentElement)
    const { overflowX, display } = getComputedStyle(element)
    const isLimit = element.matches('button, .primary, .secondary, summary, main, [role="alert"]')
    if (!isLimit && (overflowX === 'visible' || display === 'inline')) return room
    const { left, right, top, bottom } = element.getBoundingClientRect()
    return {
      left: Math.max(room.left, left),
      right: Math.min(room.right, right),
      top: Math.max(room.top, top),
      bottom: Math.min(room.bottom, bottom),
    }
  })
  function* faultsOfText() {
    const lines = linesOfText()
    for (const [index, [element, box]] of lines.entries()) {
      if (element.closest(NAMES)) continue
      const room = roomOf(element)
      // Lines are higher than their letters.
      const slack = 0.25 * parseFloat(getComputedStyle(element).fontSize)
      if (box.left < room.left - 1 || box.right > room.right + 1) yield 'cut off at the side: ' + nameOf(element)
      if (box.top < room.top - slack || box.bottom > room.bottom + slack) yield 'cut off: ' + nameOf(element)
      for (const [other, otherBox] of lines.slice(index + 1)) {
        if (other !== element && !other.closest(NAMES) && overlap(box, otherBox) > slack + 1) {
          yield nameOf(element) + ' is on ' + nameOf(other)
        }
      }
    }
  }
  function* faultsOfTargets() {
    const targets = [...document.querySelectorAll(TARGETS)].filter(isSeen)
    const boxes = targets.map((target) => [target, target.getBoundingClientRect()])
    for (const [index, [target, box]] of boxes.entries()) {
      // A link in a sentence is as high as its line (WCAG 2.2, 2.5.8). The target of a checkbox is its label.
      const least = target.matches('p a, label input') ? leastTarget : Math.min(box.width, box.height)
      if (least < leastTarget - 0.01) yield least.toFixed() + ' px is too small: ' + nameOf(target)
      if (box.left < -0.5 || box.right > root.clientWidth + 0.5) yield 'outside: ' + nameOf(target)
      for (const [other, otherBox] of boxes.slice(index + 1)) {
        // The button that shows a password is in its field.
        const isInField = target.closest('.entry') !== null && target.closest('.entry') === other.closest('.entry')
        if (!isInField && !target.contains(other) && overlap(box, otherBox) > 0.5) yield nameOf(target) + ' is on ' + nameOf(other)
      }
      const isTyped = target.matches('input:not([type="checkbox"])')
      if (isTyped && parseFloat(getComputedStyle(target).fontSize) < 16) yield 'iOS zooms for ' + nameOf(target)
      if (withFocus && target.localName !== 'label') yield* faultsOfRing(target)
    }
  }
  function* faultsOfRing(target) {
    target.focus({ focusVisible: true })
    const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(target)
    const isDrawn = document.activeElement === target && outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2
    if (!isDrawn) return yield 'no ring on ' + nameOf(target)
    const outside = parseFloat(outlineWidth) + parseFloat(outlineOffset) - 1
    const { left, right, top, bottom } = target.getBoundingClientRect()
    const isCut = left < outside || right > root.clientWidth - outside || top + scrollY < outside ||
      bottom + scrollY > Math.max(innerHeight, root.scrollHeight) - outside
    if (isCut) yield 'the ring is cut off: ' + nameOf(target)
  }
  /** A label is in the line of its field, or above it (WCAG 2.2, 1.3.2). */
  function* faultsOfLabels() {
    for (const label of document.querySelectorAll('label[for]')) {
      const [box, field] = [label, label.control].map((element) => element.getBoundingClientRect())
      const isBeside = Math.min(box.bottom, field.bottom) > Math.max(box.top, field.top)
      const isAbove = box.bottom <= field.top + 1 && overlap(box, { ...field.toJSON(), top: box.top, bottom: box.bottom }) > 0
      if (isSeen(label) && !isBeside && !isAbove) yield 'away from its field: ' + nameOf(label)
    }
  }
  /** A square logo stays square beside a long name. */
  function* faultsOfLogo() {
    for (const logo of document.querySelectorAll('.brand img[width="40"]')) {
      const { width, height } = logo.getBoundingClientRect()
      if (isSeen(logo) && Math.abs(width - height) > 0.5) yield 'a logo of ' + width + ' x ' + height
    }
  }
  function* faultsOfPage() {
    const [wide, high] = [root.scrollWidth - root.clientWidth, root.scrollHeight - innerHeight]
    if (wide > 0) yield 'scrolls sideways by ' + wide + ' px'
    if (high > mostScroll) yield 'scrolls by ' + high + ' px'
    yield* faultsOfText()
    yield* faultsOfTargets()
    yield* faultsOfLabels()
    yield* faultsOfLogo()
  }
  return pages.map((html) => {
    show(html)
    return [...new Set(faultsOfPage())]
  })
}`
