// Optional: shows the time until the doors open. The page is complete without it, and the header Refresh loads it again.

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

const countdown = document.querySelector('[data-opens-in]')
const language = document.documentElement.lang
const endMs = performance.now() + 1_000 * countdown.dataset.opensIn
const list = new Intl.ListFormat(language, { type: 'unit', style: 'short' })
const formats = UNITS.map(([unit]) => new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }))

/** Returns the two largest units, such as "2 hr, 5 min". Seconds count in the last hour. */
function timeLeft(seconds) {
  const first = Math.max(
    0,
    UNITS.findIndex(([, length]) => seconds >= length),
  )
  const counts = UNITS.map(([, length], index) =>
    Math.floor((index === 0 ? seconds : seconds % UNITS[index - 1][1]) / length),
  )
  const shown = [first, first + 1].filter((index) => index < UNITS.length && (index === first || counts[index] > 0))
  return list.format(shown.map((index) => formats[index].format(counts[index])))
}

function show() {
  const left = Math.max(0, Math.ceil((endMs - performance.now()) / 1_000))
  countdown.textContent = left > 0 ? timeLeft(left) : ''
}
show()
setInterval(show, 1_000)

// The zone of the text goes if it is that of the browser.
const text = document.querySelector('.opens')
const opensAt = Date.now() + 1_000 * countdown.dataset.opensIn
const zone = new Intl.DateTimeFormat(language, { timeZoneName: 'short' })
  .formatToParts(opensAt)
  .find(({ type }) => type === 'timeZoneName').value
const sign = zone.replace(/[.+(){}[\]^$*?|\\]/g, '\\$&')
text.textContent = text.textContent.replace(new RegExp(`\\s*[([]?${sign}[)\\]]?`, 'u'), '')
