/** Shows the screens in frames, and measures each one in a frame that is not seen. Runs without modules, as one script. */
const data = JSON.parse(document.getElementById('data').textContent)
const screens = new Map(data.screens.map((screen) => [screen.id, screen]))
const pages = new Map()

/** Returns the page of a frame: the files are inside, and the color scheme is chosen. */
function pageOf(id, scheme) {
  const key = `${id} ${scheme}`
  if (!pages.has(key)) pages.set(key, buildPage(screens.get(id).html, scheme))
  return pages.get(key)
}

function buildPage(html, scheme) {
  const page = new DOMParser().parseFromString(html, 'text/html')
  for (const link of page.querySelectorAll('link')) {
    const style = page.createElement('style')
    style.textContent = data.files[link.getAttribute('href')]?.css ?? ''
    link.replaceWith(style)
  }
  for (const source of page.querySelectorAll('source')) {
    if (scheme === 'dark') source.removeAttribute('media')
    else source.remove()
  }
  for (const [selector, name] of [
    ['img', 'src'],
    ['source', 'srcset'],
  ]) {
    for (const image of page.querySelectorAll(selector)) {
      image.setAttribute(name, data.files[image.getAttribute(name)]?.image ?? '')
    }
  }
  page.querySelector('meta[name="color-scheme"]')?.setAttribute('content', scheme)
  return `<!doctype html>${page.documentElement.outerHTML}`
}

/** The page may read the frame, but nothing runs, opens or is clicked in it. */
function createFrame(width, height, title) {
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-same-origin')
  frame.inert = true
  frame.title = title
  frame.width = width
  frame.height = height
  return frame
}

function isSeen(element) {
  // Texts for screen readers alone are clipped.
  for (let at = element; at !== null; at = at.parentElement) {
    if (at.ownerDocument.defaultView.getComputedStyle(at).clipPath !== 'none') return false
  }
  return element.checkVisibility()
}

/** Words for the part of the screen that an element is. */
function nameOf(element) {
  if (element.closest('.own')) return 'your title'
  if (element.closest('.brand')) return 'your name'
  const text = element.textContent.trim().replace(/\s+/g, ' ')
  return `“${text.length > 60 ? `${text.slice(0, 59)}…` : text}”`
}

/** A long user name on a button ends in an ellipsis, as it should. */
const isUserName = (element) => element.closest('.primary')?.querySelector('bdi') != null

function* shortened(frame) {
  for (const element of frame.document.body.querySelectorAll('*')) {
    const { textOverflow, webkitLineClamp, fontSize } = frame.getComputedStyle(element)
    const isTooWide = textOverflow === 'ellipsis' && element.scrollWidth > element.clientWidth + 1
    // Letters may be a little higher than their line.
    const hidden = element.scrollHeight - element.clientHeight
    const isTooHigh = webkitLineClamp !== 'none' && hidden > Number.parseFloat(fontSize) / 2
    if ((isTooWide || isTooHigh) && isSeen(element)) yield element
  }
}

function linesOf(frame) {
  const lines = []
  const walker = frame.document.createTreeWalker(frame.document.body, 4)
  const range = frame.document.createRange()
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement
    if (walker.currentNode.data.trim() === '' || !isSeen(element)) continue
    range.selectNodeContents(walker.currentNode)
    for (const box of range.getClientRects()) if (box.width > 0) lines.push({ element, box })
  }
  return lines
}

/** True if a parent that hides what does not fit cuts the line. */
function isCut({ element, box }, frame) {
  const slack = 0.25 * Number.parseFloat(frame.getComputedStyle(element).fontSize)
  for (let at = element; at !== frame.document.documentElement; at = at.parentElement) {
    const { overflowX, overflowY } = frame.getComputedStyle(at)
    const room = at.getBoundingClientRect()
    const isWide = overflowX !== 'visible' && (box.left < room.left - 1 || box.right > room.right + 1)
    const isHigh = overflowY !== 'visible' && (box.top < room.top - slack || box.bottom > room.bottom + slack)
    if (at !== frame.document.body && (isWide || isHigh)) return true
  }
  return false
}

function isOn(one, other, frame) {
  const slack = 0.25 * Number.parseFloat(frame.getComputedStyle(one.element).fontSize) + 1
  const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left)
  const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top)
  return one.element !== other.element && Math.min(wide, high) > slack
}

/** Returns the beginnings of sentences, and how the sentence goes on beside the frame. */
function faultsIn(frame, isTab) {
  const faults = new Map()
  const add = (fault, more = '') => faults.set(fault[0].toUpperCase() + fault.slice(1), more)
  const root = frame.document.documentElement
  const short = [...shortened(frame)]
  for (const element of short) if (!isUserName(element)) add(`${nameOf(element)} is cut`)
  const wide = root.scrollWidth - root.clientWidth
  const high = root.scrollHeight - frame.innerHeight
  if (wide > 0) add('the screen scrolls sideways', ` by ${wide} px`)
  if (!isTab && high > 0) add('the screen scrolls', ` by ${high} px`)
  const lines = linesOf(frame).filter(({ element }) => !short.some((one) => one.contains(element)))
  for (const [index, line] of lines.entries()) {
    if (isCut(line, frame)) add(`${nameOf(line.element)} is cut`)
    for (const other of lines.slice(index + 1)) {
      if (isOn(line, other, frame)) add(`${nameOf(line.element)} and ${nameOf(other.element)} overlap`)
    }
  }
  return faults
}

/** Figures whose frames are near the part of the page that is seen. */
const watcher = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const room = target.querySelector('.room')
      if (!isIntersecting) room.replaceChildren()
      else if (room.childElementCount === 0) room.append(frameOf(target, room))
    }
  },
  { rootMargin: '600px' },
)

function frameOf(figure, room) {
  const frame = createFrame(room.dataset.width, room.dataset.height, figure.firstElementChild.textContent)
  frame.srcdoc = pageOf(figure.closest('section').id, figure.dataset.scheme)
  return frame
}

/** The sizes and screens of each fault, by its words. */
const found = new Map()

function report(figure, faults) {
  const section = figure.closest('section')
  figure.classList.toggle('has-fault', faults.size > 0)
  for (const [fault, more] of faults) {
    const { sizes, sections } = found.get(fault) ?? { sizes: new Set(), sections: new Set() }
    found.set(fault, { sizes: sizes.add(figure.dataset.size), sections: sections.add(section) })
    const item = document.createElement('li')
    item.textContent = `${fault}${more}.`
    figure.querySelector('.faults').append(item)
  }
}

function showFound(measured, all) {
  const isDone = measured === all
  const result = found.size > 0 ? '' : ' No text is cut, overlaps or scrolls.'
  document.getElementById('progress').textContent = isDone
    ? `All ${all} frames were measured.${result}`
    : `${measured} of ${all} frames are measured …`
  if (isDone) document.body.dataset.measured = String(found.size)
  const items = [...found].map(([fault, { sizes, sections }]) => {
    const item = document.createElement('li')
    item.append(`${fault} at ${[...sizes].join(', ')}: `)
    for (const [index, section] of [...sections].slice(0, 5).entries()) {
      const link = document.createElement('a')
      link.href = `#${section.id}`
      link.textContent = section.querySelector('h2').textContent
      item.append(index === 0 ? '' : ', ', link)
    }
    if (sections.size > 5) item.append(` and ${sections.size - 5} more screens`)
    return item
  })
  document.getElementById('list').replaceChildren(...items)
}

async function measure(figure) {
  const { width, height } = figure.querySelector('.room').dataset
  const section = figure.closest('section')
  const frame = createFrame(width, height, '')
  frame.className = 'measure'
  frame.setAttribute('aria-hidden', 'true')
  frame.srcdoc = pageOf(section.id, figure.dataset.scheme)
  await new Promise((resolve) => {
    frame.addEventListener('load', resolve, { once: true })
    document.body.append(frame)
  })
  report(figure, faultsIn(frame.contentWindow, screens.get(section.id).isTab))
  frame.remove()
}

async function measureAll(figures) {
  document.getElementById('warnings').hidden = false
  for (const [index, figure] of figures.entries()) {
    await measure(figure)
    if (index % 10 === 9) showFound(index + 1, figures.length)
  }
  showFound(figures.length, figures.length)
}

const figures = [...document.querySelectorAll('figure')]
for (const figure of figures) {
  const room = figure.querySelector('.room')
  const scale = room.classList.contains('half') ? 0.5 : 1
  room.style.width = `${room.dataset.width * scale}px`
  room.style.height = `${room.dataset.height * scale}px`
  watcher.observe(figure)
}
const choice = document.getElementById('choice')
choice.hidden = false
/** Two sizes and one scheme are chosen at first. Frames that are not shown are measured too. */
function showChosen() {
  const off = [...choice.querySelectorAll('input:not(:checked)')].map(({ value }) => value)
  for (const figure of figures) figure.hidden = off.includes(figure.dataset.size) || off.includes(figure.dataset.scheme)
}
choice.addEventListener('change', showChosen)
showChosen()
void measureAll(figures)
